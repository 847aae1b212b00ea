import { afterAll, beforeAll, describe, test } from 'vitest';
import type { ClusterConnection } from '../../functions/adapters/kubernetes/connect.ts';
import { accessObjects } from '../../local/manifests/access.ts';
import { scenarios } from './diagnosis-scenarios.ts';
import { openWorld } from './harness/drain-world.ts';
import { expectChain } from './harness/expect-chain.ts';
import { type Kubelets, startKubelets } from './harness/kubelets.ts';
import { useLab } from './harness/lab.ts';
import { startWorkloads, type Workloads } from './harness/workloads.ts';
import { connectLab } from './product.ts';

const lab = useLab();
let workloads: Workloads;
let kubelets: Kubelets;
let connection: ClusterConnection;

beforeAll(async () => {
  workloads = await startWorkloads(lab.toolchain, lab.controlPlane);
  kubelets = await startKubelets(lab.kube);
  connection = connectLab(lab, await readersToken());
});

/** Of an account with the rights that `npx poolkeeper manifests` prints for looking on, and no others. */
async function readersToken(): Promise<string> {
  const account = { namespace: 'poolkeeper-looks-on', name: 'poolkeeper' };
  await lab.controlPlane.ensure(...accessObjects({ account, pauses: false, pools: [], argocdNamespaces: [] }));
  return lab.controlPlane.serviceAccountToken(account);
}

afterAll(async () => {
  await kubelets?.stop();
  await workloads?.stop();
  await connection?.close();
});

/** Side by side: each waits for seconds and works for none. */
describe('a drain that a real scheduler, real controllers and the real eviction API stop', { concurrent: true }, () => {
  for (const { world: name, title, ids, arrange, chain, says, evidence } of scenarios) {
    test(`${ids ?? ''}${chain.at(-1)} in ${name}: ${title}`, async ({ onTestFinished }) => {
      const world = await openWorld(name, { lab, kubelets, connection });
      onTestFinished(world.end);
      await arrange(world);

      await expectChain(world, { chain, says, evidence });
    });
  }
});
