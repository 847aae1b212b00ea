import { overrunBy } from '../../../../functions/core/budget/limits.ts';
import { Approve } from '../../../../functions/core/configuration/approve.ts';
import { defaultPoolSettings } from '../../../../functions/core/configuration/cluster.ts';
import { Ticket } from '../../../../functions/core/configuration/ticket.ts';
import { Window } from '../../../../functions/core/configuration/window.ts';
import { askGates } from '../../../../functions/core/gates/ask-gates.ts';
import { noEvidence } from '../../../../functions/core/gates/evidence.ts';
import type { GateQuestion } from '../../../../functions/core/gates/gate.ts';
import type { GateView } from '../../../../functions/core/gates/gate-view.ts';
import { gates } from '../../../../functions/core/gates/index.ts';
import type { ImageBuild } from '../../../../functions/core/openshift/image-build.ts';
import { seen, unreadable } from '../../../../functions/core/text/observed.ts';
import { aCondition, aHold, anImageBuild, anImageConfig, aPool, noImages } from '../../../fakes/index.ts';
import { aGateQuestion } from './a-gate-question.ts';

/** The time of every question. */
export const now = new Date('2026-03-02T10:10:00Z');
const pool = aPool({ paused: true });
const lower = aPool({ name: 'infra', target: { name: 'rendered-infra-2', sources: [] } });
const heldForSync = aPool({
  name: 'infra',
  paused: true,
  record: { kind: 'record', record: { v: 1, pause: 'ours', holds: [aHold({ kind: 'sync', phase: 'syncing' })] } },
});
const sick = aPool({
  name: 'infra',
  target: { name: 'rendered-infra-2', sources: [] },
  conditions: [aCondition({ type: 'NodeDegraded', status: 'True', message: 'Node infra-1 is ...' })],
  record: {
    kind: 'record',
    record: { v: 1, holds: [], last: { did: 'resumed', at: '2026-03-02T10:00:00Z', why: '' } },
  },
});
const settingsOf = (name: string) => ({ ...defaultPoolSettings, wave: name === 'infra' ? 0 : 1 });
const guarded = () => ({ ...defaultPoolSettings, protection: 'guard' as const });
const release = {
  since: '2026-03-02T10:00:00Z',
  finishedAt: '2026-03-02T10:00:00Z',
  machineConfigs: ['99-a'],
  why: '',
};
const pending = aPool({ paused: true, target: { name: 'rendered-worker-2', sources: [] } });

const ticketed = { ...defaultPoolSettings, ticket: Ticket.parse({ url: 'https://itsm.example.com' }) };
const approved = {
  ...defaultPoolSettings,
  approve: Approve.parse({ by: ['slack:U0000ALICE github:alice'], excludePusher: true }),
};
/** A minute before the only window closes. */
const almostClosed = {
  pool: { ...pending, counts: { ...pending.counts, updated: 0 } },
  windows: [Window.parse({ kind: 'allow', from: '2026-01-01', to: '2026-03-02T10:11' })],
};
const byAddress = Window.parse({ kind: 'deny', calendarFrom: { url: 'https://calendar.example.com/a.ics' } });
const place = { cluster: 'prod', pool: 'worker', nodes: 2, since: now.toISOString(), until: '2027-01-01T00:00:00Z' };
const taken = { version: 1, taken: [{ ...place, cluster: 'edge' }], nodes: { edge: 10 } };
const overruns = [{ pools: 1 }, { clusters: 1 }, { nodes: '10%' }, { nodes: '20%' }]
  .map((fleet) => overrunBy(place, taken, { fleet }))
  .filter((overrun) => overrun !== undefined);

const degraded = aPool({ paused: true, conditions: [aCondition({ type: 'NodeDegraded', status: 'True' })] });
const imagesOf = (config = anImageConfig(), ...builds: readonly ImageBuild[]) => ({
  ...noEvidence,
  images: seen({ kind: 'listed' as const, configs: [config], builds, unreadable: [], isServed: true }),
});

const poolStep = { sequence: 'virt', id: 'worker@prod' };

/** Every way in which each gate is closed. A new gate needs an entry. */
export const waysToClose: Readonly<Record<string, readonly Partial<GateQuestion>[]>> = {
  'keep-paused': [{ pool: aPool({ paused: true, annotations: { 'poolkeeper.dev/keep-paused': '' } }) }],
  approval: [
    { pool: pending, settings: approved },
    { pool: pending, settings: approved, evidence: { ...noEvidence, approvals: unreadable('the table is down') } },
    { pool: pending, settings: approved, evidence: { ...noEvidence, approvals: seen([]), images: noImages } },
    {
      pool: pending,
      settings: {
        ...approved,
        approve: Approve.parse({ by: ['slack:U0000ALICE', 'slack:U00000BOB'] }),
      },
      evidence: { ...noEvidence, approvals: seen([]), images: noImages },
    },
    { pool: pending, settings: approved, evidence: { ...noEvidence, approvals: seen([]) } },
    {
      pool: pending,
      settings: approved,
      evidence: { ...noEvidence, approvals: seen([]), images: unreadable('no answer in time') },
    },
    {
      pool: pending,
      settings: approved,
      evidence: {
        ...noEvidence,
        approvals: seen([]),
        images: seen({ kind: 'listed', configs: [anImageConfig()], builds: [], unreadable: [], isServed: true }),
      },
    },
    {
      pool: pending,
      settings: approved,
      release: { ...release, pushers: ['alice'] },
      evidence: { ...noEvidence, approvals: seen([]), images: noImages },
    },
    { pool: pending, release: { ...release, afterFailed: ['sync/hub/openshift-gitops/nodes'] } },
  ],
  ticket: [
    { pool: pending, settings: ticketed },
    { pool: pending, settings: ticketed, evidence: { ...noEvidence, ticket: unreadable('no answer in time') } },
    { pool: pending, settings: ticketed, evidence: { ...noEvidence, ticket: seen({ status: 404, value: undefined }) } },
  ],
  window: [
    { windows: [Window.parse({ kind: 'allow', schedule: '0 22 * * 2', durationSeconds: 3600 })] },
    { windows: [Window.parse({ kind: 'deny', from: '2026-01-01', to: '2027-01-01' })] },
    { windows: [Window.parse({ kind: 'allow', from: '2020-01-01', to: '2020-01-02' })] },
    { windows: [Window.parse({ kind: 'deny', ics: 'no calendar' })] },
    { windows: [byAddress] },
    { windows: [{ ...byAddress, kept: { fault: 'it has not been read yet' } }] },
  ],
  rendered: [
    { release: { ...release, finishedAt: now.toISOString(), machineConfigs: [] } },
    { release, machineConfigs: [{ name: '99-a', labels: { 'machineconfiguration.openshift.io/role': 'worker' } }] },
    { release, unreadMachineConfigs: new Map([['99-a', 'no answer in time']]) },
    {
      pool: aPool({ paused: true, conditions: [aCondition({ type: 'RenderDegraded', status: 'True', message: '' })] }),
    },
  ],
  image: [
    { evidence: noEvidence },
    { evidence: { ...noEvidence, images: unreadable('API down') } },
    { evidence: imagesOf() },
    { pool: degraded, evidence: imagesOf() },
    { evidence: imagesOf(anImageConfig(), anImageBuild({ state: 'under-way' })) },
    { evidence: imagesOf(anImageConfig(), anImageBuild({ endedAt: '2026-03-02T10:09:50Z' })) },
    ...(['change', 'rebuild'] as const).map((what) => ({
      evidence: imagesOf(anImageConfig({ asked: { what, at: '2026-03-02T10:09:00Z' } }), anImageBuild()),
    })),
  ],
  quiet: [
    { evidence: noEvidence },
    { evidence: { ...noEvidence, controllers: unreadable('API down') } },
    { evidence: { ...noEvidence, controllers: seen([{ argocd: 'hub', pools: ['worker'], syncing: ['a/b'] }]) } },
    {
      pool: pending,
      unclearSyncs: [{ name: 'a/b', begunAt: undefined }],
      evidence: { ...noEvidence, controllers: seen([]) },
    },
    {
      pool: pending,
      unclearSyncs: ['a/b', 'a/c'].map((name) => ({ name, begunAt: undefined })),
      evidence: { ...noEvidence, controllers: seen([]) },
    },
  ],
  wave: [
    { pools: [pool, lower], settingsOf, settings: settingsOf('worker') },
    { pools: [pool, { ...lower, paused: true }], settingsOf, settings: settingsOf('worker') },
    { pools: [pool, heldForSync], settingsOf, settings: settingsOf('worker') },
    { unreadablePools: [{ name: 'infra', isResumed: false }], settingsOf, settings: settingsOf('worker') },
  ],
  health: [{ pools: [pool, sick] }, { unreadablePools: [{ name: 'infra', isResumed: true }] }],
  drainable: [
    { pool: pending, settings: { ...defaultPoolSettings, drainable: 'block' } },
    {
      pool: pending,
      settings: { ...defaultPoolSettings, drainable: 'block' },
      evidence: { ...noEvidence, drains: unreadable('API down') },
    },
  ],
  fit: (['part', 'wait'] as const).flatMap((overrun) =>
    [noEvidence, { ...noEvidence, pace: seen(undefined) }].map((evidence) => ({
      ...almostClosed,
      evidence,
      settings: { ...defaultPoolSettings, overrun },
    })),
  ),
  guard: [
    { settingsOf: guarded },
    { settingsOf: guarded, evidence: { ...noEvidence, openGuards: unreadable('API down') } },
    {
      settingsOf: guarded,
      evidence: { ...noEvidence, openGuards: seen([{ argocd: 'hub', application: 'openshift-gitops/nodes' }]) },
    },
    {
      settingsOf: guarded,
      pool: aPool({ paused: true, record: { kind: 'record', record: { v: 1, holds: [aHold()] } } }),
    },
  ],
  rest: [{ settings: { ...defaultPoolSettings, protection: 'rest' } }],
  upgrade: [
    { pool: pending },
    { pool: pending, evidence: { ...noEvidence, versionUpdate: unreadable('API down') } },
    {
      pool: pending,
      evidence: {
        ...noEvidence,
        versionUpdate: seen({
          kind: 'under way' as const,
          update: { from: undefined, to: '4.18.1', since: undefined, operatorAt: undefined },
        }),
      },
    },
  ],
  sequence: [
    { pool: pending, step: poolStep },
    { pool: pending, step: poolStep, evidence: { ...noEvidence, turn: unreadable('API down') } },
    {
      pool: pending,
      step: poolStep,
      evidence: { ...noEvidence, turn: seen({ mayGo: false, why: 'paused by anna: known', waitsFor: [] }) },
    },
    {
      pool: pending,
      step: poolStep,
      evidence: {
        ...noEvidence,
        turn: seen({ mayGo: false, why: 'wave 5 is not healthy', waitsFor: ['storage@prod'] }),
      },
    },
  ],
  canary: [
    { pool: pending, canaryOf: 'upgrade' },
    { pool: pending, canaryOf: 'upgrade', evidence: { ...noEvidence, guests: unreadable('API down') } },
    {
      pool: pending,
      canaryOf: 'upgrade',
      evidence: {
        ...noEvidence,
        guests: seen([
          { pool: 'worker', nodes: ['worker-0', 'worker-1'], why: 'gate window: no allow window is open' },
          { pool: 'infra', nodes: ['infra-0'], why: 'quarter end' },
        ]),
      },
    },
  ],
  budget: [
    { pool: pending, budget: {} },
    { pool: pending, budget: {}, evidence: { ...noEvidence, place: unreadable('table down') } },
    ...overruns.map((overrun) => ({
      pool: pending,
      budget: {},
      evidence: { ...noEvidence, place: seen({ kind: 'full' as const, overrun }) },
    })),
  ],
};

export function closedBy(change: Partial<GateQuestion>) {
  return askGates(gates, aGateQuestion({ pool, now, ...change })).closed;
}

/** Every gate in every way in which it is closed. */
export function everyClosedGate(): readonly GateView[] {
  return Object.entries(waysToClose).flatMap(([gate, ways]) =>
    ways.flatMap((way) => closedBy(way).filter((view) => view.gate === gate)),
  );
}
