import { ReceiveSlackEnvironment, readEnvironment } from '../shell/environment.ts';
import { httpFunction } from '../shell/http.ts';
import { slackReceiver } from '../shell/services/slack-receiver.ts';
import { openTelemetry } from '../shell/telemetry.ts';
import { receiveSlack } from './receive-slack.ts';

const telemetry = openTelemetry('receive-slack');

export const handler = httpFunction({
  telemetry,
  build: async () =>
    receiveSlack(await slackReceiver(readEnvironment(ReceiveSlackEnvironment, process.env), telemetry)),
});
