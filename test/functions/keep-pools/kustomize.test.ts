import { describe, expect, test } from 'vitest';
import { manifestReader } from '../../../functions/adapters/yaml/read-manifests.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import { aPool } from '../../fakes/index.ts';
import { commitB, type KeepLab, keepLab } from './keep-lab.ts';

const role = 'machineconfiguration.openshift.io/role';
const group = 'machineconfiguration.openshift.io';

function manifest(kind: string, metadata: object, spec: object): string {
  return JSON.stringify({ apiVersion: `${group}/v1`, kind, metadata, spec });
}

const sshOf = (mode: number, metadata: object = {}) =>
  manifest('MachineConfig', { name: '99-worker-ssh', labels: { [role]: 'worker' }, ...metadata }, { mode });
const podsOf = (maxPods: number) => manifest('KubeletConfig', { name: 'pods' }, { kubeletConfig: { maxPods } });

/** Pools worker, of which 99-worker-ssh is part, and gpu, which takes nothing of worker. */
function lab(): KeepLab {
  const made = keepLab();
  const bare = { name: 'rendered-gpu-aaa', sources: ['99-gpu-ssh'] };
  const selects = (name: string) => ({ matchLabels: { [role]: name } });
  made.world.pools.put(aPool({ machineConfigSelector: selects('worker') }));
  made.world.pools.put(
    aPool({ name: 'gpu', uid: 'uid-gpu', machineConfigSelector: selects('gpu'), target: bare, current: bare }),
  );
  return made;
}

/** Delivers a push that changes one file of a kustomization, whose Application manages these objects. */
async function pausedBy(before: string, after: string, ...managed: readonly string[]) {
  const at = lab();
  const resources = managed.map((each) => {
    const [kind = '', name = ''] = each.split('/');
    return { group, kind, namespace: '', name, status: 'Synced' };
  });
  at.world.argocd.change('nodes', { resources });
  const path = 'nodes/base/object.yaml';
  const text = (content: string) => ({ kind: 'text', text: content }) as const;
  const read = {
    files: [{ path, before: text(before), after: text(after) }],
    tools: [{ folder: 'nodes', tool: 'kustomize' as const, uses: [] }],
    incomplete: undefined,
  };

  await keep(at.pushOf(commitB, { files: { kind: 'known', paths: [path] } }), {
    ...at.ports,
    changes: { repositories: { readChange: async () => read }, manifestReader },
  });
  return ['worker', 'gpu'].filter((name) => at.pool(name).paused);
}

describe('[S0-3] [N-30] a push to what Kustomize builds from', () => {
  test('[N-1] pauses the pool of an object that is applied as it stands, and no other pool of its Application', async () => {
    const paused = await pausedBy(sshOf(1), sshOf(2), 'MachineConfig/99-worker-ssh', 'MachineConfig/99-gpu-ssh');

    expect(paused).toEqual(['worker']);
  });

  test.each([
    ['gets a prefix for its name', sshOf(1, { name: 'ssh', labels: {} }), sshOf(2, { name: 'ssh', labels: {} })],
    ['is given another role', sshOf(1, { labels: { [role]: 'infra' } }), sshOf(2, { labels: { [role]: 'infra' } })],
    ['is a patch without labels', sshOf(1, { labels: {} }), sshOf(2, { labels: {} })],
  ])('pauses for a MachineConfig that %s', async (_, before, after) => {
    const paused = await pausedBy(before, after, 'MachineConfig/99-worker-ssh');

    expect(paused).toEqual(['worker']);
  });

  test('pauses for a KubeletConfig that is a patch, and names no pool', async () => {
    const paused = await pausedBy(podsOf(100), podsOf(500), 'KubeletConfig/pods');

    expect(paused).toContain('worker');
  });

  test.each([
    ['takes values from', 'v1', 'ConfigMap', { 'config.kubernetes.io/local-config': 'true' }],
    ['changes others by', 'builtin', 'PatchTransformer', {}],
  ])('pauses for an object that it %s, and never applies', async (_, apiVersion, kind, annotations) => {
    const text = (value: string) =>
      `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: ${JSON.stringify({ name: 'a', annotations })}\ndata: {a: ${value}}\n`;

    const paused = await pausedBy(text('before'), text('after'), 'MachineConfig/99-worker-ssh');

    expect(paused).toEqual(['worker']);
  });

  test('[S0-2] pauses for no other object', async () => {
    const text = (value: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: ${value}}\n`;

    const paused = await pausedBy(text('before'), text('after'), 'MachineConfig/99-worker-ssh');

    expect(paused).toEqual([]);
  });

  test('pauses for an object that is new in a file, by whatever name and for whatever pool', async () => {
    const two = `${sshOf(1)}\n---\n${sshOf(1, { name: 'ssh', labels: {} })}`;

    const paused = await pausedBy(sshOf(1), two, 'MachineConfig/99-worker-ssh', 'MachineConfig/99-gpu-ssh');

    expect(paused).toEqual(['worker', 'gpu']);
  });
});
