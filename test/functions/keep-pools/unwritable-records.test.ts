import { describe, expect, test } from 'vitest';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { commitB, type KeepLab, keepLab, type LabOptions, nodesHold } from './keep-lab.ts';

const hour = 3600;

async function syncing(options: LabOptions = {}): Promise<KeepLab> {
  const lab = keepLab(options);
  await lab.deliver(lab.pushOf(commitB));
  lab.world.pools.observe('worker');
  lab.world.clock.advance(2);
  lab.syncs(commitB);
  await lab.deliver(lab.operationOf('Running'));
  return lab;
}

async function failed(options: LabOptions = { policy: { onSyncFailure: 'keep' } }): Promise<KeepLab> {
  const lab = await syncing(options);
  lab.world.clock.advance(5);
  lab.ends('Failed');
  await lab.deliver(lab.operationOf('Failed'));
  const target = { name: 'rendered-worker-2', sources: [] };
  lab.world.pools.change('worker', 'machine-config-controller', { target, pausedBy: lab.pool().pausedBy });
  await lab.pass(300);
  return lab;
}

async function stuck(): Promise<KeepLab> {
  const lab = await syncing();
  await lab.pass(2.5 * hour);
  return lab;
}

const approve = {
  by: ['slack:U0000ALICE'],
  needed: 1,
  when: 'sync-failed' as const,
  excludePusher: false,
  expiresSeconds: hour,
};

async function waitsForApproval(more: Partial<typeof defaultPoolSettings> = {}): Promise<KeepLab> {
  const pools = { worker: { ...defaultPoolSettings, approve, ...more } };
  const lab = await failed({ policy: { onSyncFailure: 'resume-after-approval' }, pools });
  await lab.pass(1.5 * hour);
  return lab;
}

async function syncsWell(lab: KeepLab): Promise<void> {
  lab.syncs(commitB);
  await lab.pass(60);
  lab.ends('Succeeded', { results: [] });
}

async function isApproved({ world }: KeepLab): Promise<void> {
  const at = world.clock.now().toISOString();
  const asked = { cluster: 'prod', pool: 'worker', config: 'rendered-worker-2' };
  await world.tables.approvals.save({ ...asked, who: 'slack:U0000ALICE', name: '', verb: 'approve', at, reason: '' });
}

async function endsAtLast(lab: KeepLab): Promise<void> {
  lab.ends('Succeeded', { results: [] });
}

function losesRecord({ world }: KeepLab): void {
  world.pools.change('worker', 'kubectl-annotate', { record: { kind: 'none' } });
}

function isWrittenOver({ world }: KeepLab): void {
  const record = { kind: 'record' as const, record: { v: 1 as const, holds: [] } };
  world.pools.change('worker', 'argocd-controller', { record, recordBy: 'argocd-controller' });
}

/** Looks for so many minutes, of which each fails. */
async function refusedFor(minutes: number, error: Transient, lab: KeepLab): Promise<void> {
  lab.world.faults.forget();
  const taken = lab.world.faults.failAll(['pools.patch'], error);
  for (let at = 0; at < minutes; at += 1) await expect(lab.pass(60)).rejects.toThrow(error.message);
  taken();
}

function numbersOf({ world }: KeepLab, kind: string): readonly number[] {
  return world.tables.incidents.all().flatMap((each) => (each.key.kind === kind ? [each.number] : []));
}

const answers = {
  '409': new Transient('PATCH: 409', { kind: 'conflict', isAnswered: true }),
  '403': new Transient('PATCH: 403', { kind: 'forbidden', isAnswered: true }),
  '500': new Transient('PATCH: 500', { kind: 'unreachable', isAnswered: true }),
};

const scenes = [
  { kind: 'run-failed', make: failed, end: syncsWell },
  { kind: 'approval-needed', make: () => waitsForApproval(), end: isApproved },
  { kind: 'sync-stuck', make: stuck, end: endsAtLast },
] as const;

const losses = { 'is lost': losesRecord, 'is written over': isWrittenOver } as const;

describe.each(scenes)('[N-18] [N-29] the alert $kind of a pool', ({ kind, make, end }) => {
  test.each([
    ['is lost', '409'],
    ['is lost', '403'],
    ['is lost', '500'],
    ['is written over', '403'],
  ] as const)(
    'whose record %s and cannot be written back (%s) goes on, and ends with what it is about',
    async (loss, status) => {
      const lab = await make();
      const [before, number] = [lab.told().length, numbersOf(lab, kind)];
      losses[loss](lab);

      await refusedFor(20, answers[status], lab);
      const meanwhile = [...lab.told().slice(before)];
      await lab.pass(20 * 60);
      const restored = lab.told().slice(before);
      const firing = lab.troubles();
      await end(lab);
      await lab.pass(20 * 60);

      expect(meanwhile).toEqual([]);
      expect(restored).not.toContain('incident.resolved');
      expect(restored).not.toContain('incident.opened');
      expect(firing).toEqual([kind]);
      expect(numbersOf(lab, kind)).toEqual(number);
      expect(lab.troubles()).not.toContain(kind);
      expect(lab.told().slice(before)).toContain('incident.resolved');
    },
  );
});

test('[N-17] [N-29] nor is it told that nobody is asked to approve while every Application is checked after a lost record', async () => {
  const lab = await waitsForApproval();
  const before = lab.told().length;
  losesRecord(lab);

  await lab.pass(10 * 60);

  expect(lab.record()?.holds).toMatchObject([{ id: 'manual/poolkeeper' }]);
  expect(lab.told().slice(before)).not.toContain('incident.resolved');
  expect(lab.troubles()).toEqual(['approval-needed']);
});

test('[N-4] [N-29] the page and the clocks of the gates go on meanwhile', async () => {
  const lab = await waitsForApproval();
  const viewed = async () => {
    const [view] = await lab.world.tables.views.list();
    return view?.pools.map(({ paused, pauseOf, pausedSince, holds }) => ({ paused, pauseOf, pausedSince, holds }));
  };
  const [view, checkpoint] = [await viewed(), await lab.world.tables.checkpoints.load('prod')];
  losesRecord(lab);

  await refusedFor(10, answers['403'], lab);

  const after = await lab.world.tables.checkpoints.load('prod');
  expect(view).toMatchObject([{ paused: true, pauseOf: 'ours' }]);
  expect(await viewed()).toEqual(view);
  expect(after?.firstSeen['worker|gate|approval']).toBeDefined();
  expect(after?.firstSeen['worker|gate|approval']).toEqual(checkpoint?.firstSeen['worker|gate|approval']);
  expect(after?.told['worker']?.release?.afterFailed).toEqual([nodesHold]);
});
