import { describe, expect, test } from 'vitest';
import type { Operation } from '../../../../functions/core/argocd/application.ts';
import { Approve } from '../../../../functions/core/configuration/approve.ts';
import { defaultPoolSettings } from '../../../../functions/core/configuration/cluster.ts';
import { Window } from '../../../../functions/core/configuration/window.ts';
import { noEvidence } from '../../../../functions/core/gates/evidence.ts';
import { decide } from '../../../../functions/core/holds/decide.ts';
import type { PoolPlan } from '../../../../functions/core/holds/plan.ts';
import type { Snapshot } from '../../../../functions/core/holds/snapshot.ts';
import type { Hold } from '../../../../functions/core/openshift/hold.ts';
import type { Pool } from '../../../../functions/core/openshift/pool.ts';
import { PoolRecord, recordIn } from '../../../../functions/core/openshift/pool-record.ts';
import { seen } from '../../../../functions/core/text/observed.ts';
import { aCondition, aMachineConfig, anApplication, anOperation, aPool, noImages } from '../../../fakes/index.ts';
import { fc } from '../../../property.ts';
import { aSnapshot } from './a-snapshot.ts';

const now = new Date('2026-03-02T12:00:00.000Z');
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000).toISOString();
const second = (seconds: number) => ago(seconds).replace('.000Z', 'Z');

const target = { name: 'rendered-worker-2', sources: ['00-worker', '99-worker-ssh'] };
const rolling = {
  target,
  counts: { machines: 3, updated: 1, ready: 2, unavailable: 1, degraded: 0 },
  conditions: [aCondition({ type: 'Updated', status: 'False' })],
};
const shut = [Window.parse({ kind: 'allow', schedule: '0 22 * * *', durationSeconds: 3600, timeZone: 'UTC' })];
const approved = { ...defaultPoolSettings, approve: Approve.parse({ by: ['slack:U0000ALICE'], needed: 1 }) };
const release = { since: ago(60), finishedAt: ago(60), machineConfigs: ['99-new'], why: 'Argo CD synced team/nodes' };
const resumed = { did: 'resumed' as const, at: ago(300), why: 'Argo CD synced team/nodes' };
const lane = { who: 'carl', why: 'CVE', since: ago(200), until: ago(-3600) };

/** What was done to the pool last. */
const lasts: Readonly<Record<string, NonNullable<PoolRecord['last']>>> = {
  'was let go by its gates': { ...resumed, target: target.name, asked: target.name, pushers: ['alice'] },
  'was let go for what is rendered late': { ...resumed, asked: 'rendered-worker-1' },
  'takes nodes back': { ...resumed, takesBack: 'rendered-worker-1' },
  'was let go in its turn': { did: 'left', at: ago(300), why: 'its turn has come', asked: target.name },
  'was resumed by a person': { did: 'overridden', at: ago(9000), why: 'oc resumed the pool', by: 'oc' },
  'was resumed by a hook': { did: 'left', at: ago(300), why: 'a hook resumed it', by: 'Job a/b', hooks: 1 },
};

const pools: Readonly<Record<string, Partial<Pool>>> = {
  rolls: { paused: false, ...rolling },
  'is at rest': { paused: false },
  'waits for its gates with a change': { paused: true, ...rolling },
  'waits for its gates, and nothing is rendered yet': { paused: true },
};

const settingsOf: Readonly<Record<string, Pick<Snapshot['settings'], 'pools' | 'windows'>>> = {
  'no gates': { pools: {} },
  'a closed window': { pools: {}, windows: shut },
  'an approval': { pools: { worker: approved } },
  'a pool of a higher wave': { pools: { worker: { ...defaultPoolSettings, wave: -1 } } },
};

const overruled = { at: ago(9000), by: 'oc' };
const manual = { id: 'manual/anna', kind: 'manual', who: 'anna', why: 'disks', since: ago(9500) } as const;
const sync = { ...manual, id: 'sync/hub/openshift-gitops/long', kind: 'sync', who: 'openshift-gitops/long' } as const;
const syncing = { ...sync, uid: 'uid-long', phase: 'syncing', startedAt: second(9600), until: ago(-600) } as const;

/** A hold that does not keep the pool paused, and what its Application does. */
interface Uncounted {
  readonly hold?: Hold | undefined;
  readonly operation?: Partial<Operation> | undefined;
}

const running: Partial<Operation> = { phase: 'Running', startedAt: second(9600), finishedAt: undefined, results: [] };
const holds: Readonly<Record<string, Uncounted>> = {
  'of a person goes on': { hold: { ...manual, until: ago(-9000), overruled } },
  'of a person ends': { hold: { ...manual, until: ago(1), overruled } },
  'of a sync goes on': { hold: { ...syncing, overruled }, operation: running },
  'of a sync ends': {
    hold: { ...syncing, overruled },
    operation: { phase: 'Succeeded', startedAt: second(9600), finishedAt: second(2) },
  },
};

/** A freeze that its emergency lane passes. */
const passed: Readonly<Record<string, Uncounted>> = {
  'that goes on': { hold: { ...manual, id: 'freeze/pool/anna', kind: 'freeze', until: ago(-9000) } },
  'that ends': { hold: { ...manual, id: 'freeze/pool/anna', kind: 'freeze', until: ago(1) } },
};

interface Scene {
  readonly pool: string;
  readonly last: string;
  readonly settings: string;
  readonly isMissed: boolean;
  readonly isInLane: boolean;
  readonly mayRelease: boolean;
}

const scenes: fc.Arbitrary<Scene> = fc.record({
  pool: fc.constantFrom(...Object.keys(pools)),
  last: fc.constantFrom(...Object.keys(lasts)),
  settings: fc.constantFrom(...Object.keys(settingsOf)),
  isMissed: fc.boolean(),
  isInLane: fc.boolean(),
  mayRelease: fc.boolean(),
});

/** The scene, with that hold on the record of the pool or without. */
function sceneOf(scene: Scene, { hold, operation }: Uncounted): Snapshot {
  const { paused = false, ...of } = pools[scene.pool] ?? {};
  const record: PoolRecord = {
    v: 1,
    ...(paused ? { pause: 'ours', pausedSince: ago(120) } : {}),
    ...(!paused && hold?.overruled !== undefined ? { pause: 'overridden' } : {}),
    ...(paused && scene.mayRelease ? { release } : {}),
    ...(scene.isInLane ? { emergency: lane } : {}),
    holds: hold === undefined ? [] : [hold],
    last: lasts[scene.last],
  };
  const pausedBy = { manager: 'poolkeeper', at: second(300) };
  const worker = aPool({ ...of, paused, pausedBy, record: { kind: 'record', record } });
  const waiting: PoolRecord = { v: 1, pause: 'ours', pausedSince: ago(120), holds: [], release };
  const infra = aPool({
    name: 'infra',
    uid: 'uid-infra',
    paused: true,
    machineConfigSelector: { matchLabels: { 'machineconfiguration.openshift.io/role': 'infra' } },
    record: { kind: 'record', record: waiting },
  });
  // By now it has no more to do with any pool, and would not be held for.
  const long = anApplication({
    name: 'long',
    uid: 'uid-long',
    resources: [],
    operation: operation && anOperation({ ...operation, results: [] }),
    operationQueued: false,
  });
  const missed = anApplication({
    operation: anOperation({ startedAt: second(4), finishedAt: second(3) }),
    operationQueued: false,
  });
  const { settings, ...rest } = aSnapshot({ pools: [worker, infra] });
  const evidence = {
    ...noEvidence,
    controllers: seen([]),
    images: noImages,
    approvals: seen([]),
    nodesBehind: seen([]),
  };
  return {
    ...rest,
    settings: { ...settings, ...settingsOf[scene.settings] },
    applications: [long, ...(scene.isMissed ? [missed] : [])].map((application) => ({ kind: 'seen', application })),
    machineConfigs: [aMachineConfig({ changedAt: scene.isMissed ? second(3) : second(90_000) })],
    evidence: new Map(['worker', 'infra'].map((name) => [name, evidence])),
  };
}

/** Of a hold that ends as the pool is paused for something else: it is one of the reasons for what rolls out then. */
const endWords = /(?:the hold of anna has expired|Argo CD synced openshift-gitops\/long); /g;

/** What the pass makes of the pool, but for the hold itself. */
function outcomeOf({ pool, action, gates }: PoolPlan) {
  const written = JSON.stringify(action.kind === 'none' ? recordIn(pool) : action.record).replaceAll(endWords, '');
  const { holds: _, pause, last, ...record } = PoolRecord.parse(JSON.parse(written));
  const { ended: _ended, ...done } = last ?? {};
  return {
    paused: action.kind === 'none' || action.kind === 'record' ? pool.paused : action.kind === 'pause',
    record: { ...record, ...(pause === undefined || pause === 'overridden' ? {} : { pause }), last: done },
    gates: gates.map(({ gate, why }) => [gate, why]),
  };
}

const outcomesOf = (snapshot: Snapshot) => decide(snapshot, now).map(outcomeOf);

/** What ends on a pool that waits for its gates is noted for them. */
const isNotedForGates = ({ pool }: Scene, word: string) => pools[pool]?.paused === true && word.endsWith('ends');

describe('[S0-15] [S3-14] [N-30] a hold that keeps no pool paused changes nothing but itself, and neither does its end', () => {
  test.each(Object.keys(holds))('a person has overruled it: one that is %s', (word) => {
    fc.assert(
      fc.property(scenes, (scene) => {
        fc.pre(!isNotedForGates(scene, word));

        const { hold, operation } = holds[word] ?? {};

        expect(outcomesOf(sceneOf(scene, { hold, operation }))).toEqual(outcomesOf(sceneOf(scene, { operation })));
      }),
      { numRuns: 400 },
    );
  });

  test.each(Object.keys(passed))('the emergency lane passes the freeze: one %s', (word) => {
    fc.assert(
      fc.property(scenes, (each) => {
        const scene = { ...each, isInLane: true };
        fc.pre(pools[scene.pool]?.paused !== true);

        expect(outcomesOf(sceneOf(scene, passed[word] ?? {}))).toEqual(outcomesOf(sceneOf(scene, {})));
      }),
      { numRuns: 400 },
    );
  });
});
