import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { preflight } from '../../../local/cli/preflight.ts';
import { machineConfigPools, nodes } from '../../../local/openshift/api-server/resource-types.ts';
import type { ReferenceWorld } from '../../../local/openshift/reference-world.ts';
import { startReferenceWorld } from '../openshift/start-reference-world.ts';
import { createVirtualClock, type VirtualClock } from '../openshift/virtual-clock.ts';

let world: ReferenceWorld;
let clock: VirtualClock;
let folder: string;
let kubeconfig: string;

beforeEach(async () => {
  clock = createVirtualClock(new Date('2026-03-02T08:00:00Z'));
  world = await startReferenceWorld({ clock });
  await clock.advance(60_000);
  folder = await mkdtemp(join(tmpdir(), 'poolkeeper-preflight-'));
  kubeconfig = join(folder, 'kubeconfig');
  await world.openshift.writeKubeconfig(kubeconfig);
});

afterEach(async () => {
  await world.openshift.stop();
  await rm(folder, { recursive: true });
});

async function run(...args: readonly string[]) {
  const out: string[] = [];
  const status = await preflight.run([...args, '--kubeconfig', kubeconfig], {
    out: (text) => out.push(text),
    note: () => {},
    environment: {},
    now: () => new Date('2026-03-02T08:01:00Z'),
  });
  return { status, text: out.join('') };
}

describe('poolkeeper preflight, over HTTP against a cluster at rest', () => {
  test('[S1-7] [N-13] says which node will block, why, and what to do, before anything is drained', async () => {
    const { status, text } = await run('--pool', 'worker');

    expect(status).toBe(1);
    expect(text).toContain('Pool worker: 1 of 3 nodes will block.');
    expect(text).toContain('1. worker-2 [self-deadlock, strong]');
    expect(text).toContain('no other node takes them (they ask for disk=ssd)');
    expect(text).toContain('oc label node worker-0 disk=ssd');
    expect(text).toContain('undo: oc label node worker-0 disk-');
  });

  test('[S1-8] [N-13] does not exit as if nothing blocked where it has not looked at every node', async () => {
    world.labelSecondNode();
    const { registry } = world.openshift;
    const [known] = registry.list(nodes).filter(({ metadata }) => metadata.name === 'worker-0');
    if (known === undefined) throw new Error('there is no worker-0');
    const names = Array.from({ length: 98 }, (_, at) => `worker-more-${at}`);
    const { labels = {}, annotations = {} } = known.metadata;
    const copyOf = (name: string) => ({ ...known, metadata: { name, labels, annotations } });
    for (const name of names) registry.create(nodes, copyOf(name), { manager: 'kubelet' });

    const { status, text } = await run('--pool', 'worker');

    expect(text).toContain('Not looked at: what is lost, and pods that never end, on 1 further node.');
    expect(status).toBe(1);
  });

  test('[S1-7] finds nothing once a second node has what the pods ask for', async () => {
    world.labelSecondNode();

    const { status, text } = await run('--pool', 'worker');

    expect(text).toBe('Pool worker: nothing was found that blocks the drain of its 3 nodes.\n');
    expect(status).toBe(0);
  });

  test('as JSON carries the evidence with the time it was read', async () => {
    const [result] = JSON.parse((await run('--pool', 'worker', '--output', 'json')).text);

    expect(result).toMatchObject({ pool: 'worker', touched: 3, preflight: { obstacles: [{ nodes: ['worker-2'] }] } });
    expect(result.preflight.obstacles[0].finding.evidence[0].readAt).toMatch(/^\d{4}-/);
  });

  test('[S1-7] [N-29] a pool that cannot be parsed is not well, and not unknown', async () => {
    world.labelSecondNode();
    world.openshift.registry.modify(
      machineConfigPools,
      { name: 'worker', namespace: '' },
      (draft) => {
        draft.spec.nodeSelector = { matchExpressions: [{ key: 'zone', operator: 'Near' }] };
      },
      { manager: 'kubectl-patch' },
    );

    const named = await run('--pool', 'worker');

    expect(named).toEqual({
      status: 1,
      text: 'Pool worker: cannot be parsed, what blocks its drains is not known.\n',
    });
    expect((await run()).status).toBe(1);
  });

  /** A custom pool with nodes of its own, which the API server takes and nobody can parse. */
  async function addUnparsedPool(name: string) {
    world.openshift.addPool({ name });
    world.openshift.addNodes({ pool: name, names: [`${name}-0`, `${name}-1`] });
    await clock.advance(60_000);
    world.openshift.registry.modify(
      machineConfigPools,
      { name, namespace: '' },
      (draft) => {
        draft.spec.nodeSelector = {
          matchExpressions: [{ key: `node-role.kubernetes.io/${name}`, operator: 'exists' }],
        };
      },
      { manager: 'kubectl-patch' },
    );
  }

  test('[S1-7] [N-29] beside a pool that cannot be parsed, the nodes of pool worker are looked at, and not called all its nodes', async () => {
    await addUnparsedPool('infra');

    const { status, text } = await run('--pool', 'worker');

    expect(status).toBe(1);
    expect(text).toContain('Pool worker: 1 of 3 nodes will block.');
    expect(text.replaceAll(/\s+/g, ' ')).toContain(
      'Not known: which nodes are those of pool infra: cannot be parsed at spec.nodeSelector',
    );
    expect(text).toContain('1. worker-2 [self-deadlock, strong]');
  });

  test('[S1-7] [N-29] beside a pool that cannot be parsed, nothing found is not nothing that blocks', async () => {
    world.labelSecondNode();
    await addUnparsedPool('infra');

    const worker = await run('--pool', 'worker');
    const master = await run('--pool', 'master');
    const [asJson] = JSON.parse((await run('--pool', 'worker', '--output', 'json')).text);

    expect(worker.status).toBe(1);
    expect(worker.text).toContain('Pool worker: what blocks its drains is not known.\n');
    expect(worker.text).not.toContain('nothing was found');
    expect(asJson.unsure[0]).toContain('which nodes are those of pool infra');
    expect(master.text).not.toContain('infra');
  });

  test('[S1-7] [N-29] a node that cannot be parsed is named, and not left out', async () => {
    world.openshift.registry.modify(
      nodes,
      { name: 'worker-2', namespace: '' },
      ({ metadata }) => {
        Object.assign(metadata.annotations ?? {}, { 'machineconfiguration.openshift.io/currentConfig': 7 });
      },
      { manager: 'kubelet' },
    );

    const { status, text } = await run('--pool', 'worker');

    expect(status).toBe(1);
    expect(text).toContain('Pool worker: what blocks its drains is not known.\n  Not known: node worker-2: ');
  });

  test('refuses a pool that is not there, and names those that are', async () => {
    await expect(run('--pool', 'gpu')).rejects.toThrow('--pool: there is no pool gpu; the cluster has master, worker');
  });
});
