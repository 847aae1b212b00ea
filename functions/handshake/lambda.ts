import { setTimeout as sleep } from 'node:timers/promises';
import { HandshakeEnvironment, readEnvironment } from '../shell/environment.ts';
import { httpFunction } from '../shell/http.ts';
import { poolKeeper } from '../shell/services/pool-keeper.ts';
import { openTelemetry } from '../shell/telemetry.ts';
import { handshake } from './handshake.ts';
import { protect } from './protect.ts';

const telemetry = openTelemetry('handshake');

/** Entry of the Lambda function. */
export const handler = httpFunction({
  telemetry,
  async build() {
    const environment = readEnvironment(HandshakeEnvironment, process.env);
    const ports = await poolKeeper(environment, telemetry, { renewsTokens: false });
    return handshake({
      secrets: ports.secrets,
      secret: environment.HANDSHAKE_TOKEN_SECRET_ARN,
      protect: (ref) => protect(ref, ports),
      clock: ports.clock,
      sleep,
      ...telemetry,
    });
  },
});
