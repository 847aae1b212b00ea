import { expect, onTestFinished, test } from 'vitest';
import { until } from '../cluster/harness/until.ts';
import { startDeployment } from './harness/application-by-hand.ts';
import { stackName } from './harness/cdk.ts';
import { soonMs, useCloud } from './harness/cloud.ts';
import { makeImpatient } from './harness/work-queue.ts';
import { killWorkers } from './harness/workers.ts';

const cloud = useCloud();

test('[C-10] a worker that is killed in the middle of a pass loses nothing: its message comes again and ends right', async () => {
  const app = await startDeployment(cloud, 'killed');
  await makeImpatient(cloud.aws, { visibilitySeconds: 5, attempts: 20 });
  onTestFinished(cloud.standIns.openDoor);
  const { revision, push } = app.commit();
  const isOurs = ({ body }: { readonly body: string }) => body.includes('killed-1');
  const ours = async () => (await cloud.messagesIn('work-queue')).find(isOurs);

  await cloud.standIns.holdDoor();
  const { status } = await cloud.deliver(push, { delivery: 'killed-1' });
  const inHand = await until(
    async () => {
      const message = await ours();
      return message !== undefined && message.receiveCount > 0 && message;
    },
    soonMs,
    'a worker to have the push in hand',
  );
  const killed = await killWorkers(cloud.address.emulator.pid, `${stackName}-keep-pools`);
  const again = await until(
    async () => {
      const message = await ours();
      return message !== undefined && message.receiveCount > inHand.receiveCount && message;
    },
    soonMs,
    'the push to come again',
  );
  await cloud.standIns.openDoor();
  await cloud.untilPaused('killed', true);
  const held = await cloud.pool('killed');
  await until(async () => (await ours()) === undefined, soonMs, 'the push to be done');
  await app.begin(revision);
  await app.succeed(revision);
  await cloud.untilPaused('killed', false);

  expect(status).toBe(202);
  expect(killed).toBeGreaterThan(0);
  expect(again.receiveCount).toBeGreaterThan(1);
  expect(held.holders).toHaveLength(1);
  expect((await cloud.messagesIn('work-queue-dead-letters')).filter(isOurs)).toEqual([]);
  console.log(
    `killed: ${killed} workers, 1 push sent, accepted 1, taken ${again.receiveCount} times, lost 0, doubled 0`,
  );
});
