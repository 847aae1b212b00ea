import { describe, expect, test } from 'vitest';
import { defaultPoolSettings } from '../../../../functions/core/configuration/cluster.ts';
import { askGates } from '../../../../functions/core/gates/ask-gates.ts';
import { type Evidence, noEvidence } from '../../../../functions/core/gates/evidence.ts';
import type { GateQuestion } from '../../../../functions/core/gates/gate.ts';
import { gates } from '../../../../functions/core/gates/index.ts';
import type { Hold } from '../../../../functions/core/openshift/hold.ts';
import type { Pool } from '../../../../functions/core/openshift/pool.ts';
import { poolHealth } from '../../../../functions/core/sequences/target-health.ts';
import { notAsked, seen, unreadable } from '../../../../functions/core/text/observed.ts';
import { aCondition, aHold, aMachineConfig, aPool, noImages } from '../../../fakes/index.ts';
import { fc } from '../../../property.ts';
import { aGateQuestion } from './a-gate-question.ts';

const now = new Date('2026-03-02T10:10:00Z');
const release = {
  since: '2026-03-02T10:00:00Z',
  finishedAt: '2026-03-02T10:00:00Z',
  machineConfigs: ['99-worker-ssh'],
  why: 'synced',
};

function ask(change: Partial<GateQuestion> = {}): readonly string[] {
  return closedGates(question(change)).map((gate) => `${gate.gate}: ${gate.why}`);
}

function closedGates(asked: GateQuestion) {
  return askGates(gates, asked).closed;
}

/** No update of the cluster is under way, and it builds no images. */
const noUpdate: Evidence = { ...noEvidence, versionUpdate: seen({ kind: 'none' }), images: noImages };

function warningsOf(asked: GateQuestion) {
  return askGates(gates, asked).warnings;
}

function lacking(asked: GateQuestion) {
  return askGates(gates, asked).lacking;
}

/** Where Argo CD runs was read; the drains were not. */
function evidence(change: Partial<Evidence> = {}): Evidence {
  return { ...noUpdate, controllers: seen([]), ...change };
}

function question(change: Partial<GateQuestion> = {}): GateQuestion {
  return aGateQuestion({ release, evidence: evidence({ controllers: seen([]) }), now, ...change });
}

function degraded(pool: Pool): Pool {
  return {
    ...pool,
    conditions: [
      ...pool.conditions,
      aCondition({ type: 'NodeDegraded', status: 'True', message: 'Node worker-1 is ...' }),
    ],
  };
}

function resumedByUs(pool: Pool): Pool {
  return {
    ...pool,
    record: {
      kind: 'record',
      record: { v: 1, holds: [], last: { did: 'resumed', at: '2026-03-02T10:00:00Z', why: '' } },
    },
  };
}

const healthOfInfra = 'health: pool infra is degraded since Poolkeeper resumed it';

test('all gates are open for a pool whose syncs ended a while ago and whose render lists what they applied', () => {
  expect(ask()).toEqual([]);
});

describe('rendered', () => {
  test('[N-15] is closed until the rendered config lists every MachineConfig that the pool selects', () => {
    const twoWaves = { ...release, machineConfigs: ['99-worker-ssh', '99-worker-late'] };

    const before = ask({ release: twoWaves, machineConfigs: [aMachineConfig({ name: '99-worker-late' })] });
    const target = { name: 'rendered-worker-bbb', sources: ['00-worker', '99-worker-ssh', '99-worker-late'] };
    const after = ask({ release: twoWaves, machineConfigs: [], pool: aPool({ paused: true, target }) });

    expect(before).toEqual(['rendered: rendered-worker-aaa does not list 99-worker-late yet']);
    expect(after).toEqual([]);
  });

  test('does not wait for a MachineConfig of other pools, or one that was deleted meanwhile', () => {
    const others = { ...release, machineConfigs: ['99-infra', '99-deleted'] };
    const labels = { 'machineconfiguration.openshift.io/role': 'infra' };

    expect(ask({ release: others, machineConfigs: [aMachineConfig({ name: '99-infra', labels })] })).toEqual([]);
  });

  test('is closed for renderSettle after the end of the sync', () => {
    const fresh = { ...release, finishedAt: '2026-03-02T10:09:50Z' };

    expect(ask({ release: fresh })).toEqual([expect.stringContaining('its render is still settling')]);
    expect(ask({ release: fresh, now: new Date('2026-03-02T10:10:05Z') })).toEqual([]);
  });

  test('is closed by a render failure, whatever Updated says', () => {
    const message = 'Failed to render configuration for pool worker: parsing Ignition config failed';
    const pool = aPool({
      paused: true,
      conditions: [
        aCondition({ type: 'Updated', status: 'True' }),
        aCondition({ type: 'RenderDegraded', status: 'True', message }),
      ],
    });

    expect(ask({ pool })).toEqual([`rendered: ${message}`]);
  });
});

describe('quiet', () => {
  const busy = { argocd: 'hub', pools: ['worker'], syncing: ['openshift-gitops/other'] };

  test('[S0-23] is closed while the Argo CD whose controller sits on the pool syncs', () => {
    expect(ask({ evidence: evidence({ controllers: seen([busy]) }) })).toEqual([
      expect.stringContaining('quiet: Argo CD hub'),
    ]);
  });

  test('[S0-27] names three of the syncs that it waits for, and counts the others', () => {
    const many = { ...busy, syncing: ['a/a', 'a/b', 'a/c', 'a/d', 'a/e'] };

    expect(ask({ evidence: evidence({ controllers: seen([many]) }) })).toEqual([
      expect.stringContaining('is syncing a/a, a/b, a/c and 2 more'),
    ]);
  });

  test('[S0-15] waits for no sync in spite of which a person has resumed the pool, only for the others', () => {
    const two = { ...busy, syncing: ['openshift-gitops/other', 'openshift-gitops/nodes'] };
    const decided = (...names: readonly string[]) => ({
      overruledSyncs: new Set(names.map((name) => `sync/hub/openshift-gitops/${name}`)),
      evidence: evidence({ controllers: seen([two]) }),
    });

    expect(ask(decided('other'))).toEqual([expect.stringContaining('is syncing openshift-gitops/nodes')]);
    expect(ask(decided('other', 'nodes'))).toEqual([]);
  });

  test('is open when the controller sits elsewhere or syncs nothing', () => {
    const elsewhere = { ...busy, pools: ['infra'] };
    const idle = { ...busy, syncing: [] };

    expect(ask({ evidence: evidence({ controllers: seen([elsewhere, idle]) }) })).toEqual([]);
  });

  test('is closed when it cannot be seen: cannot see is not fine', () => {
    expect(ask({ evidence: evidence({ controllers: unreadable('API down') }) })).toEqual([
      expect.stringContaining('API down'),
    ]);
  });

  test('asks for its dear look only when no other gate is closed', () => {
    const fresh = { ...release, finishedAt: '2026-03-02T10:09:59Z' };

    const ready = question({ evidence: noUpdate });
    const settling = question({ evidence: noUpdate, release: fresh });

    expect(lacking(ready)).toBe('controllers');
    expect(lacking(settling)).toBeUndefined();
  });
});

describe('keep-paused', () => {
  test('[N-16] is closed as long as a person says so on the pool, with the reason and the way to end it', () => {
    const kept = aPool({ paused: true, annotations: { 'poolkeeper.dev/keep-paused': ' disk swap ' } });

    expect(closedGates(question({ pool: kept }))).toMatchObject([
      {
        gate: 'keep-paused',
        why: 'a person keeps it paused with annotation poolkeeper.dev/keep-paused: disk swap',
        opens: 'removing the annotation',
        how: 'oc annotate mcp worker poolkeeper.dev/keep-paused-',
      },
    ]);
    expect(ask({ pool: aPool({ paused: true }) })).toEqual([]);
  });
});

describe('wave', () => {
  const infra = aPool({ name: 'infra' });
  const settingsOf = (name: string) => ({ ...defaultPoolSettings, wave: name === 'infra' ? -1 : 3 });
  const settings = settingsOf('worker');

  test('is open when every pool of a lower wave is updated', () => {
    const pool = aPool({ paused: true });

    expect(ask({ pool, pools: [infra, pool], settings, settingsOf })).toEqual([]);
  });

  test.each([
    ['paused with a change waiting', { ...infra, paused: true, target: { name: 'rendered-infra-2', sources: [] } }],
    ['is not updated yet', { ...infra, target: { name: 'rendered-infra-2', sources: [] } }],
    ['is degraded', degraded(infra)],
  ])('is closed while a pool of a lower wave %s', (why, lower) => {
    const pool = aPool({ paused: true });

    expect(ask({ pool, pools: [lower, pool], settings, settingsOf })).toContainEqual(expect.stringContaining(why));
  });

  test.each([true, false])(
    '[N-29] says that nodes of a lower wave are missing where nothing rolls out: paused %s',
    (paused) => {
      const pool = aPool({ paused: true });
      const counts = { machines: 3, updated: 3, ready: 2, unavailable: 1, degraded: 0 };
      const lower = { ...infra, paused, counts, conditions: [aCondition({ type: 'Updating', status: 'True' })] };

      expect(closedGates(question({ pool, pools: [lower, pool], settings, settingsOf }))).toMatchObject([
        { why: 'pool infra of wave -1 has 1 node cordoned or not ready', who: 'whoever can mend pool infra' },
      ]);
    },
  );

  describe('[S4-7] [N-29] while a run in mode canary holds a pool of a lower wave, of which the MCO counts no node', () => {
    const pool = aPool({ paused: true });
    const target = { name: 'rendered-infra-2', sources: [] };
    const counts = { machines: 3, updated: 0, ready: 0, unavailable: 0, degraded: 0 };
    const held = (change: Partial<Hold>, more: Partial<Pool> = {}): Pool => {
      const hold = aHold({ kind: 'rollout', id: 'rollout/upgrade', canary: 'canary', ...change });
      const record = { v: 1 as const, pause: 'ours' as const, holds: [hold] };
      return { ...infra, paused: true, target, counts, record: { kind: 'record', record }, ...more };
    };
    const reached = target.name;
    const empty = { machines: 0, updated: 0, ready: 0, unavailable: 0, degraded: 0 };

    test('is open once all its nodes are at its target', () => {
      expect(ask({ pool, pools: [held({ reached }), pool], settings, settingsOf })).toEqual([]);
    });

    test.each([
      ['not all are', held({}), 'is still paused with a change waiting'],
      ['all are in the canary', held({}, { current: target, counts: empty }), 'is still paused'],
      ['another config was rendered', held({ reached: 'rendered-infra-1' }), 'is still paused'],
      ['one is cordoned', held({ reached }, { counts: { ...counts, unavailable: 1 } }), 'has 1 node cordoned'],
      ['it is degraded', held({ reached }, { conditions: degraded(infra).conditions }), 'is degraded'],
      ['somebody resumed it', held({ reached }, { paused: false }), 'is not updated yet'],
    ])('is closed where %s', (_which, lower, why) => {
      expect(ask({ pool, pools: [lower, pool], settings, settingsOf })).toContainEqual(expect.stringContaining(why));
    });
  });

  const uncounted = aHold({ kind: 'manual', id: 'manual/anna', who: 'anna' });
  test.each([
    ['it has no hold', { holds: [] }],
    ['a person has overruled its hold', { holds: [{ ...uncounted, overruled: { at: release.since, by: 'oc' } }] }],
    [
      'its emergency lane passes its freeze',
      {
        holds: [{ ...uncounted, kind: 'freeze' as const, id: 'freeze/pool/anna' }],
        emergency: { who: 'carl', why: 'CVE', since: release.since, until: '2026-03-02T20:00:00.000Z' },
      },
    ],
  ])(
    '[S0-15] is closed while a pool of a lower wave is about to resume, and nothing is rendered yet: %s',
    (_, change) => {
      const pool = aPool({ paused: true });
      const record = { v: 1 as const, pause: 'ours' as const, release, ...change };
      const lower = { ...infra, paused: true, record: { kind: 'record' as const, record } };

      expect(ask({ pool, pools: [lower, pool], settings, settingsOf })).toContainEqual(
        expect.stringContaining('is about to resume'),
      );
      expect(poolHealth(lower)).toMatchObject({ kind: 'unhealthy', value: 'about to resume' });
    },
  );

  describe('while a pool of a lower wave is held for a sync that has changed nothing yet', () => {
    const pool = aPool({ paused: true });
    const step = { sequence: 'prod', id: 'worker@prod' };
    const held = (change: Partial<Hold> = {}, paused = true) => {
      const hold = aHold({ kind: 'sync', id: 'sync/hub/team/base', who: 'team/base', phase: 'syncing', ...change });
      const record = { v: 1 as const, pause: 'ours' as const, holds: [hold] };
      return { ...infra, paused, record: { kind: 'record' as const, record } };
    };

    test.each(['syncing', 'expected'] as const)('is closed and names it: %s', (phase) => {
      expect(ask({ pool, pools: [held({ phase }), pool], settings, settingsOf })).toEqual([
        'wave: pool infra of wave -1 is held for the sync of team/base',
      ]);
    });

    test.each([
      ['only this pool is a step of a sequence', { step, applicationSteps: new Set(['sync/hub/team/other']) }],
      ['only its Application is', { applicationSteps: new Set(['sync/hub/team/base']) }],
    ])('[S2-1] [N-29] is closed where %s', (_which, more) => {
      expect(ask({ pool, pools: [held(), pool], settings, settingsOf, ...more })).toEqual([
        'wave: pool infra of wave -1 is held for the sync of team/base',
      ]);
    });

    test.each([
      ['the sync has failed', held({ phase: 'failed' }), {}],
      ['its guard waits for paused pools', held({ phase: 'expected', behindGuard: true }), {}],
      ['a person has overruled it', held({ overruled: { at: '2026-03-02T09:00:00Z', by: 'eve' } }), {}],
      ['a person has resumed this pool in spite of it', held(), { overruledSyncs: new Set(['sync/hub/team/base']) }],
      [
        'both are steps of sequences, and the Application may wait for this pool',
        held(),
        { step, applicationSteps: new Set(['sync/hub/team/base']) },
      ],
      [
        'it is to be written first by an Application that is a step',
        held({ via: { argocd: 'hub', namespace: 'team', name: 'apps' } }),
        { step, applicationSteps: new Set(['sync/hub/team/apps']) },
      ],
      ['a person holds it', held({ kind: 'manual', id: 'manual/eve', phase: undefined }), {}],
      ['the pool is not paused', held({}, false), {}],
    ])('is open where %s', (_which, lower, more) => {
      expect(ask({ pool, pools: [lower, pool], settings, settingsOf, ...more })).toEqual([]);
    });
  });

  test.each([
    ['of a lower wave', 'infra', {}, ['wave: pool infra of wave -1 cannot be parsed']],
    ['of its own wave', 'gpu', {}, []],
    ['of a lower wave, and a later step of its sequence', 'infra', { laterSteps: ['infra'] }, []],
    ['of a lower wave, whose nodes go by it', 'infra', { goingByIt: ['infra'] }, []],
  ])('[N-30] a pool that cannot be parsed, %s: %s %j', (_which, name, more, expected) => {
    const unreadablePools = [{ name, isResumed: false }];

    expect(ask({ settings, settingsOf, unreadablePools, ...more })).toEqual(expected);
  });

  test('does not wait for pools of its own or a higher wave', () => {
    const pool = aPool({ paused: true });
    const same = () => ({ ...defaultPoolSettings, wave: 3 });

    expect(ask({ pool, pools: [degraded(infra), pool], settings, settingsOf: same })).toEqual([]);
  });
});

describe('health', () => {
  const rolling = { target: { name: 'rendered-infra-2', sources: [] } };
  const waits = { mayGo: true, why: '', waitsFor: [], poolsWaiting: ['infra'] };

  test.each([
    ['keeps the degraded later one', waits, []],
    ['is aborted, or one of them skipped', { ...waits, poolsWaiting: [] }, [healthOfInfra]],
  ])('[N-29] [N-30] the earlier step of a sequence that %s: closed %j', (_, turn, expected) => {
    const record = { v: 1 as const, pause: 'ours' as const, resumedAt: '2026-03-02T10:00:00Z', holds: [] };
    const sick = aPool({ name: 'infra', ...rolling, paused: true, record: { kind: 'record', record } });
    const pool = aPool({ paused: true });
    const step = { sequence: 'virt', id: 'worker@prod' };
    const asked = { pool, pools: [degraded(sick), pool], laterSteps: ['infra'], step };

    expect(ask({ ...asked, evidence: evidence({ controllers: seen([]), turn: seen(turn) }) })).toEqual(expected);
  });

  test.each([
    [
      'worker, the later step of the lower wave,',
      'worker',
      'infra',
      { step: { sequence: 'virt', id: 'w', after: ['infra'] } },
    ],
    ['infra, the earlier step of the higher wave,', 'infra', 'worker', { laterSteps: ['worker'] }],
  ])(
    '[N-29] [N-30] where waves are contrary to a sequence that keeps nobody, %s is not let past a degraded other',
    (_, name, other, more) => {
      const record = { v: 1 as const, pause: 'ours' as const, resumedAt: '2026-03-02T10:00:00Z', holds: [] };
      const sick = degraded(aPool({ name: other, ...rolling, paused: true, record: { kind: 'record', record } }));
      const pool = aPool({ name, paused: true });
      const waveOf = (each: string) => ({ ...defaultPoolSettings, wave: each === 'infra' ? 1 : 0 });
      const turn = seen({ mayGo: true, why: '', waitsFor: [], poolsWaiting: [] });
      const asked = { pool, pools: [sick, pool], settings: waveOf(name), settingsOf: waveOf, ...more };

      const closed = ask({ ...asked, evidence: evidence({ controllers: seen([]), turn }) });

      expect(closed).toContain(`health: pool ${other} is degraded since Poolkeeper resumed it`);
    },
  );

  test('[S1-14] holds every other pool while one that was resumed is degraded', () => {
    const pool = aPool({ paused: true });
    const sick = degraded(resumedByUs(aPool({ name: 'infra', ...rolling })));

    expect(ask({ pool, pools: [sick, pool] })).toEqual(['health: pool infra is degraded since Poolkeeper resumed it']);
  });

  test.each([
    [true, ['health: pool infra was resumed by Poolkeeper and cannot be parsed: it may be degraded']],
    [false, []],
  ])('[N-30] [S1-14] holds the others while one cannot be parsed that was resumed (%s)', (isResumed, expected) => {
    expect(ask({ unreadablePools: [{ name: 'infra', isResumed }] })).toEqual(expected);
  });

  test('[S1-14] also when that pool was paused again meanwhile, for the sync that shall mend it', () => {
    const pool = aPool({ paused: true });
    const sick = degraded(resumedByUs(aPool({ name: 'infra', ...rolling })));
    const record = {
      v: 1 as const,
      pause: 'ours' as const,
      holds: [],
      resumedAt: '2026-03-02T10:00:00Z',
      last: { did: 'paused' as const, at: '2026-03-02T10:05:00Z', why: 'a push' },
    };
    const pausedAgain = { ...sick, paused: true, record: { kind: 'record' as const, record } };

    expect(ask({ pool, pools: [pausedAgain, pool] })).toEqual([
      'health: pool infra is degraded since Poolkeeper resumed it',
    ]);
  });

  describe('[S1-14] [N-29] pools that would wait for each other', () => {
    const waiting = (pool: Pool): Pool => ({
      ...pool,
      paused: true,
      target: { name: `rendered-${pool.name}-mend`, sources: [] },
      record: {
        kind: 'record',
        record: {
          v: 1,
          pause: 'ours',
          holds: [],
          release: { ...release, machineConfigs: [] },
          last: { did: 'paused', at: '2026-03-02T10:05:00Z', why: 'a push' },
        },
      },
    });
    const sick = (pool: Pool): Pool => {
      const { record, ...rest } = degraded(waiting(pool));
      if (record.kind !== 'record') return pool;
      return {
        ...rest,
        record: { kind: 'record', record: { ...record.record, resumedAt: '2026-03-02T10:00:00Z' } },
      };
    };
    const named = (name: string) => aPool({ name, uid: `uid-${name}` });
    const waves = (change: Readonly<Record<string, number>>) => (name: string) => ({
      ...defaultPoolSettings,
      wave: change[name] ?? 0,
    });
    const of = (pool: Pool, pools: readonly Pool[], settingsOf = waves({})) =>
      question({ pool, pools, settings: settingsOf(pool.name), settingsOf });

    test('of two that one change has degraded, the first by name gets its mend, and says why', () => {
      const pools = [sick(named('worker')), sick(named('infra'))] as const;
      const [worker, infra] = pools;

      expect(closedGates(of(infra, pools))).toEqual([]);
      expect(askGates(gates, of(infra, pools)).because).toEqual(['pool worker is degraded and waits for this one']);
      expect(closedGates(of(worker, pools))).toMatchObject([{ gate: 'health' }]);
    });

    test('a pool of a lower wave goes before a degraded one, which waits for it by gate wave', () => {
      const settingsOf = waves({ worker: 1, infra: 2 });
      const pools = [waiting(named('worker')), sick(named('infra'))] as const;
      const [worker, infra] = pools;

      expect(closedGates(of(worker, pools, settingsOf))).toEqual([]);
      expect(closedGates(of(infra, pools, settingsOf))).toMatchObject([{ gate: 'wave' }]);
    });

    const another = aHold({ kind: 'sync', id: 'sync/hub/team/base', phase: 'syncing' });
    const heldBy = (pool: Pool, hold: Hold): Pool =>
      pool.record.kind === 'record'
        ? { ...pool, record: { kind: 'record', record: { ...pool.record.record, holds: [hold] } } }
        : pool;

    test.each<[string, Pool]>([
      ['goes on', { ...sick(named('worker')), paused: false }],
      ['is held by somebody else', heldBy(sick(named('worker')), another)],
    ])('waits for a degraded pool that %s', (_what, worker) => {
      const infra = sick(named('infra'));

      expect(closedGates(of(infra, [worker, infra]))).toMatchObject([
        { gate: 'health', why: 'pool worker is degraded since Poolkeeper resumed it' },
      ]);
    });

    test('whatever pools are paused and degraded, one may go on, or waits for a pool that is not paused', () => {
      const one = fc.record({ wave: fc.integer({ min: 0, max: 2 }), isSick: fc.boolean(), goesOn: fc.boolean() });

      fc.assert(
        fc.property(fc.array(one, { minLength: 1, maxLength: 6 }), (drawn) => {
          const names = drawn.map((_, index) => `pool-${index}`);
          const settingsOf = waves(Object.fromEntries(drawn.map(({ wave }, index) => [`pool-${index}`, wave])));
          const pools = drawn.map(({ isSick, goesOn }, index) => {
            const made = (isSick ? sick : waiting)(named(names[index] ?? ''));
            return goesOn ? { ...made, paused: false } : made;
          });
          const paused = pools.filter((pool) => pool.paused);
          const others = pools.filter((pool) => !pool.paused).map(({ name }) => name);
          const mayGo = paused.some((pool) => {
            const closed = closedGates(of(pool, pools, settingsOf));
            return closed.every(({ why }) => others.some((name) => why.startsWith(`pool ${name} `)));
          });
          expect(paused.length === 0 || mayGo).toBe(true);
        }),
      );
    });
  });

  test('does not hold for a pool that is degraded for other reasons, nor a pool for itself', () => {
    const pool = degraded(resumedByUs(aPool({ paused: true })));

    expect(ask({ pool, pools: [degraded(aPool({ name: 'infra' })), pool] })).toEqual([]);
  });

  test('[decoy] does not hold for a node that drifts long after its rollout ended', () => {
    const pool = aPool({ paused: true });
    const drifted = degraded(resumedByUs(aPool({ name: 'infra' })));

    expect(ask({ pool, pools: [drifted, pool] })).toEqual([]);
  });
});

describe('drainable', () => {
  const waiting = { target: { name: 'rendered-worker-bbb', sources: ['99-worker-ssh'] } };
  const pool = aPool({ paused: true, ...waiting });
  const blocked = aForecast();

  function settings(mode: 'off' | 'warn' | 'block') {
    return { ...defaultPoolSettings, drainable: mode };
  }

  test('[N-13] [S1-7] block: is closed by a drain that would never end, with its cause and what opens it', () => {
    const asked = question({ pool, settings: settings('block'), evidence: evidence({ drains: seen(blocked) }) });

    expect(closedGates(asked)).toEqual([
      {
        gate: 'drainable',
        why: '2 of 3 nodes will block. PDB shop/web demands all 2 of 2 pods, so no pod of web can ever be evicted.',
        value: '2 drains will block',
        threshold: 'no drain that will block',
        since: now.toISOString(),
        opens: 'In Git: let the budget spare one pod',
        who: 'application owner',
        timeout: { at: '2026-03-02T14:10:00.000Z', action: 'alert' },
      },
    ]);
    expect(warningsOf(asked)).toEqual([]);
  });

  test('[N-13] warn: lets the pool go and says what to expect', () => {
    const asked = question({ pool, settings: settings('warn'), evidence: evidence({ drains: seen(blocked) }) });

    expect(closedGates(asked)).toEqual([]);
    expect(warningsOf(asked)).toEqual([
      'expect blocked drains: 2 of 3 nodes will block. PDB shop/web demands all 2 of 2 pods, so no pod of web can ever be evicted. First: In Git: let the budget spare one pod',
    ]);
  });

  test('what could not be seen is not fine: block waits for it, warn says it', () => {
    const unread = ['the PodDisruptionBudgets (forbidden)'];
    const known = evidence({ drains: seen({ touched: 3, obstacles: [], unread }) });

    expect(closedGates(question({ pool, settings: settings('block'), evidence: known }))).toMatchObject([
      { gate: 'drainable', why: 'what will block its drains could not be read: the PodDisruptionBudgets (forbidden)' },
    ]);
    expect(warningsOf(question({ pool, settings: settings('warn'), evidence: known }))).toEqual([
      'what will block its drains could not be read: the PodDisruptionBudgets (forbidden)',
    ]);
  });

  test('nothing in the way opens it, and so does a pool without anything to roll out, unlooked at', () => {
    const clear = evidence({ drains: seen({ touched: 3, obstacles: [], unread: [] }) });

    expect(closedGates(question({ pool, settings: settings('block'), evidence: clear }))).toEqual([]);
    expect(closedGates(question({ settings: settings('block') }))).toEqual([]);
  });

  test('its read is made last: when every other gate is open, and not where nobody asked for it', () => {
    const lacks = (change: Partial<GateQuestion>) => lacking(question({ pool, ...change }));
    const settling = { ...release, finishedAt: '2026-03-02T10:09:59Z' };
    const known = evidence({ drains: seen(blocked) });

    expect(lacks({ settings: settings('block') })).toBe('drains');
    expect(lacks({ settings: settings('warn') })).toBe('drains');
    expect(lacks({ settings: settings('off') })).toBeUndefined();
    expect(lacks({ settings: settings('block'), release: settling })).toBeUndefined();
    expect(lacks({ settings: settings('block'), evidence: known })).toBeUndefined();
  });

  test('where it may keep the pool for hours it is read before the Applications are listed, else after them', () => {
    const lacks = (mode: 'warn' | 'block', drains: Evidence['drains'] = notAsked) =>
      lacking(question({ pool, settings: settings(mode), evidence: { ...noUpdate, drains } }));
    const clear = seen({ touched: 3, obstacles: [], unread: [] });

    expect(lacks('block')).toBe('drains');
    expect(lacks('block', seen(blocked))).toBeUndefined();
    expect(lacks('block', clear)).toBe('controllers');
    expect(lacks('warn')).toBe('controllers');
  });
});

function aForecast() {
  const subject = { kind: 'PodDisruptionBudget', namespace: 'shop', name: 'web' };
  const remedies = [
    {
      title: 'In Git: let the budget spare one pod',
      command: undefined,
      undo: undefined,
      risk: 'none' as const,
      who: 'application owner' as const,
    },
  ];
  const finding = {
    code: 'P1',
    subject,
    sentence: 'PDB shop/web demands all 2 of 2 pods, so no pod of web can ever be evicted.',
    confidence: 'strong' as const,
    class: 'structural' as const,
    evidence: [],
    because: [],
    remedies,
  };
  return { touched: 3, obstacles: [{ nodes: ['worker-1', 'worker-2'], finding }], unread: [] };
}
