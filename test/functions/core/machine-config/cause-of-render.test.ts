import { describe, expect, test } from 'vitest';
import {
  causeOfRender,
  type Managed,
  type RenderSource,
} from '../../../../functions/core/machine-config/cause-of-render.ts';
import { machineConfig, type Saying } from './builders.ts';

const generatedBy = 'machineconfiguration.openshift.io/generated-by-controller-version';
const group = 'machineconfiguration.openshift.io';

const nodes: Managed = {
  application: 'nodes',
  revisions: ['c0ffee'],
  resources: [
    { group, kind: 'MachineConfig', name: '50-chrony' },
    { group, kind: 'KubeletConfig', name: 'big-nodes' },
  ],
};

function source(name: string, change: Partial<RenderSource> = {}): RenderSource {
  const isMade = /^(?:0[01]-|9[789]-.*generated)/.test(name);
  return { name, annotations: isMade ? { [generatedBy]: 'v1' } : {}, resourceVersion: '1', owners: [], ...change };
}

function template(saying: Saying, resourceVersion: string): RenderSource {
  const content = machineConfig('00-worker', { ...saying, annotations: { [generatedBy]: 'v1' } });
  return { ...source('00-worker'), resourceVersion, content };
}

const quiet = [source('00-worker'), source('50-chrony')];

function kinds(before: readonly RenderSource[], after: readonly RenderSource[]) {
  return causeOfRender(before, after, [nodes]).map(({ kind }) => kind);
}

describe('the cause of a render', () => {
  test('[S3-14] is the commit of the Application that manages the MachineConfig which changed', () => {
    const causes = causeOfRender(quiet, [source('00-worker'), source('50-chrony', { resourceVersion: '2' })], [nodes]);

    expect(causes).toEqual([
      {
        kind: 'git',
        sources: ['50-chrony'],
        why: 'MachineConfig 50-chrony of Application nodes, synced to c0ffee',
        by: { application: 'nodes', revision: 'c0ffee' },
      },
    ]);
  });

  describe('of which Argo CD says by its mark that nodes has written it', () => {
    const marked = (resourceVersion: string) =>
      source('50-chrony', {
        resourceVersion,
        annotations: { 'argocd.argoproj.io/tracking-id': `nodes:${group}/MachineConfig:default/50-chrony` },
      });
    const [own, theirs] = ['argocd/nodes', 'team/nodes'].map((application) => ({ ...nodes, application }));
    const idle = { resources: [] };

    test.each<[string, readonly (Partial<Managed> | undefined)[], string]>([
      ['the one at home', [theirs, { ...own, isAtHome: true }], 'of Application argocd/nodes, synced to c0ffee'],
      ['the only one that is known', [theirs], 'of Application team/nodes, synced to c0ffee'],
      ['either', [theirs, own], ', which Applications team/nodes and argocd/nodes both claim'],
      [
        'another than who claims it',
        [theirs, { ...own, ...idle }],
        ', which Applications team/nodes and nodes both claim',
      ],
      [
        'another than a namesake who claims it',
        [{ ...theirs, isAtHome: false }],
        ', which Applications team/nodes and nodes both claim',
      ],
    ])('[S3-14] [N-30] is the change of %s', (_, managed, why) => {
      const all = managed.map((each) => ({ ...nodes, ...each }));

      const causes = causeOfRender([marked('1')], [marked('2')], all);

      expect(causes).toMatchObject([{ why: `MachineConfig 50-chrony${why.startsWith(',') ? '' : ' '}${why}` }]);
    });
  });

  test('[S3-14] is no commit when nothing that an Application manages changed', () => {
    const causes = causeOfRender(quiet, [source('00-worker', { resourceVersion: '2' }), source('50-chrony')], [nodes]);

    expect(causes.map(({ kind, sources }) => [kind, sources])).toEqual([['template', ['00-worker']]]);
    expect(causeOfRender(quiet, quiet, [nodes])).toEqual([]);
  });

  test('[S3-14] a label or annotation that moves the resourceVersion is no cause, where the generation is known', () => {
    const before = [source('50-chrony', { uid: 'u', generation: 1 })];

    expect(kinds(before, [source('50-chrony', { uid: 'u', generation: 1, resourceVersion: '2' })])).toEqual([]);
    expect(kinds(before, [source('50-chrony', { uid: 'u', generation: 2, resourceVersion: '2' })])).toEqual(['git']);
    expect(kinds(before, [source('50-chrony', { uid: 'new', generation: 1, resourceVersion: '2' })])).toEqual(['git']);
  });

  test.each<readonly [string, Saying, Saying]>([
    [
      'pull-secret',
      { files: { '/var/lib/kubelet/config.json': 'a' } },
      { files: { '/var/lib/kubelet/config.json': 'b' } },
    ],
    ['certificates', { files: { '/etc/kubernetes/ca.crt': 'a' } }, { files: { '/etc/kubernetes/ca.crt': 'b' } }],
    ['certificates', {}, { files: { '/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt': 'b' } }],
    ['proxy', {}, { files: { '/etc/mco/proxy.env': 'b' } }],
    ['release-image', { spec: { osImageURL: 'a' } }, { spec: { osImageURL: 'b' } }],
    ['template', {}, { files: { '/etc/other': 'b', '/var/lib/kubelet/config.json': 'b' } }],
  ])('[S3-14] is told by what of a template moves: %s', (kind, before, after) => {
    expect(kinds([template(before, '1')], [template(after, '2')])).toEqual([kind]);
  });

  test('[S3-14] is the release when the operator that wrote it is another, also for what Git made it of', () => {
    const made = ['00-worker', '01-worker-kubelet', '99-worker-generated-kubelet'];
    const after = made.map((name) => source(name, { resourceVersion: '2', annotations: { [generatedBy]: 'v2' } }));

    expect(
      causeOfRender(
        made.map((name) => source(name)),
        after,
        [nodes],
      ),
    ).toMatchObject([{ kind: 'release-image', sources: made }]);
  });

  test.each([
    ['99-worker-generated-kubelet', [{ kind: 'KubeletConfig', name: 'big-nodes' }], 'git'],
    ['99-worker-generated-kubelet', [{ kind: 'KubeletConfig', name: 'by-hand' }], 'kubelet-config'],
    [
      '99-worker-generated-containerruntime-1',
      [{ kind: 'ContainerRuntimeConfig', name: 'x' }],
      'container-runtime-config',
    ],
    ['99-worker-generated-registries', [], 'registries'],
    ['98-worker-generated-kubelet', [], 'cluster-settings'],
    ['97-worker-generated-kubelet', [], 'cluster-settings'],
    ['50-nto-worker', [{ kind: 'Profile', name: 'worker' }], 'tuning'],
    ['50-performance-big', [{ kind: 'PerformanceProfile', name: 'big' }], 'tuning'],
    ['50-enable-sandboxed', [{ kind: 'KataConfig', name: 'k' }], 'another-operator'],
    ['70-unknown', [], 'unmanaged'],
  ])('[S3-14] is told by names and owners: %s %j is %s', (name, owners, kind) => {
    expect(kinds([source(name, { owners })], [source(name, { owners, resourceVersion: '2' })])).toEqual([kind]);
  });

  test('[S3-14] what came and went without an Application says that nobody is known', () => {
    expect(kinds([], [source('70-new')])).toEqual(['membership']);
    expect(kinds([source('70-old')], [])).toEqual(['membership']);
    expect(kinds([], [source('50-chrony')])).toEqual(['git']);
  });
});
