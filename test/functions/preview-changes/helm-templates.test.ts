import { describe, expect, test } from 'vitest';
import type { ToolFolder } from '../../../functions/core/routing/changed-file.ts';
import { filesOf, liveConfig, nodesApplication, predict } from './pull-world.ts';

const group = 'machineconfiguration.openshift.io';
const own = `apiVersion: ${group}/v1\nkind:`;
const poolLabel = 'pools.operator.machineconfiguration.openshift.io';

/** Of an Application that manages one object, which the cluster has under the name that Helm gives it. */
async function told(
  managed: string,
  path: string,
  [before, after]: readonly [string, string],
  tool: ToolFolder['tool'] = 'helm',
) {
  const [kind = '', name = ''] = managed.split('/');
  const resources = [{ group, kind, namespace: '', name, status: 'Synced' }];
  const file = { path, before: { kind: 'text', text: before }, after: { kind: 'text', text: after } } as const;
  const { status } = await predict({
    applications: [{ ...nodesApplication, resources }],
    pool: { labels: { [`${poolLabel}/worker`]: '' } },
    machineConfigs: [liveConfig('99-worker-chrony', ['/etc/a.conf', '/etc/b.conf'], 'x\n')],
    files: { files: [file], tools: [{ folder: 'nodes', tool, uses: [] }], incomplete: undefined },
  });
  return status;
}

const both = (make: (n: number) => string) => [make(1), make(2)] as const;
const config = both(
  (n) => `${own} MachineConfig
metadata:
  name: 99-{{ .Values.role }}-chrony
  labels:
    ${group}/role: "{{ .Values.role }}"
spec:
  kernelArguments: [hugepages=${n}]
`,
);
const kubelet = both(
  (n) => `${own} KubeletConfig
metadata:
  name: kubelet-{{ .Values.pool }}
spec:
  machineConfigPoolSelector:
    matchLabels:
      ${poolLabel}/{{ .Values.pool }}: ""
  kubeletConfig: {maxPods: ${n}}
`,
);
const layered = both(
  (n) => `${own} MachineOSConfig
metadata: {name: "layered-{{ .Values.pool }}"}
spec:
  machineConfigPool: {name: "{{ .Values.pool }}"}
  containerFile: [{content: FROM configs AS final ${n}}]
`,
);
const pool = both(
  (n) => `${own} MachineConfigPool
metadata:
  name: pool-{{ .Values.pool }}
spec:
  machineConfigSelector: {matchLabels: {${group}/role: r${n}}}
`,
);
const kindOfValues = both(
  (n) => `apiVersion: "{{ .Values.api }}"\nkind: "{{ .Values.kind }}"\nmetadata:\n  name: a\nspec: {x: ${n}}\n`,
);
const eitherKind = both(
  (n) =>
    `{{- if .Values.web }}\nkind: Deployment\n{{- else }}\nkind: {{ .Values.kind }}\n{{- end }}\napiVersion: apps/v1\nmetadata:\n  name: a\nspec: {x: ${n}}\n`,
);
const carrying = both(
  (n) => `apiVersion: policy.open-cluster-management.io/v1
kind: Policy
metadata:
  name: a
spec:
  object:
    {{- toYaml .Values.object | nindent 4 }}
    spec: {kernelArguments: [a=${n}]}
`,
);
const ofPackage = both(
  (n) =>
    `apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata:\n  name: {{ .Values.a }}\nspec: {channel: "${n}"}\n`,
);

describe('a template of Helm that changes beside what its values give', () => {
  test.each([
    ['a MachineConfig with its role', 'MachineConfig/99-worker-chrony', config],
    ['a KubeletConfig with its pool', 'KubeletConfig/kubelet-worker', kubelet],
    ['a MachineOSConfig with its pool', 'MachineOSConfig/layered-worker', layered],
    ['a pool with its name', 'MachineConfigPool/pool-worker', pool],
    ['an object with its kind', 'MachineConfig/99-worker-chrony', kindOfValues],
    ['an object with one of two kinds', 'MachineConfig/99-worker-chrony', eitherKind],
    ['an object in another', 'MachineConfig/99-worker-chrony', carrying],
    ['a Subscription with its package', 'MachineConfig/99-worker-chrony', ofPackage],
  ])('[N-14] [N-30] is never calm: %s', async (_, managed, texts) => {
    expect(await told(managed, 'nodes/templates/a.yaml', texts)).toMatch(/^May reboot/);
  });

  test('[N-14] nor where it is in a folder crds of the templates, or in a chart that Kustomize has rendered', async () => {
    const managed = 'MachineConfig/99-worker-chrony';

    expect(await told(managed, 'nodes/templates/crds/a.yaml', config)).toMatch(/^May reboot/);
    expect(await told('MachineConfigPool/pool-worker', 'nodes/charts/a/templates/a.yaml', pool, 'kustomize')).toMatch(
      /^May reboot/,
    );
  });

  test('[N-14] a file that a MachineConfig loses is not the one of another, as its name in Git is not that of the cluster', async () => {
    const having = (...paths: readonly string[]) =>
      JSON.stringify({
        apiVersion: `${group}/v1`,
        kind: 'MachineConfig',
        metadata: { name: '99-worker-{{ .Chart.Name }}', labels: { [`${group}/role`]: 'worker' } },
        spec: filesOf(paths.map((path) => ({ path, text: 'x\n' }))),
      });
    const texts = [having('/etc/a.conf', '/etc/b.conf'), having('/etc/a.conf')] as const;

    expect(await told('MachineConfig/99-worker-chrony', 'nodes/templates/a.yaml', texts)).toMatch(
      /^May reboot 3 nodes/,
    );
  });
});
