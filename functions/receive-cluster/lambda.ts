import { ReceiveClusterEnvironment, readEnvironment } from '../shell/environment.ts';
import { httpFunction } from '../shell/http.ts';
import { receiver } from '../shell/services/receiver.ts';
import { openTelemetry } from '../shell/telemetry.ts';
import { receiveCluster } from './receive-cluster.ts';

const telemetry = openTelemetry('receive-cluster');

export const handler = httpFunction({
  telemetry,
  async build() {
    const environment = readEnvironment(ReceiveClusterEnvironment, process.env);
    return receiveCluster({
      ...receiver({ workQueueUrl: environment.WORK_QUEUE_URL, telemetry }),
      secret: environment.CLUSTER_TOKEN_SECRET_ARN,
    });
  },
});
