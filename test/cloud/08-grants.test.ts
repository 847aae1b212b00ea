import { expect, onTestFinished, test } from 'vitest';
import { paths } from '../cluster/harness/paths.ts';
import { until } from '../cluster/harness/until.ts';
import { startDeployment } from './harness/application-by-hand.ts';
import { stackName } from './harness/cdk.ts';
import { soonMs, useCloud } from './harness/cloud.ts';
import { withoutGrants } from './harness/grants.ts';
import { logLines } from './harness/logs.ts';
import { killWorkers } from './harness/workers.ts';

const cloud = useCloud();
const sendAlerts = `${stackName}-send-alerts`;

const name = 'secretless';

test('[C-11] without its grant on secrets send-alerts gets AccessDenied; what it owes is sent once the grant is back', async () => {
  await startDeployment(cloud, name);
  const putBack = await withoutGrants(cloud.aws, sendAlerts, 'secretsmanager');
  onTestFinished(putBack);
  // A container keeps a token for five minutes, with which it needs no right to read it.
  await killWorkers(cloud.address.emulator.pid, sendAlerts);

  await degrade(`${name}-1`);
  const denied = await until(
    async () => {
      const lines = await logLines(cloud.aws, 'send-alerts', 'GetSecretValue');
      return lines.find((line) => line.includes('AccessDenied') && line.includes(name));
    },
    soonMs,
    'send-alerts to be refused',
  );
  const toldMeanwhile = await told();
  await putBack();
  await until(async () => (await told()) > 0, 2 * soonMs, 'what is owed to be sent');

  expect(denied).toContain('AccessDenied');
  expect(toldMeanwhile).toBe(0);
  expect(await told()).toBe(1);
  console.log('grants: without secrets 0 sent, with them 1, lost 0, doubled 0');
});

/** Messages about the pool in the channel. */
async function told(): Promise<number> {
  const { messages } = await cloud.standIns.slack();
  return messages.filter(({ text, thread }) => thread === undefined && text.includes(`lab/${name}`)).length;
}

async function degrade(node: string): Promise<void> {
  const prefix = 'machineconfiguration.openshift.io';
  const annotations = { [`${prefix}/state`]: 'Degraded', [`${prefix}/reason`]: 'unexpected on-disk state' };
  await cloud.kube.patch(`${paths.nodes}/${node}`, { metadata: { annotations } });
}
