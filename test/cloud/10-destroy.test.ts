import { expect, test } from 'vitest';
import { useCloud } from './harness/cloud.ts';
import { clusterTokenSecret, slackSigning, slackTokenSecret } from './harness/configuration.ts';
import { inventory } from './harness/inventory.ts';

const cloud = useCloud();

test('[C-7] what was deployed is all gone after cdk destroy, and what was there before is left', async () => {
  const deployed = await inventory(cloud.aws);

  await cloud.cdk.destroy();
  const after = await inventory(cloud.aws);

  const made = Object.entries(deployed).flatMap(([kind, names]) =>
    names.filter((name) => !cloud.address.before[kind]?.includes(name)),
  );
  const secrets = [
    ...(cloud.address.before['secrets'] ?? []),
    clusterTokenSecret,
    slackTokenSecret,
    slackSigning.name,
  ].sort();
  expect(made.length).toBeGreaterThan(50);
  expect(after).toEqual({ ...cloud.address.before, secrets });
  console.log(`destroyed: ${made.length} things of ${Object.keys(deployed).length} kinds made, left 0`);
});
