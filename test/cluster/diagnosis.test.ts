import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ClusterConnection } from '../../functions/adapters/kubernetes/connect.ts';
import { chainOf, rootOf } from '../../functions/core/findings/chain.ts';
import { accessObjects } from '../../local/manifests/access.ts';
import type { Reading } from '../../local/snapshot/snapshot.ts';
import { scenarios } from './diagnosis-scenarios.ts';
import { openWorld } from './harness/drain-world.ts';
import type { KubeObject } from './harness/kube.ts';
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

      const { diagnosis, asked, readings } = await world.diagnose('a');

      await record(name, { asked, chain, says: says.source, snapshot: slim(name, readings) });
      const [found] = diagnosis.findings;
      if (found === undefined) throw new Error('nothing was found');
      const root = rootOf(found);
      expect(chainOf(found).map(({ code }) => code)).toEqual(chain);
      expect(root.sentence).toMatch(says);
      const known = root.evidence.map(({ path, value }) => `${path}=${value}`);
      for (const wanted of evidence)
        expect(
          known.filter((each) => each.startsWith(wanted)),
          `${wanted} among ${known.join(' | ')}`,
        ).not.toEqual([]);
      expect(diagnosis.unanswered).toEqual([]);
      expect(diagnosis.calls).toBeLessThanOrEqual(15);
    });
  }
});

/** `POOLKEEPER_RECORD_TO=<folder>` keeps what was read and what was made of it, for tests that need no cluster. */
async function record(name: string, recorded: unknown): Promise<void> {
  const folder = process.env['POOLKEEPER_RECORD_TO'];
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify(recorded, withoutAuthors)}\n`);
}

/** A snapshot without the pools of the other worlds. */
function slim(name: string, readings: readonly Reading[]): unknown {
  const isOther = ({ kind, metadata }: KubeObject) => kind === 'MachineConfigPool' && metadata.name !== name;
  const own = JSON.parse(JSON.stringify(readings), (_key, value: unknown) =>
    Array.isArray(value) ? value.filter((each) => each?.kind === undefined || !isOther(each)) : value,
  );
  return { v: 1, cluster: 'lab', takenAt: readings[0]?.readAt, readings: own };
}

/** Who wrote which field is half of every object, and no drain is explained by it. */
function withoutAuthors(key: string, value: unknown): unknown {
  return key === 'managedFields' ? undefined : value;
}
