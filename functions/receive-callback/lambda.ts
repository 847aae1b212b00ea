import { ReceiveCallbackEnvironment, readEnvironment } from '../shell/environment.ts';
import { httpFunction } from '../shell/http.ts';
import { callbackReceiver } from '../shell/services/callback-receiver.ts';
import { openTelemetry } from '../shell/telemetry.ts';
import { receiveCallback } from './receive-callback.ts';

const telemetry = openTelemetry('receive-callback');

export const handler = httpFunction({
  telemetry,
  build: async () =>
    receiveCallback(callbackReceiver(readEnvironment(ReceiveCallbackEnvironment, process.env), telemetry)),
});
