import { describe, expect, test } from 'vitest';
import { manifestReader } from '../../../../functions/adapters/yaml/read-manifests.ts';
import type { Application, OperationResult } from '../../../../functions/core/argocd/application.ts';
import { changeOf } from '../../../../functions/core/impact/change-of.ts';
import { poolsAffectedBySync } from '../../../../functions/core/impact/pools-affected-by-sync.ts';
import type { Pool } from '../../../../functions/core/openshift/pool.ts';
import type { ChangedFile } from '../../../../functions/core/routing/changed-file.ts';
import { parseFiles } from '../../../../functions/core/routing/manifest-file.ts';
import type { ParsedFiles } from '../../../../functions/core/routing/parsed-files.ts';
import { notAsked } from '../../../../functions/core/text/observed.ts';
import { anApplication, anOperation } from '../../../fakes/builders.ts';
import { fc } from '../../../property.ts';
import { poolOfRoles } from './live.ts';

const commit = 'b'.repeat(40);
const group = 'machineconfiguration.openshift.io';
const waiting: Partial<Pool> = {
  paused: true,
  target: { name: 'rendered-worker-bbb', sources: ['99-worker-ssh'] },
};

/** An automated sync of the commit that Argo CD has compared, without a word yet of what it wrote. */
function syncing(change: Partial<Application> = {}): Application {
  const running = { phase: 'Running', finishedAt: undefined, revisions: [commit], results: [] } as const;
  return anApplication({
    sync: { status: 'Synced', revisions: [commit] },
    resources: [{ group, kind: 'MachineConfig', namespace: '', name: '99-worker-ssh', status: 'Synced' }],
    reconciledAt: '2026-03-02T10:00:05Z',
    operation: anOperation(running),
    ...change,
  });
}

/** The same sync, which says that it changed nothing. */
const leftUnchanged = anOperation({
  phase: 'Running',
  finishedAt: undefined,
  revisions: [commit],
  results: anOperation().results.map((each) => ({ ...each, message: `${group}/99-worker-ssh unchanged` })),
});

function affected(application: Application, pool: Partial<Pool>): readonly string[] {
  const pools = [poolOfRoles('worker', ['worker'], pool)];
  return poolsAffectedBySync(application, { pools, machineConfigs: [], choosers: notAsked }).pools;
}

describe('pools that a running sync affects', () => {
  test('[N-7] [S0-13] what waits for a paused pool may be what the sync has just written, until it says what it wrote', () => {
    const told = anOperation({ phase: 'Running', finishedAt: undefined, revisions: [commit] });

    expect(affected(syncing(), waiting)).toEqual(['worker']);
    expect(affected(syncing({ operation: told }), waiting)).toEqual(['worker']);
    expect(affected(syncing({ operation: leftUnchanged }), waiting)).toEqual([]);
  });

  test('[property] [N-7] [S0-13] that is so whatever it says of hooks and of other waves first', () => {
    const result = fc.record({
      group: fc.constantFrom('', 'batch', group),
      kind: fc.constantFrom('ConfigMap', 'Job', 'MachineConfig'),
      namespace: fc.constant(''),
      name: fc.constantFrom('98-worker-first', 'before', '99-worker-ssh'),
      status: fc.constantFrom('Synced', 'Pruned', ''),
      message: fc.constantFrom('created', 'unchanged', `${group}/98-worker-first unchanged`),
      hookType: fc.constantFrom('', 'PreSync', 'Sync'),
    });
    const isOfIt = ({ kind, name, hookType }: OperationResult) =>
      hookType === '' && kind === 'MachineConfig' && name === '99-worker-ssh';
    fc.assert(
      fc.property(fc.array(result, { maxLength: 4 }), (all) => {
        const results = all.filter((each) => !isOfIt(each));
        const { operation } = syncing();

        expect(affected(syncing({ operation: operation && { ...operation, results } }), waiting)).toEqual(['worker']);
      }),
    );
  });

  test('[N-7] [N-30] that is so whenever Argo CD last compared with Git: later looks at the cluster do not move that time', () => {
    for (const reconciledAt of [undefined, '2026-03-02T09:57:00Z', '2026-03-02T10:00:04Z', '2026-03-02T10:00:09Z'])
      expect([reconciledAt, affected(syncing({ reconciledAt }), waiting)]).toEqual([reconciledAt, ['worker']]);
  });

  test.each([
    ['no change waits for it', {}, { paused: true }],
    ['it is not paused', {}, { ...waiting, paused: false }],
    ['Argo CD says that the sync left it as it was', { operation: leftUnchanged }, waiting],
  ])('[N-30] what was in sync does not affect a pool if %s', (_, application, pool) => {
    expect(affected(syncing(application), pool)).toEqual([]);
  });
});

test('[S0-2] [N-14] a sync of a template that says its pool by a value affects what the Application manages', () => {
  const text = (argument: string) => `apiVersion: ${group}/v1
kind: MachineConfig
metadata: {name: "99-{{ .Values.role }}-ssh", labels: {${group}/role: "{{ .Values.role }}"}}
spec: {kernelArguments: [${argument}]}
`;
  const file: ChangedFile = {
    path: 'nodes/templates/a.yaml',
    before: { kind: 'text', text: text('1') },
    after: { kind: 'text', text: text('2') },
  };
  const read: ParsedFiles = {
    files: parseFiles([file], manifestReader()),
    tools: [{ folder: 'nodes', tool: 'helm' }],
    incomplete: undefined,
  };
  const source = { repoURL: '', path: 'nodes', targetRevision: '', chart: '' };
  const change = {
    ...changeOf({ sources: [source], generatePaths: undefined, concerned: [source] }, read),
    to: commit,
  };
  const application = syncing({
    operation: anOperation({ phase: 'Running', finishedAt: undefined, revisions: [commit] }),
  });
  const pools = [poolOfRoles('worker', ['worker'], waiting)];

  const live = { pools, machineConfigs: [], choosers: notAsked };
  expect(poolsAffectedBySync(application, live, { push: undefined, change }).pools).toEqual(['worker']);
});
