import { describe, expect, test } from 'vitest';
import { cloudEvent, type WorkEvent } from '../../../events/index.ts';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { Window } from '../../../functions/core/configuration/window.ts';
import { closeLane, openLane } from '../../../functions/core/holds/manual-emergency.ts';
import { freezeManually, thawManually } from '../../../functions/core/holds/manual-freeze.ts';
import { addManualHold, type ManualChange, resumeManually } from '../../../functions/core/holds/manual-hold.ts';
import type { FreezeScope } from '../../../functions/core/openshift/freeze.ts';
import type { Pool } from '../../../functions/core/openshift/pool.ts';
import { writeByHand } from '../../../local/cli/write-pool.ts';
import { aPool } from '../../fakes/index.ts';
import { commitB, type KeepLab, keepLab, nodesHold } from './keep-lab.ts';

const hour = 3600;

/** What people do with the command line, on one pool. */
function hands(lab: KeepLab, who = 'ann') {
  const request = () => ({ who, why: 'change stop', now: lab.world.clock.now() });
  const later = (seconds: number) => new Date(lab.world.clock.now().getTime() + seconds * 1000);
  const act = (pool: string, decide: (pool: Pool) => ManualChange) =>
    writeByHand(lab.world.pools, {
      pool,
      decide,
      event: () => ({ reason: 'ByHand', message: '', type: 'Normal', at: lab.world.clock.now() }),
    });
  return {
    freeze: (pool: string, seconds: number, scope: FreezeScope = 'cluster') =>
      act(pool, (seen) => freezeManually(seen, { scope, until: later(seconds) }, request())),
    thaw: (pool: string, scope: 'pool' | 'cluster' = 'cluster') =>
      act(pool, (seen) => thawManually(seen, { scope }, request())),
    hold: (pool: string, seconds: number) => act(pool, (seen) => addManualHold(seen, later(seconds), request())),
    resume: (pool: string) => act(pool, (seen) => resumeManually(seen, request())),
    emergency: (pool: string, seconds: number) => act(pool, (seen) => openLane(seen, later(seconds), request())),
    endEmergency: (pool: string) => act(pool, (seen) => closeLane(seen, request())),
  };
}

function infra(change: Partial<Pool> = {}): Pool {
  return aPool({ name: 'infra', uid: 'uid-pool-infra', ...change });
}

function holdsOf(lab: KeepLab, pool = 'worker') {
  return lab.record(pool)?.holds.map(({ id }) => id);
}

const isPaused = (lab: KeepLab, pool = 'worker') => lab.pool(pool).paused;

describe('a frozen pool', () => {
  test('[N-21] is paused at once, with name, reason and end, and let go by itself at the end', async () => {
    const lab = keepLab();

    await hands(lab).freeze('worker', 2 * hour, 'pool');
    await lab.pass(119 * 60);
    const frozen = lab.pool();
    await lab.pass(2 * 60);

    expect(frozen).toMatchObject({
      paused: true,
      record: { record: { pause: 'ours', holds: [{ id: 'freeze/pool/ann', kind: 'freeze', why: 'change stop' }] } },
    });
    expect(isPaused(lab)).toBe(false);
    expect(lab.told()).toEqual(expect.arrayContaining(['pool.held', 'pool.paused', 'pool.released', 'pool.resumed']));
  });

  test('[N-21] stays frozen when every table is lost', async () => {
    const lab = keepLab();
    await hands(lab).freeze('worker', 48 * hour);
    await lab.pass(60);

    const after = keepLab();
    after.world.pools.put(lab.pool());
    after.world.clock.set(lab.world.clock.now());
    await after.pass(hour);

    expect(isPaused(after)).toBe(true);
    expect(holdsOf(after)).toEqual(['freeze/cluster/ann']);
  });

  test('[N-21] [S0-14] that somebody else paused is never resumed at the end, and is frozen once they let go', async () => {
    const lab = keepLab();
    lab.world.pools.change('worker', 'kubectl-patch', { paused: true });
    await hands(lab).freeze('worker', 4 * hour);
    await lab.pass(hour);
    const asFound = lab.record()?.pause;
    lab.world.pools.change('worker', 'kubectl-patch', { paused: false });
    await lab.pass(60);
    const taken = lab.pool();
    await lab.pass(4 * hour);

    expect(asFound).toBe('foreign');
    expect(taken).toMatchObject({ paused: true, record: { record: { pause: 'ours' } } });
    expect(isPaused(lab)).toBe(false);

    const other = keepLab();
    other.world.pools.change('worker', 'kubectl-patch', { paused: true });
    await hands(other).freeze('worker', hour);
    await other.pass(3 * hour);
    expect(isPaused(other)).toBe(true);
    expect(holdsOf(other)).toEqual([]);
  });

  test('[N-21] whose freeze ends during a sync stays paused until that sync has ended', async () => {
    const lab = keepLab();
    await hands(lab).freeze('worker', hour);
    await lab.pass(50 * 60);
    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));
    await lab.pass(20 * 60);
    const during = [isPaused(lab), holdsOf(lab)];
    lab.ends('Succeeded');
    await lab.pass(120);

    expect(during).toEqual([true, [nodesHold]]);
    expect(isPaused(lab)).toBe(false);
  });

  test('[N-21] a person who resumes it wins, for this pool alone, and its next sync pauses it as ever', async () => {
    const lab = keepLab();
    lab.world.pools.put(infra());
    await hands(lab).freeze('worker', 48 * hour);
    await hands(lab).freeze('infra', 48 * hour);
    await lab.pass(60);
    lab.world.pools.change('worker', 'kubectl-patch', { paused: false });
    await lab.pass(600);
    const resumed = [isPaused(lab), holdsOf(lab)];
    await lab.deliver(lab.pushOf(commitB));

    expect(resumed).toEqual([false, []]);
    expect(isPaused(lab)).toBe(true);
    expect(holdsOf(lab)).toEqual([nodesHold]);
    expect(isPaused(lab, 'infra')).toBe(true);
    expect(lab.told()).toContain('pool.overridden');
  });

  test('[N-21] is not resumed by `resume`, which says what does', async () => {
    const lab = keepLab();
    await hands(lab).freeze('worker', hour);

    const done = await hands(lab, 'bob').resume('worker');

    expect(done).toMatchObject({
      record: undefined,
      said: expect.stringMatching(/^stays as it is: ann has frozen it/),
    });
    expect(isPaused(lab)).toBe(true);
  });

  test('[N-21] [S0-16] stays as it is while nothing can be read, and ends once it can', async () => {
    const lab = keepLab();
    await hands(lab).freeze('worker', hour);
    await lab.pass(60);
    const mend = lab.world.faults.failAll(['pools.list']);
    await lab.pass(2 * hour);
    const blind = isPaused(lab);
    mend();
    await lab.pass(120);

    expect(blind).toBe(true);
    expect(isPaused(lab)).toBe(false);
  });

  test('[N-21] whose record was removed is frozen again, by what was published', async () => {
    const lab = keepLab();
    await hands(lab).freeze('worker', 8 * hour, 'pool');
    await lab.pass(60);
    lab.world.pools.change('worker', 'kubectl', { record: { kind: 'none' } });
    await lab.pass(hour);

    expect(isPaused(lab)).toBe(true);
    expect(holdsOf(lab)).toEqual(['freeze/pool/ann']);
  });
});

describe('a freeze of the whole cluster', () => {
  test('[N-21] freezes a pool that appears later, from the record of any other', async () => {
    const lab = keepLab();
    await hands(lab).freeze('worker', 48 * hour);
    await lab.pass(60);

    lab.world.pools.put(infra());
    await lab.pass(60);
    const copied = lab.record('infra');
    lab.world.pools.remove('worker');
    await lab.pass(60);
    lab.world.pools.put(aPool({ name: 'gpu', uid: 'uid-pool-gpu' }));
    await lab.pass(60);

    expect(copied).toMatchObject({ pause: 'ours', holds: lab.record('infra')?.holds });
    expect(holdsOf(lab, 'gpu')).toEqual(['freeze/cluster/ann']);
    expect([isPaused(lab, 'infra'), isPaused(lab, 'gpu')]).toEqual([true, true]);
  });

  test.each([
    ['required for upgrades', infra({ name: 'master' }), {}],
    ['only observed', infra(), { infra: { ...defaultPoolSettings, protection: 'observe' as const } }],
  ])('[N-21] [S0-20] touches no pool that is %s', async (_, pool, pools) => {
    const lab = keepLab({ pools });
    await hands(lab).freeze('worker', 48 * hour);
    lab.world.pools.put(pool);
    await lab.pass(600);

    expect(isPaused(lab, pool.name)).toBe(false);
    expect(lab.world.pools.patches.filter((patch) => patch.pool === pool.name)).toEqual([]);
  });

  test('[N-21] a freeze of one pool stays with that pool', async () => {
    const lab = keepLab();
    lab.world.pools.put(infra());
    await hands(lab).freeze('worker', hour, 'pool');
    await lab.pass(600);

    expect(isPaused(lab, 'infra')).toBe(false);
  });

  test('[N-21] a thaw of one pool reaches all others, even if the command dies after it', async () => {
    const lab = keepLab();
    lab.world.pools.put(infra());
    await hands(lab).freeze('worker', 48 * hour);
    await hands(lab).freeze('infra', 48 * hour);
    await lab.pass(60);

    await hands(lab, 'bob').thaw('infra');
    await lab.pass(120);
    lab.world.pools.put(aPool({ name: 'gpu', uid: 'uid-pool-gpu' }));
    await lab.pass(600);

    expect([isPaused(lab), isPaused(lab, 'infra'), isPaused(lab, 'gpu')]).toEqual([false, false, false]);
    const told = lab.world.bus.published.flatMap((event) =>
      event.type === 'poolkeeper.pool.resumed.v1' ? [event.data] : [],
    );
    expect(told).toEqual(
      expect.arrayContaining([{ cluster: 'prod', pool: 'worker', why: 'bob thawed it: change stop' }]),
    );
  });

  test('[N-21] a pool whose record could not be read during the thaw does not bring the freeze back', async () => {
    const lab = keepLab();
    lab.world.pools.put(infra());
    await hands(lab).freeze('worker', 48 * hour);
    await hands(lab).freeze('infra', 48 * hour);
    await lab.pass(60);
    lab.world.pools.spoil('infra');
    await hands(lab).thaw('worker');
    await lab.pass(2 * hour);
    const thawed = isPaused(lab);
    lab.world.pools.mend('infra');
    await lab.pass(120);

    expect(thawed).toBe(false);
    expect([isPaused(lab), isPaused(lab, 'infra')]).toEqual([false, false]);
  });

  test('[N-21] freezing again after a thaw counts, and so does a later end, wherever it was written first', async () => {
    const lab = keepLab();
    lab.world.pools.put(infra());
    await hands(lab).freeze('worker', 2 * hour);
    await lab.pass(60);
    await hands(lab).thaw('worker');
    await lab.pass(60);
    await hands(lab).freeze('infra', 2 * hour);
    await lab.pass(60);
    const again = isPaused(lab);
    await hands(lab).freeze('infra', 5 * hour);
    await lab.pass(4 * hour);
    const longer = isPaused(lab);
    await lab.pass(2 * hour);

    expect([again, longer]).toEqual([true, true]);
    expect([isPaused(lab), isPaused(lab, 'infra')]).toEqual([false, false]);
  });

  test('[N-21] two of two people end one by one', async () => {
    const lab = keepLab();
    await hands(lab, 'ann').freeze('worker', 8 * hour);
    await hands(lab, 'bob').freeze('worker', 2 * hour, 'fleet');
    await lab.pass(3 * hour);

    expect(holdsOf(lab)).toEqual(['freeze/cluster/ann']);
    expect(isPaused(lab)).toBe(true);
  });

  test('[N-21] [N-30] in a record that somebody else wrote, as a copy in Git, neither freezes nor thaws other pools', async () => {
    const lab = keepLab();
    const copied = { recordBy: 'argocd-controller' };
    lab.world.pools.put(infra());
    await hands(lab).freeze('infra', 48 * hour);
    lab.world.pools.change('infra', 'argocd-controller', copied);
    await lab.pass(600);
    const untouched = isPaused(lab);

    const other = keepLab();
    await hands(other).freeze('worker', 48 * hour);
    other.world.pools.put(infra());
    await other.pass(60);
    await hands(other).thaw('infra');
    other.world.pools.change('infra', 'argocd-controller', copied);
    await other.pass(60);

    expect(untouched).toBe(false);
    expect(isPaused(other)).toBe(true);
  });

  test('[N-21] a thaw resumes nothing that another hold keeps', async () => {
    const lab = keepLab();
    await hands(lab).freeze('worker', 48 * hour);
    await hands(lab, 'bob').hold('worker', 4 * hour);
    await lab.pass(60);
    await hands(lab).thaw('worker');
    await lab.pass(hour);

    expect(isPaused(lab)).toBe(true);
    expect(holdsOf(lab)).toEqual(['manual/bob']);
  });
});

describe('a freeze that is asked for from a message', () => {
  function asked(lab: KeepLab, pool: string): WorkEvent {
    const now = lab.world.clock.now();
    const until = new Date(now.getTime() + 4 * hour * 1000).toISOString();
    return cloudEvent({
      type: 'poolkeeper.freeze.asked.v1',
      id: 'freeze/PK-7',
      source: '/poolkeeper/send-alerts',
      subject: `prod/${pool}`,
      time: now,
      correlation: 'PK-7',
      data: {
        cluster: 'prod',
        pool,
        who: 'anna (Slack U1)',
        why: 'from the message of PK-7',
        askedAt: now.toISOString(),
        until,
      },
    });
  }

  test('[N-21] pauses the pool at once, and no other, and ends by itself', async () => {
    const lab = keepLab();
    lab.world.pools.put(infra());

    await lab.deliver(asked(lab, 'worker'));
    const frozen = lab.record();
    const others = isPaused(lab, 'infra');
    await lab.pass(4 * hour + 120);

    expect(frozen).toMatchObject({
      pause: 'ours',
      holds: [{ id: 'freeze/pool/anna (Slack U1)', kind: 'freeze', why: 'from the message of PK-7' }],
    });
    expect(others).toBe(false);
    expect(isPaused(lab)).toBe(false);
  });

  test('[N-21] of a cluster covers all pools that Poolkeeper may pause, and those that appear later', async () => {
    const lab = keepLab();
    lab.world.pools.put(infra());
    lab.world.pools.put(infra({ name: 'master' }));

    await lab.deliver(asked(lab, '*'));
    lab.world.pools.put(aPool({ name: 'gpu', uid: 'uid-pool-gpu' }));
    await lab.pass(60);

    expect(['worker', 'infra', 'gpu', 'master'].map((name) => isPaused(lab, name))).toEqual([true, true, true, false]);
  });

  test('[N-21] [N-19] brought twice is one freeze, and brought again after a thaw is none', async () => {
    const lab = keepLab();
    const event = asked(lab, '*');
    await lab.deliver(event);
    const first = lab.record()?.holds;
    lab.world.clock.advance(60);
    await lab.deliver(event);
    const second = lab.record()?.holds;
    await hands(lab).thaw('worker');
    await lab.deliver(event);
    await lab.pass(120);

    expect(second).toEqual(first);
    expect(isPaused(lab)).toBe(false);
  });

  test.each([0, 1, 2, 3, 4, 5, 6, 7].flatMap((effect) => [[effect, 'before'] as const, [effect, 'after'] as const]))(
    '[N-21] [N-19] is one freeze of every pool, told once, though the process dies at effect %i (%s)',
    async (effect, when) => {
      const lab = keepLab();
      lab.world.pools.put(infra());
      const event = asked(lab, '*');
      lab.world.faults.forget();
      lab.world.faults.crashAtEffect(effect, when);

      await lab.deliver(event).catch(() => undefined);
      lab.world.faults.restart();
      lab.world.faults.forget();
      await lab.deliver(event);
      await lab.pass(60);

      expect([isPaused(lab), isPaused(lab, 'infra')]).toEqual([true, true]);
      expect([holdsOf(lab), holdsOf(lab, 'infra')]).toEqual([
        ['freeze/cluster/anna (Slack U1)'],
        ['freeze/cluster/anna (Slack U1)'],
      ]);
      const held = lab.world.bus.published.filter(({ type }) => type === 'poolkeeper.pool.held.v1');
      expect(new Set(held.map(({ id }) => id)).size).toBe(2);
    },
  );

  test('[N-21] [S0-16] is brought again by the queue as long as the cluster cannot be read', async () => {
    const lab = keepLab();
    const mend = lab.world.faults.failAll(['pools.list']);
    const event = asked(lab, 'worker');

    await expect(lab.deliver(event)).rejects.toThrow();
    mend();
    await lab.deliver(event);

    expect(isPaused(lab)).toBe(true);
  });
});

describe('paused too long', () => {
  const impatient = { policy: { pausedAtMostSeconds: 1800 } };
  const certificate = (days: number) => ({
    certificatesExpire: `2026-03-${String(2 + days).padStart(2, '0')}T10:00:00Z`,
  });

  test.each([
    ['five days', 5 * 24, {}, false],
    ['more than a week', 8 * 24, {}, true],
    ['five days, and its first certificate expires before', 5 * 24, certificate(4), true],
    ['five days, and its first certificate expires after', 5 * 24, certificate(6), false],
  ] as const)('[N-21] [S0-9] [S0-24] a pool that is frozen for %s', async (_, hours, change, isTold) => {
    const lab = keepLab(impatient);
    lab.world.pools.change('worker', 'mco', change);
    await hands(lab).freeze('worker', hours * hour);
    await lab.pass(hour);

    expect(lab.troubles().includes('paused-too-long')).toBe(isTold);
  });

  test('[N-21] [S0-9] is counted from the end of the freeze', async () => {
    const closed = Window.parse({ kind: 'allow', from: '2026-03-20', to: '2026-04-01' });
    const lab = keepLab({ ...impatient, windows: [closed] });
    await hands(lab).freeze('worker', 4 * hour);
    await lab.pass(4 * hour + 20 * 60);
    const soon = lab.troubles();
    await lab.pass(20 * 60);

    expect(soon).toEqual([]);
    expect(lab.troubles()).toEqual(['paused-too-long']);
  });

  test('[N-21] [S0-9] the end says who thawed it', async () => {
    const lab = keepLab(impatient);
    await hands(lab).freeze('worker', 8 * 24 * hour);
    await lab.pass(hour);
    await hands(lab, 'bob').thaw('worker');

    await lab.pass(15 * 60);

    const [incident] = lab.world.tables.incidents.all();
    expect(incident).toMatchObject({
      state: 'ok',
      endedBy: expect.stringMatching(/^Poolkeeper resumed pool worker: .*bob thawed it/),
    });
  });

  test('[N-21] the end of a pause of somebody else is not told with a resume of long before', async () => {
    const lab = keepLab(impatient);
    await hands(lab).freeze('worker', hour);
    await lab.pass(2 * hour);
    expect(lab.record()?.last?.did).toBe('resumed');
    lab.world.pools.change('worker', 'oc', { paused: true, target: { name: 'rendered-worker-bbb', sources: [] } });
    await lab.pass(hour);
    expect(lab.troubles()).toEqual(['paused-too-long']);
    lab.world.pools.change('worker', 'oc', { paused: false, target: lab.pool().current });

    await lab.pass(15 * 60);

    const [incident] = lab.world.tables.incidents.all();
    expect(incident).toMatchObject({ state: 'ok', endedBy: undefined });
  });
});

describe('why a hold ended, on the timeline', () => {
  test('[N-29] is not the end of an earlier sync: a person ended it, on a pool that somebody else has paused', async () => {
    const lab = keepLab();
    lab.world.pools.change('worker', 'oc', { paused: true });
    await lab.tick();
    await hands(lab).hold('worker', 4 * hour);
    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));
    lab.world.clock.advance(30);
    lab.ends('Succeeded');
    await lab.deliver(lab.operationOf('Succeeded'));
    await lab.pass(600);

    await hands(lab, 'bob').resume('worker');
    await lab.pass(60);

    const released = lab.world.bus.published.filter(({ type }) => type === 'poolkeeper.pool.released.v1');
    expect(released.map(({ data }) => data)).toMatchObject([
      { hold: nodesHold, why: 'Argo CD synced openshift-gitops/nodes' },
      { hold: 'manual/ann', why: 'change stop' },
    ]);
  });
});
