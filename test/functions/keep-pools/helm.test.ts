import { describe, expect, test } from 'vitest';
import { manifestReader } from '../../../functions/adapters/yaml/read-manifests.ts';
import type { FilesRead } from '../../../functions/core/routing/changed-file.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import { anApplication, aPool } from '../../fakes/index.ts';
import { guardLab } from './guard-lab.ts';
import { commitA, commitB, type KeepLab, keepLab } from './keep-lab.ts';

const group = 'machineconfiguration.openshift.io';
const path = 'nodes/templates/a.yaml';

function push(lab: KeepLab, before: string, after: string): Promise<void> {
  const file = { path, before: { kind: 'text', text: before }, after: { kind: 'text', text: after } } as const;
  const read: FilesRead = { files: [file], tools: [{ folder: 'nodes', tool: 'helm' }], incomplete: undefined };
  return keep(lab.pushOf(commitB, { before: commitA, files: { kind: 'known', paths: [path] } }), {
    ...lab.ports,
    changes: { repositories: { readChange: async () => read }, manifestReader },
  });
}

const config = (role: string, argument: string) => `apiVersion: ${group}/v1
kind: MachineConfig
metadata:
  name: 99-${role}-ssh
  labels:
    ${group}/role: "${role}"
spec:
  kernelArguments: [${argument}]
`;
const kubelet = (maxPods: string) => `apiVersion: ${group}/v1
kind: KubeletConfig
metadata: {name: max-pods}
spec:
  machineConfigPoolSelector:
    matchLabels:
      pools.operator.machineconfiguration.openshift.io/{{ .Values.pool }}: ""
  kubeletConfig: {maxPods: ${maxPods}}
`;
const byValue = (argument: string) => config('{{ .Values.role }}', argument);

describe('a push to a chart that says its pools by values', () => {
  test.each([
    ['by the role of a MachineConfig', 'MachineConfig/99-worker-ssh', byValue],
    ['by the selector of a KubeletConfig', 'KubeletConfig/max-pods', kubelet],
  ])('[S0-2] [N-14] pauses those of what its Application manages: %s', async (_, managed, text) => {
    const lab = keepLab();
    const machineConfigSelector = { matchLabels: { [`${group}/role`]: 'worker' } };
    lab.world.pools.put(aPool({ machineConfigSelector }));
    const [kind = '', name = ''] = managed.split('/');
    lab.world.argocd.change('nodes', { resources: [{ group, kind, namespace: '', name, status: 'Synced' }] });

    await push(lab, text('1'), text('2'));

    expect(lab.pool('worker').paused).toBe(true);
  });

  test('[N-6] [N-14] does not open its guard before they are paused', async () => {
    const lab = guardLab();
    const resources = anApplication().resources.map((each) => ({ ...each, status: 'Synced' }) as const);
    lab.world.argocd.change('nodes', { sync: { status: 'Synced', revisions: [commitA] }, resources });
    await lab.tick();

    await push(lab, byValue('1'), byValue('2'));
    await lab.pass(15);
    const before = [lab.isClosed(), lab.looks(commitB)];
    lab.confirms('worker');
    await lab.pass(15);

    expect([lab.pool('worker').paused, before, lab.isClosed()]).toEqual([true, [true, false], false]);
    expect(lab.guard()?.open?.harmless).toBeUndefined();
  });
});
