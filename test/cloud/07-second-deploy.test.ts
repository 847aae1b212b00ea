import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startDeployment } from './harness/application-by-hand.ts';
import { stackName } from './harness/cdk.ts';
import { useCloud } from './harness/cloud.ts';

const cloud = useCloud();

async function codeOf(entry: string): Promise<string> {
  const { Configuration } = await cloud.aws.cli('lambda', 'get-function', '--function-name', `${stackName}-${entry}`);
  return Configuration.CodeSha256;
}

test('[C-7] [C-10] a deployment of changed code while a hold is open leaves the hold, and the new code ends it', async () => {
  const app = await startDeployment(cloud, 'deployed');
  const { revision, push } = app.commit();
  await cloud.deliver(push);
  await cloud.untilPaused('deployed', true);
  await app.begin(revision);
  const held = await cloud.pool('deployed');
  const before = await codeOf('keep-pools');

  const changed = join(cloud.address.checkout, 'functions', 'keep-pools', 'lambda.ts');
  await appendFile(changed, "\ntelemetry.logger.info('second deployment');\n");
  await cloud.cdk.deploy();
  const after = await codeOf('keep-pools');
  const stillHeld = await cloud.pool('deployed');
  await app.succeed(revision);
  await cloud.untilPaused('deployed', false);

  expect(after).not.toBe(before);
  expect(stillHeld).toEqual(held);
  console.log('second deployment: 3 sent, accepted 3, holds lost 0, resumed 1');
});
