import { expect, onTestFinished, test } from 'vitest';
import { startDeployment } from './harness/application-by-hand.ts';
import { stackName } from './harness/cdk.ts';
import { useCloud } from './harness/cloud.ts';

const cloud = useCloud();

/** Takes every execution that a function may have, as a flood at its entrance does once it has used up what is reserved
 *  for it; the test gives them back. */
async function useUp(name: string): Promise<void> {
  const target = ['--function-name', `${stackName}-${name}`];
  onTestFinished(async () => {
    await cloud.aws.cli('lambda', 'delete-function-concurrency', ...target);
  });
  await cloud.aws.cli('lambda', 'put-function-concurrency', ...target, '--reserved-concurrent-executions', '0');
}

test('[N-30] a flood at one entrance stops that entrance only: a push still pauses its pool, and resumes it', async () => {
  const app = await startDeployment(cloud, 'flooded');
  const { revision, push } = app.commit();
  const ask = async () => ({
    '/status': (await cloud.send('/status', { method: 'GET' })).status,
    '/argocd': (await cloud.send('/argocd', { body: '{}' })).status,
    '/cluster': (await cloud.send('/cluster', { body: '{}' })).status,
    '/handshake': (await cloud.send('/handshake', { body: '{}' })).status,
  });

  const calm = await ask();
  for (const name of ['status', 'receive-argocd', 'receive-cluster', 'handshake']) await useUp(name);
  const flooded = await ask();
  const { status } = await cloud.deliver(push, { delivery: 'flooded-1' });
  await cloud.untilPaused('flooded', true);
  const held = await cloud.pool('flooded');
  await app.begin(revision);
  await app.succeed(revision);
  await cloud.untilPaused('flooded', false);

  expect(calm).toEqual({ '/status': 401, '/argocd': 401, '/cluster': 401, '/handshake': 401 });
  for (const refused of Object.values(flooded)) expect(refused).toBeGreaterThanOrEqual(429);
  expect(status).toBe(202);
  expect(held.holders).toHaveLength(1);
});
