import { expect, test } from 'vitest';
import type { Application, ManagedResource, Operation } from '../../../../functions/core/argocd/application.ts';
import { decide } from '../../../../functions/core/holds/decide.ts';
import { machineConfigGroup } from '../../../../functions/core/openshift/rendered-kinds.ts';
import { aHold, aMachineConfig, anApplication, anOperation, aPool, aRecord } from '../../../fakes/index.ts';
import { aSnapshot } from './a-snapshot.ts';

const now = new Date('2026-03-02T10:00:00Z');
const commit = 'a'.repeat(40);

/** How often anything is looked at of what an Application lists, when `pools` pools decide about it. */
function readsOf(
  rows: number,
  pools: number,
  applicationOf: (rows: readonly ManagedResource[]) => Partial<Application>,
) {
  let reads = 0;
  const listed = Array.from({ length: rows }, (_, index) => ({
    group: machineConfigGroup,
    get kind() {
      reads += 1;
      return 'MachineConfig';
    },
    namespace: '',
    name: `99-tenant-${index}`,
    status: 'OutOfSync',
  }));
  const application = anApplication({ ...applicationOf(listed) });
  const names = Array.from({ length: pools }, (_, index) => `pool-${index}`);
  const target = { ...aPool().target, name: 'rendered-next' };
  const held = names.map((name) => aPool({ name, paused: true, target }));
  decide(aSnapshot({ pools: held, applications: [{ kind: 'seen', application }] }), now);
  return reads;
}

const running = { phase: 'Running', startedAt: '2026-03-02T09:59:50Z', finishedAt: undefined } as const;
const sync: Application['sync'] = { status: 'OutOfSync', revisions: [commit] };
const operationOf = (change: Partial<Operation>) => anOperation({ ...running, revisions: [commit], ...change });
const refused =
  "ValidatingAdmissionPolicy 'pause-first' with binding 'b' denied request: pool pool-1 is not paused yet: x";

const shapes: readonly (readonly [string, (rows: readonly ManagedResource[]) => Partial<Application>])[] = [
  ['rests', (resources) => ({ resources, sync })],
  ['syncs', (resources) => ({ resources, sync, operation: operationOf({ results: [] }) })],
  [
    'syncs and has reported all of it',
    (resources) => ({
      resources: resources.slice(resources.length / 2),
      sync,
      operation: operationOf({ results: resources.map((each) => Object.assign(each, { message: 'x', hookType: '' })) }),
    }),
  ],
  [
    'was refused',
    (resources) => ({
      resources,
      sync,
      operation: operationOf({
        phase: 'Failed',
        finishedAt: '2026-03-02T09:59:55Z',
        results: resources.map((each) => Object.assign(each, { status: 'SyncFailed', message: refused, hookType: '' })),
      }),
    }),
  ],
];

/** Once for each pool, and some ten times besides. */
const readsOfOne = 30;

test.each(shapes)(
  '[N-30] an Application that %s takes no more time than what it lists, however many pools there are',
  (_, applicationOf) => {
    expect(readsOf(1_000, 2, applicationOf)).toBeLessThanOrEqual(readsOfOne * 1_000);
    expect(readsOf(1_000, 20, applicationOf)).toBeLessThanOrEqual(readsOfOne * 1_000);
  },
);

test('[N-30] ids of holds are compared no more often for each of many Applications that want a full record', () => {
  const reads = (applications: number) => {
    let ids = 0;
    const holds = Array.from({ length: 200 }, (_, index) => ({
      ...aHold({}),
      get id() {
        ids += 1;
        return `sync/hub/team-a/held-${index}`;
      },
    }));
    const record = { kind: 'record', record: aRecord({ holds }) } as const;
    const pools = Array.from({ length: 5 }, (_, index) => aPool({ name: `pool-${index}`, paused: true, record }));
    const wanting = Array.from({ length: applications }, (_, index) => ({
      kind: 'seen' as const,
      application: anApplication({
        name: `wants-${index}`,
        uid: `wants-${index}`,
        resources: [
          { group: machineConfigGroup, kind: 'KubeletConfig', namespace: '', name: 'all', status: 'OutOfSync' },
        ],
        operation: operationOf({ results: [] }),
      }),
    }));
    decide(aSnapshot({ pools, applications: wanting }), now);
    return ids;
  };

  const [few, many] = [reads(20), reads(220)];

  expect((many - few) / 200).toBeLessThan(200);
});

/** How often anything is looked at of what a new Application is to write, when `pools` pools decide about it. */
function readsOfNew(rows: number, pools: number): number {
  let reads = 0;
  const manifests = Array.from({ length: rows }, (_, index) => ({
    files: ['new/x.yaml'],
    before: undefined,
    get after() {
      reads += 1;
      return {
        group: machineConfigGroup,
        kind: 'MachineConfig',
        namespace: '',
        name: `99-tenant-${index}`,
        labels: aMachineConfig().labels,
        annotations: {},
        body: {},
      };
    },
  }));
  const names = Array.from({ length: pools }, (_, index) => `pool-${index}`);
  const expected = {
    id: 'sync/hub/openshift-gitops/new',
    ref: { argocd: 'hub', namespace: 'openshift-gitops', name: 'new' },
    cluster: 'prod',
    push: { at: now.toISOString(), revision: undefined },
    change: { to: commit, manifests, unknown: [] },
  };
  const plans = decide(aSnapshot({ pools: names.map((name) => aPool({ name })), expected: [expected] }), now);
  expect(plans.map(({ action }) => action.kind)).toEqual(names.map(() => 'pause'));
  return reads;
}

test('[N-1] [N-30] what a push has a new Application write is not gone through anew for each pool', () => {
  expect(readsOfNew(100, 20)).toBeLessThan(20 * readsOfNew(100, 1));
});
