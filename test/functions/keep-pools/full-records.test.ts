import { describe, expect, test } from 'vitest';
import type { Application } from '../../../functions/core/argocd/application.ts';
import { addManualHold, resumeManually } from '../../../functions/core/holds/manual-hold.ts';
import type { Hold } from '../../../functions/core/openshift/hold.ts';
import { readRecord } from '../../../functions/core/openshift/pool-record.ts';
import type { PushOutcome } from '../../../functions/core/relay/push-outcome.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import { aMachineConfig, anApplication, anOperation } from '../../fakes/index.ts';
import { changedFile, machineConfigText, pushFiles } from '../receive-github/push-of-files.ts';
import { commitA, commitB, commitC, type KeepLab, keepLab, nodesHold } from './keep-lab.ts';

/** What the API server accepts of annotations per object, bytes. */
const annotationBytes = 256 * 1024;
const rest = 'set/hub//others';
/** More than a record has room for, with names as short as the real one's. */
const many = 580;
const nameOf = (index: number) => `x${`${index}`.padStart(4, '0')}`;
const running = anOperation({ phase: 'Running', finishedAt: undefined, results: [] });

/** A lab whose own Application has a hold of no less than theirs. */
function fullLab(): KeepLab {
  const lab = keepLab();
  lab.world.argocd.change('nodes', { uid: '4c4e1b0e-3c0b-4a1e-9e0a-7d3c7f0c1a2b' });
  return lab;
}

function put(lab: KeepLab, count: number, change: Partial<Application>): void {
  for (let index = 0; index < count; index += 1)
    lab.world.argocd.put(anApplication({ name: nameOf(index), uid: nameOf(index), ...change }));
}

function change(lab: KeepLab, count: number, to: Partial<Application>): void {
  for (let index = 0; index < count; index += 1) lab.world.argocd.change(nameOf(index), to);
}

/** Applications of the tenant's repository, which write the status that they are in the middle of a sync. */
function fillWithSyncs(lab: KeepLab, count = many): void {
  put(lab, count, { sources: tenants, operation: running, operationQueued: true });
}

const over = { operation: anOperation({ phase: 'Succeeded', results: [] }), operationQueued: false } as const;
const tenants = [{ repoURL: 'https://github.com/acme/tenant.git', path: '.', targetRevision: 'main', chart: '' }];
const tenant = { htmlUrl: 'https://github.com/acme/tenant', fullName: 'acme/tenant', defaultBranch: 'main' };

/** A push to the tenant's repository, which all of them follow. */
async function fillWithPushes(lab: KeepLab): Promise<void> {
  const reconciledAt = lab.world.clock.now().toISOString();
  put(lab, many, { sources: tenants, sync: { status: 'Synced', revisions: [commitA] }, reconciledAt });
  // Delivered once more, it only fills what is left.
  for (const at of [0, 1, 2])
    await lab.deliver({ ...lab.pushOf('c'.repeat(40), { repository: tenant }), id: `of-the-tenant-${at}` });
}

/** One tick after so many seconds: after five minutes, it lists all Applications. */
async function later(lab: KeepLab, seconds = 301): Promise<void> {
  lab.world.clock.advance(seconds);
  await lab.tick();
}

function removeAll(lab: KeepLab): void {
  for (let index = 0; index < many; index += 1) lab.world.argocd.remove(nameOf(index));
}

function bytesOf(lab: KeepLab): number {
  return Buffer.byteLength(JSON.stringify(lab.record()));
}

function idsOf(lab: KeepLab): readonly string[] {
  return lab.record()?.holds.map(({ id }) => id) ?? [];
}

describe('a pool whose record is full', () => {
  test('[N-30] [S0-2] of syncs that run has room for a push all the same, and for its sync', async () => {
    const lab = fullLab();
    fillWithSyncs(lab);
    await lab.tick();

    await lab.deliver(lab.pushOf(commitB));
    expect(lab.record()?.holds.find(({ id }) => id === nodesHold)).toMatchObject({ phase: 'expected' });
    change(lab, many, over);
    await later(lab);
    expect([lab.pool().paused, idsOf(lab).includes(nodesHold)]).toEqual([true, true]);

    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));
    lab.ends('Succeeded');
    await lab.pass(20 * 60);
    expect([lab.pool().paused, idsOf(lab)]).toEqual([false, []]);
  });

  test('[N-30] [S0-2] of pushes stays paused for one more, whatever the others say, and no longer', async () => {
    const lab = fullLab();
    await lab.tick();
    await fillWithPushes(lab);
    expect(lab.record()?.holds.length).toBeGreaterThan(200);

    await lab.deliver(lab.pushOf(commitB));
    expect([idsOf(lab).includes(nodesHold), idsOf(lab).includes(rest)]).toEqual([false, true]);
    removeAll(lab);
    await later(lab, 14 * 60);
    expect([idsOf(lab), lab.pool().paused]).toEqual([[rest], true]);

    await lab.pass(18 * 60);
    expect([idsOf(lab), lab.pool().paused]).toEqual([[], false]);
    const told = lab.world.bus.published.flatMap((event) =>
      event.type === 'poolkeeper.decision.nothing.v1' ? [`${event.data.about}: ${event.data.why}`] : [],
    );
    expect(told).toContainEqual(`worker by ${nodesHold}: ${leftOut}`);
  });

  const leftOut = 'the record of the pool has no room for its hold: it is held together with others';

  test('[N-30] [S0-9] holds a sync that had no room, and that failed, when the others are gone, and tells it', async () => {
    const lab = fullLab();
    await lab.tick();
    await fillWithPushes(lab);
    await lab.deliver(lab.pushOf(commitB));
    lab.syncs(commitB);
    await later(lab);
    lab.world.argocd.change('nodes', { sync: { status: 'OutOfSync', revisions: [commitB] } });
    const refused = { group: 'machineconfiguration.openshift.io', kind: 'MachineConfig', namespace: '', message: 'no' };
    lab.ends('Failed', { results: [{ ...refused, name: '99-worker-ssh', status: 'SyncFailed', hookType: '' }] });
    removeAll(lab);
    await later(lab);

    await lab.pass(3600);

    expect([lab.pool().paused, idsOf(lab)]).toEqual([true, [nodesHold]]);
    expect(lab.record()?.holds[0]?.phase).toBe('failed');
    expect(lab.troubles()).toContain('run-failed');
  });

  test('[N-30] [S0-2] is not resumed in the middle of a sync that had no room, when all others end at once', async () => {
    const lab = fullLab();
    const real = lab.world.argocd.get('nodes');
    lab.world.argocd.remove('nodes');
    fillWithSyncs(lab);
    lab.world.argocd.put(real);
    lab.syncs(commitB);
    await lab.tick();
    expect(idsOf(lab)).not.toContain(nodesHold);

    change(lab, many, over);
    // Not in a sweep, which would find the sync.
    await lab.deliver({
      ...lab.operationOf('Succeeded'),
      data: { ...lab.operationOf('Succeeded').data, name: 'x0000' },
    });

    expect([lab.pool().paused, idsOf(lab)]).toEqual([true, [rest]]);
    await later(lab);
    expect(idsOf(lab)).toContain(nodesHold);
    lab.ends('Succeeded');
    removeAll(lab);
    await lab.pass(1800);
    expect([lab.pool().paused, idsOf(lab)]).toEqual([false, []]);
  });

  test('[N-30] keeps what people hold, and lets them resume it', async () => {
    const lab = fullLab();
    await lab.tick();
    const pool = () => lab.world.pools.get('worker');
    const now = lab.world.clock.now();
    const held = addManualHold(pool(), new Date(now.getTime() + 7_200_000), { who: 'eve', why: 'a look', now });
    await lab.world.pools.patchPool(pool(), { paused: held.paused, record: held.record });
    fillWithSyncs(lab);
    await later(lab);
    await lab.deliver(lab.pushOf(commitB));
    expect(idsOf(lab)).toEqual(expect.arrayContaining(['manual/eve', nodesHold, rest]));

    const resumed = resumeManually(pool(), { who: 'eve', why: 'enough', now: lab.world.clock.now() });
    await lab.world.pools.patchPool(pool(), { paused: resumed.paused, record: resumed.record });
    await later(lab);
    await later(lab);

    expect([lab.pool().paused, lab.record()?.pause]).toEqual([false, 'overridden']);
  });

  test('[N-30] writes the collective hold seldom, and says of what it is', async () => {
    const lab = fullLab();
    fillWithSyncs(lab);
    await lab.tick();
    const first = lab.record()?.holds.find(({ id }) => id === rest);
    const before = Number(lab.pool().resourceVersion);

    await later(lab);
    await later(lab);

    const last = lab.record()?.holds.find(({ id }) => id === rest);
    expect(first?.why).toMatch(
      /^the record of the pool has no room for \d+ holds, such as openshift-gitops\/x\d+, .* and 2 more$/,
    );
    expect(last).toEqual({ ...first, until: expect.any(String) });
    // In two sweeps, it is renewed once.
    expect(Number(lab.pool().resourceVersion) - before).toBeLessThanOrEqual(1);
    const held = lab.world.bus.published.filter(
      (event) => event.type === 'poolkeeper.pool.held.v1' && event.data.hold.id === rest,
    );
    expect(held).toHaveLength(1);
  });
});

describe('the API server takes a record', () => {
  test('[N-30] of failed syncs whose messages are not ASCII', async () => {
    const lab = fullLab();
    fillWithSyncs(lab, 300);
    await lab.tick();
    const message = '\u4e16'.repeat(1_000);
    change(lab, 300, { operation: anOperation({ phase: 'Failed', message, results: [] }), operationQueued: false });

    await later(lab);

    expect(lab.record()?.holds.length).toBeGreaterThan(250);
    expect(bytesOf(lab)).toBeLessThan(annotationBytes);
  });

  test('[N-30] of many syncs that a push of a claimed writer with a long name concerns', async () => {
    const lab = fullLab();
    fillWithSyncs(lab, 500);
    change(lab, 500, {
      sources: [{ repoURL: 'https://github.com/acme/x.git', path: '.', targetRevision: 'main', chart: '' }],
    });
    await lab.tick();
    const resources = Array.from({ length: 500 }, (_, index) => ({
      ...{ group: 'argoproj.io', kind: 'Application', namespace: 'openshift-gitops', status: 'Synced' },
      name: nameOf(index),
    }));
    const name = 'w'.repeat(253);
    lab.world.argocd.put(anApplication({ name, uid: 'w', sources: tenants, resources }));
    await later(lab);

    await lab.deliver({ ...lab.pushOf(commitC, { repository: tenant }), id: 'of-the-tenant' });

    expect(bytesOf(lab)).toBeLessThan(annotationBytes);
    expect(readRecord(JSON.stringify(lab.record())).kind).toBe('record');
    expect(lab.pool().paused).toBe(true);
  });
});

test('[N-15] [N-30] a pool waits for the render of a MachineConfig beside thousands that a tenant says to have applied', async () => {
  const lab = keepLab();
  const [result] = anOperation().results;
  const applied = (...names: readonly string[]) =>
    names.flatMap((name) => (result === undefined ? [] : [{ ...result, name }]));
  const madeUp = Array.from({ length: 4000 }, (_, at) => `00-made-up-${at}`);
  lab.world.argocd.put(anApplication({ name: 'theirs', uid: 'theirs', sources: tenants }));
  lab.syncs(commitB);
  lab.syncs(commitB, {}, 'theirs');
  await lab.tick();
  lab.world.pools.observe('worker');
  lab.world.pools.putMachineConfig(aMachineConfig({ name: '99-worker-new' }));
  lab.ends('Succeeded', { results: applied('99-worker-new') });
  lab.ends('Succeeded', { results: applied(...madeUp) }, 'theirs');

  // The controller that renders is away for a minute.
  await lab.pass(70);
  const before = [lab.pool().paused, lab.record()?.release?.machineConfigs.includes('99-worker-new')];
  const next = { name: 'rendered-worker-bbb', sources: [...lab.pool().target.sources, '99-worker-new'] };
  lab.world.pools.change('worker', 'machine-config-controller', { target: next });
  await lab.pass(60);

  expect(before).toEqual([true, true]);
  expect(lab.pool().paused).toBe(false);
});

test('[N-30] [S0-13] a sync of earlier commits of several sources ends no wait, also where a record is full', async () => {
  const lab = fullLab();
  const revisions = ['1', '2', '3'].map((each) => each.repeat(40));
  lab.world.argocd.change('nodes', { sync: { status: 'Synced', revisions } });
  await lab.deliver(lab.pushOf(commitB));
  const before: readonly Hold[] = lab.record()?.holds ?? [];
  // As the version before this one wrote it, and more than that: nearly all of what the API server takes.
  const forged = Array.from({ length: 230 }, (_, index): Hold => {
    const hold = { ...before[0], id: `sync/hub/openshift-gitops/${nameOf(index)}`, who: nameOf(index), why: '' };
    return {
      ...hold,
      kind: 'sync',
      since: '2026-03-02T10:00:00Z',
      until: '2026-03-02T11:00:00Z',
      because: 'x'.repeat(200),
    };
  });
  put(lab, 230, { sources: tenants, operation: running, operationQueued: true });
  const pool = lab.world.pools.get('worker');
  const [nodes] = before;
  if (nodes === undefined) throw new Error('not held');
  await lab.world.pools.patchPool(pool, { record: { v: 1, pause: 'ours', holds: [...forged, nodes] } });
  lab.world.clock.advance(5);
  await lab.tick();
  expect(idsOf(lab)).toContain(nodesHold);

  lab.world.argocd.change('nodes', {
    operation: anOperation({ startedAt: lab.world.clock.now().toISOString(), revisions, results: [] }),
  });
  lab.world.clock.advance(5);
  await lab.pass(60);

  expect(lab.record()?.holds.find(({ id }) => id === nodesHold)?.phase).toBe('expected');
});

test('[N-30] [S0-2] a relay waits for a pool that a push without room of its own keeps paused', async () => {
  const lab = fullLab();
  await lab.tick();
  await fillWithPushes(lab);
  const outcomes: PushOutcome[] = [];
  const save = async (outcome: PushOutcome) => void outcomes.push(outcome);

  await keep(lab.pushOf(commitB), { ...lab.ports, outcomes: { save, load: async () => undefined } });

  expect(outcomes.at(-1)?.paused).toMatchObject([{ cluster: 'prod', pool: 'worker', hold: rest }]);
});

test('[N-30] [S0-2] a push that gives many Applications of one folder their first MachineConfig hides none of them', async () => {
  const lab = fullLab();
  const { sources } = anApplication();
  const resources = [{ group: '', kind: 'ConfigMap', namespace: 'x', name: 'x', status: 'Synced' }];
  const sync = { status: 'Synced', revisions: [commitA] } as const;
  const nodes = lab.world.argocd.get('nodes');
  lab.world.argocd.remove('nodes');
  put(lab, 210, { sources, resources, sync });
  lab.world.argocd.put({ ...nodes, resources });
  await lab.tick();

  await pushFiles(lab, [changedFile('nodes/99-new.yaml', undefined, machineConfigText('99-new'))]);

  expect(idsOf(lab)).toContain(nodesHold);
});
