import { ReceiveGithubEnvironment, readEnvironment } from '../shell/environment.ts';
import { httpFunction } from '../shell/http.ts';
import { receiver } from '../shell/services/receiver.ts';
import { openTelemetry } from '../shell/telemetry.ts';
import { receiveGithub } from './receive-github.ts';

const telemetry = openTelemetry('receive-github');

export const handler = httpFunction({
  telemetry,
  async build() {
    const environment = readEnvironment(ReceiveGithubEnvironment, process.env);
    return receiveGithub({
      ...receiver({
        workQueueUrl: environment.WORK_QUEUE_URL,
        previewQueueUrl: environment.PREVIEW_QUEUE_URL,
        relayQueueUrl: environment.RELAY_QUEUE_URL,
        telemetry,
      }),
      secret: environment.GITHUB_SECRET_ARN,
    });
  },
});
