import { HandshakeEnvironment, readEnvironment } from '../shell/environment.ts';
import { httpFunction } from '../shell/http.ts';
import { handshaker } from '../shell/services/handshaker.ts';
import { openTelemetry } from '../shell/telemetry.ts';
import { handshake } from './handshake.ts';

const telemetry = openTelemetry('handshake');

export const handler = httpFunction({
  telemetry,
  build: async () => handshake(await handshaker(readEnvironment(HandshakeEnvironment, process.env), telemetry)),
});
