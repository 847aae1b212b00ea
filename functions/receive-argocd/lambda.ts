import { ReceiveArgocdEnvironment, readEnvironment } from '../shell/environment.ts';
import { httpFunction } from '../shell/http.ts';
import { receiver } from '../shell/services/receiver.ts';
import { openTelemetry } from '../shell/telemetry.ts';
import { receiveArgocd } from './receive-argocd.ts';

const telemetry = openTelemetry('receive-argocd');

export const handler = httpFunction({
  telemetry,
  async build() {
    const environment = readEnvironment(ReceiveArgocdEnvironment, process.env);
    return receiveArgocd({
      ...receiver({ workQueueUrl: environment.WORK_QUEUE_URL, telemetry }),
      secret: environment.ARGOCD_TOKEN_SECRET_ARN,
    });
  },
});
