import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { preflight } from '../../../local/cli/preflight.ts';
import { machineConfigPools, nodes } from '../../../local/openshift/api-server/resource-types.ts';
import type { ReferenceWorld } from '../../../local/openshift/reference-world.ts';
import { startReferenceWorld } from '../openshift/start-reference-world.ts';
import { createVirtualClock } from '../openshift/virtual-clock.ts';

let world: ReferenceWorld;
let folder: string;
let kubeconfig: string;

beforeEach(async () => {
  const clock = createVirtualClock(new Date('2026-03-02T08:00:00Z'));
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

describe('npx poolkeeper preflight, over HTTP against a cluster at rest', () => {
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

  test('refuses a pool that is not there, and names those that are', async () => {
    await expect(run('--pool', 'gpu')).rejects.toThrow('--pool: there is no pool gpu; the cluster has master, worker');
  });
});
