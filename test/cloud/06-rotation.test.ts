import { randomBytes, randomUUID } from 'node:crypto';
import { PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { expect, test } from 'vitest';
import { until } from '../cluster/harness/until.ts';
import { startDeployment } from './harness/application-by-hand.ts';
import { soonMs, useCloud } from './harness/cloud.ts';

const cloud = useCloud();

test('[C-1] a secret is rotated under traffic, first here and then at the caller, and no request is refused', async () => {
  const app = await startDeployment(cloud, 'rotated');
  const { revision, push } = app.commit();
  const before = await cloud.secret('GithubSecretArn');
  const after = randomBytes(24).toString('hex');
  const statuses: number[] = [];
  let secret = before;
  let isOver = false;
  const caller = async () => {
    while (!isOver) statuses.push((await cloud.deliver(push, { secret, delivery: randomUUID() })).status);
  };

  const traffic = [caller(), caller()];
  await cloud.untilPaused('rotated', true);
  await cloud.aws.secrets.send(
    new PutSecretValueCommand({ SecretId: cloud.address.outputs['GithubSecretArn'], SecretString: after }),
  );
  const beforeCaller = statuses.length;
  await atLeast(() => statuses.length - beforeCaller, 10);
  secret = after;
  const afterCaller = statuses.length;
  await atLeast(() => statuses.length - afterCaller, 10);
  isOver = true;
  await Promise.all(traffic);
  await app.begin(revision);
  await app.succeed(revision);
  await cloud.untilPaused('rotated', false);

  expect(new Set(statuses)).toEqual(new Set([202]));
  expect(await cloud.secret('GithubSecretArn')).toBe(after);
  console.log(`rotation: ${statuses.length} sent, accepted ${statuses.length}, refused 0`);
});

async function atLeast(count: () => number, wanted: number): Promise<void> {
  await until(() => count() >= wanted, soonMs, `${wanted} more requests to be answered`);
}
