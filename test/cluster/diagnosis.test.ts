import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ClusterConnection } from '../../functions/adapters/kubernetes/connect.ts';
import { rootOf } from '../../functions/core/findings/chain.ts';
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

/** Of an account with the rights that `poolkeeper manifests` prints for looking on, and no others. */
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

  test('[S1-4] S16 prints commands that show who asks, and end it', async ({ onTestFinished }) => {
    const world = await openWorld('s16shell', { lab, kubelets, connection });
    onTestFinished(world.end);
    await scenarios.find(({ chain }) => chain.at(-1) === 'S16')?.arrange(world);
    const { diagnosis } = await world.diagnose('a');
    const [found] = diagnosis.findings.map(rootOf);
    const { run, end } = await shell();
    onTestFinished(end);

    const commands = (found?.remedies ?? []).map(({ command = '' }) => command);
    const [listed = '', subjects = '', approved = ''] = await inTurn(commands, run);

    expect(commands).toHaveLength(3);
    expect(listed).toMatch(/s16shell-own[\s\S]*system:node:s16shell-b[\s\S]*Pending/);
    const subject = 'subject=O ?= ?system:nodes, CN ?= ?system:node:s16shell-b\n';
    expect(subjects).toMatch(new RegExp(`^(?:${subject}){2}$`));
    expect(approved).toMatch(/s16shell-own approved/);
    const after = await world.diagnose('a');
    expect(after.diagnosis.findings.map(rootOf).map(({ code }) => code)).toEqual(['S2']);
  });
});

async function inTurn<T>(commands: readonly string[], run: (command: string) => Promise<T>): Promise<readonly T[]> {
  const answers: T[] = [];
  for (const command of commands) answers.push(await run(command));
  return answers;
}

/** A shell in which `oc` is the real kubectl, as the administrator. */
async function shell() {
  const folder = await mkdtemp(join(tmpdir(), 'poolkeeper-oc-'));
  const kubectl = `exec '${lab.toolchain.kubectl}' --kubeconfig '${lab.controlPlane.kubeconfig}' "$@"`;
  await writeFile(join(folder, 'oc'), `#!/bin/sh\n[ "$1" = adm ] && shift\n${kubectl}\n`, { mode: 0o755 });
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
  return {
    run: async (command: string) => (await promisify(execFile)('sh', ['-ec', command], { env })).stdout,
    end: () => rm(folder, { recursive: true }),
  };
}
