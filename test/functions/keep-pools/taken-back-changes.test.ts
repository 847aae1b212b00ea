import { describe, expect, test } from 'vitest';
import { Approve } from '../../../functions/core/configuration/approve.ts';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { Window } from '../../../functions/core/configuration/window.ts';
import type { Approval } from '../../../functions/core/gates/approvals.ts';
import { openLane } from '../../../functions/core/holds/manual-emergency.ts';
import { resumeManually } from '../../../functions/core/holds/manual-hold.ts';
import { given } from '../../../functions/core/text/given.ts';
import { aCondition, aNode } from '../../fakes/index.ts';
import { commitA, type KeepLab, keepLab, type LabOptions } from './keep-lab.ts';

const alice = 'slack:U0000ALICE';
const [before, after, other] = ['rendered-worker-aaa', 'rendered-worker-bbb', 'rendered-worker-ccc'] as const;

/** A commit with what is rendered of it. */
interface Change {
  readonly commit: string;
  readonly config: string;
}

const change: Change = { commit: 'b'.repeat(40), config: after };
const revert: Change = { commit: 'c'.repeat(40), config: before };
const again: Change = { commit: 'd'.repeat(40), config: after };
const more: Change = { commit: 'e'.repeat(40), config: other };

function labWith(options: LabOptions = {}): KeepLab {
  const settings = { ...defaultPoolSettings, approve: Approve.parse({ by: [alice] }) };
  return keepLab({ ...options, pools: { worker: settings } });
}

function renders(lab: KeepLab, name: string): void {
  lab.world.pools.change('worker', 'machine-config-controller', {
    target: { name, sources: ['00-worker', '99-worker-ssh'] },
  });
}

/** A push, its sync, and the render of what it brought: all that is left is to resume. */
async function brings(lab: KeepLab, { commit, config }: Change): Promise<void> {
  const [known = commitA] = lab.world.argocd.get('nodes').sync.revisions;
  await lab.deliver(lab.pushOf(commit, { before: known }));
  lab.world.pools.observe('worker');
  await lab.pass(4);
  lab.syncs(commit);
  renders(lab, config);
  lab.ends('Succeeded');
  await lab.pass(120);
}

function approvalOf(lab: KeepLab, config: string): Approval {
  const at = lab.world.clock.now().toISOString();
  return { cluster: 'prod', pool: 'worker', config, who: alice, name: 'alice', verb: 'approve', at, reason: '' };
}

async function approves(lab: KeepLab, config: string, change: Partial<Approval> = {}): Promise<void> {
  await lab.world.tables.approvals.save({ ...approvalOf(lab, config), ...change });
  await lab.pass(60);
}

/** The MCO has what is rendered, and these of the three nodes have it. */
function counts(lab: KeepLab, updated: number, since = lab.world.clock.now().toISOString()): void {
  lab.world.pools.change('worker', 'machine-config-controller', {
    counts: { ...lab.pool().counts, updated },
    conditions: [aCondition({ type: 'Updated', since })],
  });
  lab.world.pools.observe('worker');
}

/** One node has what the pool wants. */
async function beginsToRollOut(lab: KeepLab): Promise<void> {
  const { target } = lab.pool();
  lab.world.pools.putNode(aNode({ name: 'worker-1', currentConfig: target.name, desiredConfig: target.name }));
  // The pool is not updated since the render: it was paused for longer than that.
  counts(lab, 1, new Date(lab.world.clock.now().getTime() - 180_000).toISOString());
  await lab.pass(60);
}

/** Every node has what the pool wants. */
async function rollsOut(lab: KeepLab): Promise<void> {
  lab.world.pools.change('worker', 'machine-config-controller', { current: lab.pool().target });
  await lab.pass(120);
}

async function isRolledOut(lab: KeepLab, of: Change): Promise<void> {
  await brings(lab, of);
  await approves(lab, of.config);
  await rollsOut(lab);
}

async function gateOf(lab: KeepLab) {
  const [view] = await lab.world.tables.views.list();
  return view?.pools[0]?.closedGates.find(({ gate }) => gate === 'approval');
}

describe('[S3-14] a change that was rolled out and taken back, each with an approval', () => {
  test('asks again when it comes once more, and says why the earlier approval does not count', async () => {
    const lab = labWith();
    await brings(lab, change);
    const at = lab.world.clock.now().toISOString();
    await approves(lab, after);
    await rollsOut(lab);
    await isRolledOut(lab, revert);
    const taken = lab.pool();

    await brings(lab, again);
    const asked = [lab.pool().paused, lab.troubles()];
    const gate = await gateOf(lab);
    await approves(lab, after);

    expect([taken.paused, taken.current.name]).toEqual([false, before]);
    expect(asked).toEqual([true, ['approval-needed']]);
    expect(gate).toMatchObject({
      approves: after,
      why: `${after} needs 1 approval: nobody has approved; ${alice} (alice) approved it at ${at}, before ${before} was rolled out: that does not count again`,
    });
    expect(lab.pool().paused).toBe(false);
  });

  test('asks again also where one of its nodes alone had gone', async () => {
    const lab = labWith();
    await brings(lab, change);
    await approves(lab, after);
    await beginsToRollOut(lab);
    await brings(lab, revert);
    lab.world.pools.change('worker', 'machine-config-controller', { counts: { ...lab.pool().counts, updated: 2 } });
    const asked = lab.pool().paused;
    await approves(lab, before);
    const taken = lab.pool().paused;

    await brings(lab, again);

    expect([asked, taken]).toEqual([true, false]);
    expect([lab.pool().paused, lab.troubles()]).toEqual([true, ['approval-needed']]);
  });

  test('asks nobody again for the change itself, whatever pauses its rollout', async () => {
    const lab = labWith({
      windows: [Window.parse({ kind: 'allow', schedule: '0 10,13 * * *', durationSeconds: 3600 })],
    });
    await brings(lab, change);
    await approves(lab, after);
    const let1 = lab.pool().paused;
    await lab.pass(3600);
    const atClosing = lab.pool().paused;
    await lab.pass(2 * 3600);
    const let2 = lab.pool().paused;
    await brings(lab, again);

    expect([let1, atClosing, let2, lab.pool().paused]).toEqual([false, true, false, false]);
  });

  test('asks again where a person has resumed what took it back', async () => {
    const lab = labWith();
    await isRolledOut(lab, change);
    await brings(lab, revert);
    const { paused, record } = resumeManually(lab.pool(), {
      who: 'ann',
      why: 'it broke nodes',
      now: lab.world.clock.now(),
    });
    if (record)
      lab.world.pools.change('worker', 'poolkeeper', { ...given({ paused }), record: { kind: 'record', record } });
    await lab.pass(4000);
    await rollsOut(lab);

    await brings(lab, again);

    expect([lab.pool().paused, lab.troubles()]).toEqual([true, ['approval-needed']]);
  });

  test('asks again where it was taken back through the emergency lane, or its pool lost its record since', async () => {
    const [lane, lost] = [labWith(), labWith()];
    await isRolledOut(lane, change);
    const now = lane.world.clock.now();
    const { record } = openLane(lane.pool(), new Date(now.getTime() + 3_600_000), {
      who: 'ann',
      why: 'it breaks',
      now,
    });
    if (record) lane.world.pools.change('worker', 'poolkeeper', { record: { kind: 'record', record } });
    await brings(lane, revert);
    const resumed = lane.pool().paused;
    await rollsOut(lane);
    await lane.pass(3600);
    await isRolledOut(lost, change);
    await isRolledOut(lost, revert);
    await lost.deliver(lost.pushOf(again.commit, { before: revert.commit }));
    lost.world.pools.change('worker', 'kubectl-annotate', { record: { kind: 'none' } });
    await lost.pass(60);

    await brings(lane, again);
    await brings(lost, again);
    await lost.pass(20 * 60);

    expect([resumed, lane.pool().paused, lost.pool().paused]).toEqual([false, true, true]);
    expect(lost.troubles()).toEqual(['approval-needed']);
  });

  test('asks again where somebody else has resumed what took it back, or all nodes took it unasked', async () => {
    const [resumed, unpaused] = [labWith(), labWith()];
    await isRolledOut(resumed, change);
    await brings(resumed, revert);
    resumed.world.pools.change('worker', 'kubectl-patch', { paused: false });
    await resumed.pass(4000);
    await rollsOut(resumed);
    await isRolledOut(unpaused, change);
    renders(unpaused, before);
    await rollsOut(unpaused);

    await brings(resumed, again);
    await brings(unpaused, again);

    expect([resumed.pool().paused, unpaused.pool().paused]).toEqual([true, true]);
  });

  test('asks again where its nodes took another unasked, and it was pending before anybody could pause for it', async () => {
    const lab = labWith();
    await isRolledOut(lab, change);
    renders(lab, before);
    await rollsOut(lab);
    renders(lab, after);
    counts(lab, 0);
    await brings(lab, again);

    expect([lab.pool().paused, lab.troubles()]).toEqual([true, ['approval-needed']]);
  });

  test('asks for each of three changes once in a round', async () => {
    const lab = labWith();
    for (const each of [change, more, revert]) await isRolledOut(lab, each);

    const asked: boolean[] = [];
    for (const [index, { config }] of [change, more, revert].entries()) {
      await brings(lab, { commit: `${index}`.repeat(40), config });
      asked.push(lab.pool().paused);
      await approves(lab, config);
      await rollsOut(lab);
    }

    expect(asked).toEqual([true, true, true]);
  });

  test('asks again where the clock of whoever took the approval runs ahead', async () => {
    const lab = labWith();
    await brings(lab, change);
    const ahead = new Date(lab.world.clock.now().getTime() + 290_000).toISOString();
    await approves(lab, after, { at: ahead });
    await beginsToRollOut(lab);
    await brings(lab, revert);
    counts(lab, 2);
    await approves(lab, before);
    const taken = { paused: lab.pool().paused, isEarlier: (lab.record()?.last?.at ?? ahead) < ahead };

    await brings(lab, again);

    expect(taken).toEqual({ paused: false, isEarlier: true });
    expect(lab.pool().paused).toBe(true);
  });

  test.each([0, -240, 120, 300])(
    'asks nobody again in mid-rollout, with the clock of the cluster %i s ahead',
    async (ahead) => {
      const lab = labWith();
      await lab.deliver(lab.pushOf(change.commit));
      lab.world.pools.observe('worker');
      await lab.pass(4);
      lab.syncs(change.commit);
      renders(lab, after);
      const since = new Date(lab.world.clock.now().getTime() + ahead * 1000).toISOString();
      counts(lab, 0, since);
      lab.ends('Succeeded');
      await lab.pass(120);
      await approves(lab, after);
      counts(lab, 1, since);
      await lab.pass(300);

      await brings(lab, { commit: 'c'.repeat(40), config: after });

      expect([lab.pool().paused, lab.record()?.rolledOut?.change]).toEqual([false, after]);
    },
  );

  test.each([
    ['before', 0, 2],
    ['before', 0, 0],
    ['after', 0, 2],
    ['before', 2, 2],
  ] as const)(
    'asks again where a person resumed %s the render of what took it back (%i, then %i nodes have that)',
    async (...row) => {
      const [when, first, then] = row;
      const lab = labWith();
      await isRolledOut(lab, change);
      await lab.deliver(lab.pushOf(revert.commit, { before: change.commit }));
      lab.world.pools.observe('worker');
      await lab.pass(4);
      lab.syncs(revert.commit);
      const render = () => {
        renders(lab, before);
        counts(lab, first);
      };
      if (when === 'after') render();
      await lab.pass(10);
      lab.world.pools.change('worker', 'kubectl-patch', { paused: false });
      await lab.pass(60);
      if (when === 'before') render();
      await lab.pass(30);
      lab.ends('Succeeded');
      counts(lab, then);
      await lab.pass(240);
      const resumed = lab.pool().paused;

      await brings(lab, again);

      expect([resumed, lab.pool().paused, lab.troubles()]).toEqual([false, true, ['approval-needed']]);
    },
  );

  test('asks again where some of its nodes had taken another unasked', async () => {
    const lab = labWith();
    await isRolledOut(lab, change);
    await lab.pass(600);
    renders(lab, before);
    counts(lab, 0);
    await lab.pass(120);
    counts(lab, 1);
    await lab.pass(60);

    await brings(lab, again);

    expect([lab.pool().paused, lab.troubles()]).toEqual([true, ['approval-needed']]);
  });

  test('asks nobody again where another was rendered for a moment, and no node went to it', async () => {
    const lab = labWith({
      windows: [Window.parse({ kind: 'allow', schedule: '0 10,13 * * *', durationSeconds: 3600 })],
    });
    await brings(lab, change);
    await approves(lab, after);
    await beginsToRollOut(lab);
    await lab.pass(1200);
    // It is not updated all the while: the MCO leaves the time of its condition.
    const since = lab.pool().conditions.find(({ type }) => type === 'Updated')?.since;
    renders(lab, other);
    await lab.pass(60);
    counts(lab, 0, since);
    await lab.pass(60);
    renders(lab, after);
    counts(lab, 1, since);
    await lab.pass(3600);
    const closed = lab.pool().paused;
    await lab.pass(2 * 3600);

    expect([closed, lab.pool().paused]).toEqual([true, false]);
    expect(lab.record()?.rolledOut).toMatchObject({ change: after });
  });

  test('counts approvals after our clock, which ran ahead when a change was let go, was set back', async () => {
    const lab = labWith();
    lab.world.clock.advance(6 * 3600);
    await isRolledOut(lab, change);
    lab.world.clock.set(new Date(lab.world.clock.now().getTime() - 6 * 3_600_000));
    const passes = async (count: number) => {
      for (let index = 0; index < count; index += 1) {
        lab.world.clock.advance(60);
        await lab.tick();
        for (const { event } of lab.world.work.take()) await lab.deliver(event);
      }
    };
    await lab.deliver(lab.pushOf(more.commit, { before: change.commit }));
    lab.world.pools.observe('worker');
    await passes(1);
    lab.syncs(more.commit);
    renders(lab, other);
    await passes(1);
    lab.ends('Succeeded');
    await passes(8);
    const asked = lab.pool().paused;
    await lab.world.tables.approvals.save(approvalOf(lab, other));
    await passes(5);

    expect([asked, lab.pool().paused, lab.record()?.rolledOut?.change]).toEqual([true, false, other]);
  });
});
