import { describe, expect, test } from 'vitest';
import { audienceOf } from '../../../functions/core/alerts/targets.ts';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { Window } from '../../../functions/core/configuration/window.ts';
import { closeLane, openLane } from '../../../functions/core/holds/manual-emergency.ts';
import { freezeManually } from '../../../functions/core/holds/manual-freeze.ts';
import { addManualHold, type ManualChange } from '../../../functions/core/holds/manual-hold.ts';
import type { Pool } from '../../../functions/core/openshift/pool.ts';
import { waitsOf } from '../../../functions/core/timeline/waits-of.ts';
import { writeByHand } from '../../../local/cli/write-pool.ts';
import { aTrouble } from '../../fakes/index.ts';
import { commitB, type KeepLab, keepLab, nodesHold } from './keep-lab.ts';

const hour = 3600;

/** The lab begins on Monday 2026-03-02 at 10:00 UTC. */
const notInMarch = Window.parse({ kind: 'deny', from: '2026-03-01', to: '2026-04-01', description: 'not in March' });

function hands(lab: KeepLab, who = 'ann') {
  const request = () => ({ who, why: 'CVE-2026-1234', now: lab.world.clock.now() });
  const later = (seconds: number) => new Date(lab.world.clock.now().getTime() + seconds * 1000);
  const act = (decide: (pool: Pool) => ManualChange) =>
    writeByHand(lab.world.pools, {
      pool: 'worker',
      decide,
      event: () => ({ reason: 'ByHand', message: '', type: 'Normal', at: lab.world.clock.now() }),
    });
  return {
    freeze: (seconds: number) =>
      act((seen) => freezeManually(seen, { scope: 'cluster', until: later(seconds) }, request())),
    hold: (seconds: number) => act((seen) => addManualHold(seen, later(seconds), request())),
    emergency: (seconds: number) => act((seen) => openLane(seen, later(seconds), request())),
    end: () => act((seen) => closeLane(seen, request())),
  };
}

const isPaused = (lab: KeepLab) => lab.pool().paused;

/** A sync has ended behind a closed window. */
async function waitingForWindow(): Promise<KeepLab> {
  const lab = keepLab({ windows: [notInMarch] });
  await lab.deliver(lab.pushOf(commitB));
  lab.syncs(commitB);
  await lab.pass(60);
  lab.ends('Succeeded');
  await lab.pass(600);
  expect(isPaused(lab)).toBe(true);
  return lab;
}

describe('an emergency lane', () => {
  test('[N-21] passes a deny window, and says so where the pool resumes', async () => {
    const lab = await waitingForWindow();

    await hands(lab).emergency(hour);
    await lab.pass(60);

    expect(isPaused(lab)).toBe(false);
    const resumed = lab.world.bus.published.findLast((event) => event.type === 'poolkeeper.pool.resumed.v1');
    expect(resumed?.data).toMatchObject({
      why: expect.stringContaining('gate window is passed in the emergency of ann: a deny window is open'),
    });
  });

  test('[N-21] passes a freeze, and the freeze pauses the pool again at its end', async () => {
    const lab = keepLab();
    await hands(lab, 'bob').freeze(48 * hour);
    await lab.pass(60);

    await hands(lab).emergency(hour);
    await lab.pass(120);
    const during = [isPaused(lab), lab.record()?.pause, lab.record()?.holds.length];
    await lab.pass(hour);

    expect(during).toEqual([false, undefined, 1]);
    expect(lab.pool()).toMatchObject({ paused: true, record: { record: { pause: 'ours' } } });
    expect(lab.record()).not.toHaveProperty('emergency');
    const resumed = lab.world.bus.published.findLast((event) => event.type === 'poolkeeper.pool.resumed.v1');
    expect(resumed?.data).toMatchObject({ why: 'emergency of ann: CVE-2026-1234; it passes the freeze of bob' });
  });

  test('[N-21] [N-4] goes on, as the freeze does, where the record is removed meanwhile', async () => {
    const lab = keepLab();
    await hands(lab, 'bob').freeze(48 * hour);
    await lab.pass(60);
    await hands(lab).emergency(hour);
    await lab.pass(120);
    lab.world.pools.change('worker', 'kubectl-annotate', { record: { kind: 'none' } });

    await lab.pass(120);
    const during = [isPaused(lab), lab.record()?.holds.length, lab.record()?.emergency?.who];
    await lab.pass(hour);

    expect(during).toEqual([false, 1, 'ann']);
    expect(lab.pool()).toMatchObject({ paused: true, record: { record: { pause: 'ours' } } });
  });

  test('[N-21] [N-4] goes on where the record is removed during a sync', async () => {
    const lab = keepLab();
    await hands(lab, 'bob').freeze(48 * hour);
    await hands(lab).emergency(hour);
    lab.syncs(commitB);
    await lab.pass(60);
    lab.world.pools.change('worker', 'kubectl-annotate', { record: { kind: 'none' } });
    await lab.pass(60);
    lab.ends('Succeeded');

    await lab.pass(20 * 60);

    expect(isPaused(lab)).toBe(false);
    expect(lab.record()).toMatchObject({ emergency: { who: 'ann' }, holds: [{ kind: 'freeze' }] });
  });

  test('[N-21] [N-9] a rollout that it let go is stopped at its end, outside its windows', async () => {
    const lab = await waitingForWindow();
    const target = { name: 'rendered-worker-new', sources: ['00-worker', '99-worker-ssh'] };
    lab.world.pools.change('worker', 'mco', { target });
    await hands(lab).emergency(hour);
    await lab.pass(120);
    const during = isPaused(lab);
    await lab.pass(hour);

    expect([during, isPaused(lab)]).toEqual([false, true]);
  });

  test('[N-21] [N-14] so it is where the freeze that it passes ends before it', async () => {
    const lab = await waitingForWindow();
    const target = { name: 'rendered-worker-new', sources: ['00-worker', '99-worker-ssh'] };
    const counts = { machines: 3, updated: 0, ready: 3, unavailable: 1, degraded: 0 };
    lab.world.pools.change('worker', 'mco', { target, counts });
    await hands(lab).freeze(hour / 2);
    await hands(lab).emergency(hour);
    await lab.pass(120);
    const { last: before } = lab.record() ?? {};
    const during = [isPaused(lab), lab.record()?.holds.length];
    await lab.pass(hour / 2);
    const thawed = [isPaused(lab), lab.record()?.holds.length];
    const { last: after } = lab.record() ?? {};
    await lab.pass(hour / 2);

    expect([during, thawed, isPaused(lab)]).toEqual([[false, 1], [false, 0], true]);
    expect(after).toEqual(before);
    expect(before).toMatchObject({ did: 'resumed', target: target.name });
  });

  test('[N-21] [N-29] names no freeze of who has only held the pool, and was overruled', async () => {
    const lab = keepLab({ windows: [notInMarch] });
    await hands(lab, 'anna').hold(24 * hour);
    await lab.pass(120);
    lab.world.pools.change('worker', 'kubectl-patch', { paused: false });
    await lab.pass(2 * hour);
    await lab.deliver(lab.pushOf(commitB));
    lab.syncs(commitB);
    await lab.pass(60);
    lab.ends('Succeeded');
    lab.world.pools.change('worker', 'mco', { target: { name: 'rendered-worker-new', sources: ['99-worker-ssh'] } });
    await lab.pass(120);
    const waiting = [isPaused(lab), lab.record()?.holds.map(({ who }) => who)];
    await hands(lab).emergency(hour);
    await lab.pass(60);

    expect([waiting, isPaused(lab)]).toEqual([[true, ['anna']], false]);
    expect(lab.record()?.last?.why).toContain('in the emergency of ann');
    expect(lab.record()?.last?.why).not.toMatch(/freeze|anna/);
  });

  test('[N-21] is closed by hand before its end', async () => {
    const lab = keepLab();
    await hands(lab, 'bob').freeze(48 * hour);
    await hands(lab).emergency(8 * hour);
    await lab.pass(120);
    const during = isPaused(lab);
    await hands(lab).end();
    await lab.pass(60);

    expect([during, isPaused(lab)]).toEqual([false, true]);
  });

  test('[N-21] [S0-1] never passes the hold of a running sync, and lets the pool go once that has ended', async () => {
    const lab = keepLab({ windows: [notInMarch] });
    await hands(lab, 'bob').freeze(48 * hour);
    await lab.deliver(lab.pushOf(commitB));
    lab.syncs(commitB);
    await lab.pass(60);
    await hands(lab).emergency(4 * hour);
    await lab.pass(hour);
    const during = [isPaused(lab), lab.record()?.holds.map(({ id }) => id)];
    lab.ends('Succeeded');
    await lab.pass(120);

    expect(during).toEqual([true, ['freeze/cluster/bob', nodesHold]]);
    expect(isPaused(lab)).toBe(false);
  });

  test('[N-21] [S0-1] a sync that begins while it is open pauses the pool, and the lane resumes it afterwards', async () => {
    const lab = keepLab();
    await hands(lab, 'bob').freeze(48 * hour);
    await hands(lab).emergency(8 * hour);
    await lab.pass(120);
    await lab.deliver(lab.pushOf(commitB));
    const paused = isPaused(lab);
    lab.syncs(commitB);
    await lab.pass(60);
    lab.ends('Succeeded');
    await lab.pass(120);

    expect([paused, isPaused(lab)]).toEqual([true, false]);
    expect(lab.record()?.holds.map(({ id }) => id)).toEqual(['freeze/cluster/bob']);
  });

  test('[N-21] never passes the hold of a person', async () => {
    const lab = keepLab();
    await hands(lab, 'bob').hold(4 * hour);
    await hands(lab).emergency(hour);
    await lab.pass(2 * hour);

    expect(isPaused(lab)).toBe(true);
  });

  test('[N-21] never passes rendered', async () => {
    const lab = await waitingForWindow();
    lab.world.pools.change('worker', 'mco', { target: { name: 'rendered-worker-old', sources: ['00-worker'] } });
    await hands(lab).emergency(hour);
    await lab.pass(600);
    const unrendered = isPaused(lab);
    const target = { name: 'rendered-worker-new', sources: ['00-worker', '99-worker-ssh'] };
    lab.world.pools.change('worker', 'mco', { target });
    await lab.pass(60);

    expect([unrendered, isPaused(lab)]).toEqual([true, false]);
  });

  test('[N-21] [S0-23] never passes quiet', async () => {
    const lab = await waitingForWindow();
    lab.world.argocd.setControllerNodes(['worker-1']);
    // It changes nothing that the MCO renders.
    lab.world.argocd.put({ ...lab.world.argocd.get('nodes'), name: 'elsewhere', uid: 'uid-elsewhere', resources: [] });
    lab.syncs(commitB, {}, 'elsewhere');
    await hands(lab).emergency(4 * hour);
    await lab.pass(600);
    const [view] = await lab.ports.views.list();

    expect(isPaused(lab)).toBe(true);
    expect(view?.pools[0]?.closedGates.map(({ gate }) => gate)).toEqual(['quiet']);
  });

  test('[N-21] [S0-16] that ends while the cluster cannot be seen pauses the frozen pool once it can', async () => {
    const lab = keepLab();
    await hands(lab, 'bob').freeze(48 * hour);
    await hands(lab).emergency(hour);
    await lab.pass(120);
    const mend = lab.world.faults.failAll(['pools.list']);
    await lab.pass(2 * hour);
    const blind = isPaused(lab);
    mend();
    await lab.pass(60);

    expect([blind, isPaused(lab)]).toEqual([false, true]);
  });

  test('[N-21] of a pool that nobody paused is open for what comes', async () => {
    const lab = keepLab({ windows: [notInMarch] });
    await hands(lab).emergency(8 * hour);
    await lab.deliver(lab.pushOf(commitB));
    lab.syncs(commitB);
    await lab.pass(60);
    lab.ends('Succeeded');
    await lab.pass(120);
    const inLane = isPaused(lab);
    await lab.pass(8 * hour);

    expect(inLane).toBe(false);
    expect(lab.told().filter((type) => type.startsWith('emergency'))).toEqual(['emergency.opened', 'emergency.ended']);
  });
});

describe('what a pool waits for in its emergency lane', () => {
  test('[N-21] [N-29] stands once: no gates are behind a freeze that the lane passes', async () => {
    const lab = keepLab({ pools: { worker: { ...defaultPoolSettings, protection: 'rest' } } });
    await lab.pass(120);
    await hands(lab, 'bob').freeze(48 * hour);
    await hands(lab).emergency(hour);
    await lab.pass(120);

    const [view] = await lab.ports.views.list();
    const waits = view?.pools[0] && waitsOf(view.pools[0]);

    expect(lab.record()?.holds).toHaveLength(1);
    expect(waits?.now[0]).toMatchObject({ kind: 'gate', name: 'rest' });
    expect(waits?.afterwards).toEqual([]);
  });
});

describe('everybody is told of an emergency', () => {
  test('[N-21] once, also of a pool that Poolkeeper has never touched', async () => {
    const lab = keepLab();
    await hands(lab).emergency(hour);
    await lab.pass(600);
    const during = lab.told();
    await lab.pass(hour);

    expect(during).toEqual(['emergency.opened', 'incident.opened']);
    expect(lab.told().filter((type) => type.startsWith('emergency'))).toEqual(['emergency.opened', 'emergency.ended']);
  });

  test('[N-21] on the timeline, in an incident that ends with it, and in the status', async () => {
    const lab = keepLab();
    await hands(lab, 'bob').freeze(48 * hour);
    await hands(lab).emergency(hour);
    await lab.pass(60);
    const opened = lab.troubles();
    const [view] = await lab.ports.views.list();
    const due = lab.world.alerts.take().map(({ event }) => event.data.kind);
    await hands(lab, 'eve').emergency(2 * hour);
    await lab.pass(60);
    const [again] = await lab.ports.incidents.load('prod');
    await lab.pass(3 * hour);

    expect(opened).toEqual(['emergency']);
    expect(due).toContain('emergency');
    expect(view?.pools[0]?.emergency).toMatchObject({ who: 'ann', why: 'CVE-2026-1234' });
    expect(again?.trouble?.headline).toBe('emergency lane opened by eve');
    expect(lab.troubles()).toEqual([]);
    expect(lab.told().filter((type) => type.startsWith('emergency'))).toEqual([
      'emergency.opened',
      'emergency.opened',
      'emergency.ended',
    ]);
    const texts = lab.world.tables.timeline.all().map(({ text }) => text);
    expect(texts).toContainEqual(expect.stringMatching(/^emergency until \S+, opened by ann: CVE-2026-1234$/));
    expect(texts).toContainEqual('emergency of eve has ended: CVE-2026-1234');
  });

  test('[N-21] every alert target hears of it at once, whatever it is told otherwise', () => {
    const filter = { clusters: ['other'], pools: ['infra'], severities: ['critical' as const], causes: ['P1'] };
    const targets = [
      { kind: 'outbox' as const, name: 'filtered', filter },
      { kind: 'outbox' as const, name: 'later', filter: { ...filter, clusters: [] }, escalateAfterSeconds: 3600 },
    ];
    const emergency = aTrouble({ key: { cluster: 'prod', pool: 'worker', kind: 'emergency' } });
    const other = aTrouble({ key: { cluster: 'prod', pool: 'worker', kind: 'drain-blocked' } });

    expect(audienceOf({ targets, statusUrl: undefined }, emergency).hear).toEqual(['filtered', 'later']);
    expect(audienceOf({ targets, statusUrl: undefined }, other).hear).toEqual([]);
  });
});
