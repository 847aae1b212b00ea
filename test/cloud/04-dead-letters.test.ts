import { expect, onTestFinished, test } from 'vitest';
import { until } from '../cluster/harness/until.ts';
import { startDeployment } from './harness/application-by-hand.ts';
import { stackName } from './harness/cdk.ts';
import { soonMs, useCloud } from './harness/cloud.ts';
import { withoutGrants } from './harness/grants.ts';
import { logLines } from './harness/logs.ts';
import { runbookCommands, runbookSays } from './harness/runbook.ts';
import { makeImpatient } from './harness/work-queue.ts';

const cloud = useCloud();

test('[C-11] [C-12] without its grant on the table keep-pools gets AccessDenied, the push ends among the dead letters, and the redrive of the runbook ends it well', async () => {
  const app = await startDeployment(cloud, 'poisoned');
  await makeImpatient(cloud.aws, { visibilitySeconds: 3, attempts: 2 });
  const putBack = await withoutGrants(cloud.aws, `${stackName}-keep-pools`, 'dynamodb');
  onTestFinished(putBack);
  const { revision, push } = app.commit();

  const { status } = await cloud.deliver(push, { delivery: 'poisoned-1' });
  const isOurs = ({ body }: { readonly body: string }) => body.includes('poisoned-1');
  await until(
    async () => (await cloud.messagesIn('work-queue-dead-letters')).some(isOurs),
    soonMs,
    'the push to lie among the dead letters',
  );
  const dead = await cloud.messagesIn('work-queue-dead-letters');
  const denied = await logLines(cloud.aws, 'keep-pools', 'AccessDenied');
  await putBack();
  await cloud.aws.shell(`${runbookCommands()}\nredrive work-queue-dead-letters`);
  await until(
    // A tick may have failed for the last time after the redrive was typed; it is worth nothing.
    async () => !(await cloud.messagesIn('work-queue-dead-letters')).some(isOurs),
    soonMs,
    'the push to be gone from the dead letters',
  );
  await cloud.untilPaused('poisoned', true);
  const held = await cloud.pool('poisoned');
  await app.begin(revision);
  await app.succeed(revision);
  await cloud.untilPaused('poisoned', false);

  expect(status).toBe(202);
  expect(dead.filter(isOurs)).toHaveLength(1);
  expect(denied.length).toBeGreaterThan(0);
  expect(held.holders).toHaveLength(1);
  expect(runbookSays('work-queue-dead-letters', 'redrive work-queue-dead-letters')).toBe(true);
  console.log(`dead letters: 1 push sent, accepted 1, ${dead.length} messages dead and redriven, lost 0, doubled 0`);
});
