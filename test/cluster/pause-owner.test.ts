import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { useLab } from './harness/lab.ts';
import { pool } from './harness/objects.ts';
import { paths } from './harness/paths.ts';
import { connectLab } from './product.ts';

const lab = useLab();
const argocd = 'argocd-controller';

/** A pool that Poolkeeper has paused, and then Argo CD applies with this pause and another change, by server-side
 *  apply. Without the other change the API server would give it no time as an owner. */
async function appliedByArgoCd(name: string, paused: boolean) {
  await lab.create(pool({ name, roles: [name] }));
  const connection = connectLab(lab);
  onTestFinished(connection.close);
  const before = await connection.pools.readPool(name);
  if (before === undefined) throw new Error(`there is no pool ${name}`);
  await connection.pools.patchPool(before, { paused: true });
  // Owners of fields have times in whole seconds.
  await sleep(1_100);
  const { apiVersion, kind } = pool({ name });
  const manifest = { apiVersion, kind, metadata: { name }, spec: { paused, maxUnavailable: 2 } };
  await lab.kube.patch(`${paths.pools}/${name}?force=true`, manifest, { fieldManager: argocd, type: 'apply' });
  return connection.pools.readPool(name);
}

test('[S0-14] a pause that Argo CD has found and applied is still ours, and one that it has lifted is not', async () => {
  expect(await appliedByArgoCd('owner-found', true)).toMatchObject({
    paused: true,
    pausedBy: { manager: 'poolkeeper' },
  });
  expect(await appliedByArgoCd('owner-lifted', false)).toMatchObject({ paused: false, pausedBy: { manager: argocd } });
});
