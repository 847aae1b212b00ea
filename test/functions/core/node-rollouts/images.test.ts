import { describe, expect, test } from 'vitest';
import {
  type ClusterRollouts,
  follow,
  nodesToRead,
  noRollouts,
} from '../../../../functions/core/node-rollouts/follow.ts';
import { courseOf } from '../../../../functions/core/node-rollouts/in-order.ts';
import { rolloutEvents } from '../../../../functions/core/node-rollouts/node-events.ts';
import type { NodeReading } from '../../../../functions/core/node-rollouts/node-reading.ts';
import { unmetCondition } from '../../../../functions/core/node-rollouts/unmet.ts';
import type { Node } from '../../../../functions/core/openshift/node.ts';
import { type NodeRollout, stepOf } from '../../../../functions/core/openshift/node-rollout.ts';
import { timelineEntry } from '../../../../functions/core/timeline/timeline-entry.ts';
import { aNode } from '../../../fakes/index.ts';

const config = 'rendered-worker-aaa';
const digestOf = (digit: string) => `sha256:${digit.repeat(64)}`;
const imageOf = (digit: string) => `registry.example.com/os@${digestOf(digit)}`;
const [old, next] = [`${config}@${digestOf('1')}`, `${config}@${digestOf('2')}`];

const [drain, uncordon] = [`drain-${config}`, `uncordon-${config}`];
const atRest = { desiredDrain: uncordon, lastAppliedDrain: uncordon };
const before = aNode({ ...atRest, currentImage: imageOf('1'), desiredImage: imageOf('1') });
const given = { ...before, desiredImage: imageOf('2') };
const draining = { ...given, state: 'Working', desiredDrain: drain };
const rebooting = { ...draining, lastAppliedDrain: drain, postConfigAction: 'Rebooting' };
const back = { ...rebooting, postConfigAction: '', desiredDrain: uncordon };
const after = { ...before, currentImage: imageOf('2'), desiredImage: imageOf('2') };

/** `2026-03-02T10:05:00.000Z`. */
const at = (minute: number) => new Date(Date.parse('2026-03-02T10:00:00Z') + minute * 60_000).toISOString();

function lookAt(node: Node, minute: number, bootId: string): ReadonlyMap<string, NodeReading> {
  const readAt = at(minute);
  return new Map([[node.name, { readAt, bootId, ready: { is: true, since: readAt }, machine: 'absent' }]]);
}

/** Follows the node from look to look. */
function followed(known: ClusterRollouts, ...looks: readonly (readonly [node: Node, bootId: string])[]) {
  let rollouts = known;
  const ended: NodeRollout[] = [];
  for (const [minute, [node, bootId]] of looks.entries()) {
    const pool = { pool: 'worker', nodes: [node], looks: lookAt(node, minute, bootId), causesOf: () => [cause] };
    const { rollouts: stored, ended: endedNow } = follow(rollouts, [pool], { readAt: at(minute) });
    const { untold: _, ...rest } = stored;
    rollouts = rest;
    ended.push(...endedNow);
  }
  return { rollouts, ended };
}

const cause = { kind: 'git', sources: ['99-worker-ssh'], why: 'MachineConfig 99-worker-ssh' } as const;

describe('[S3-5] [N-30] image mode: a node that reboots into another image with the same config', () => {
  const course = [
    [before, 'boot-1'],
    [given, 'boot-1'],
    [draining, 'boot-1'],
    [rebooting, 'boot-1'],
    [back, 'boot-2'],
    [after, 'boot-2'],
  ] as const;

  test('is being updated, and has been rebooted for that image', () => {
    expect(followed(noRollouts('prod'), ...course.slice(0, 4)).rollouts.open).toMatchObject([
      { from: old, to: next, step: 'reboot', causes: [] },
    ]);

    const { ended, rollouts } = followed(noRollouts('prod'), ...course);

    expect(ended).toMatchObject([{ from: old, to: next, rebooted: true, boots: ['boot-1', 'boot-2'] }]);
    expect(ended.flatMap(courseOf).map(({ name }) => name)).toEqual(['pickup', 'drain', 'stage', 'reboot', 'uncordon']);
    expect(rollouts).toMatchObject({ open: [], reboots: [{ node: before.name, to: next, isObserved: true }] });
  });

  test('is told on the timeline, by its digest', () => {
    const [event] = rolloutEvents(followed(noRollouts('prod'), ...course).ended, new Date(at(6)));

    expect(event?.data).toMatchObject({ from: old, to: next, rebooted: true });
    expect(event && timelineEntry(event).text).toContain(`rebooted into ${config} with image sha256:222222222222:`);
  });

  test('is told too where no look came between', () => {
    const { ended } = followed(noRollouts('prod'), [before, 'boot-1'], [after, 'boot-2']);

    expect(ended).toMatchObject([{ from: old, to: next, unseen: {}, causes: [], ended: { how: 'done' } }]);
  });

  test('goes back to the image of the release in the same way', () => {
    const { currentImage: _, desiredImage: __, ...released } = after;
    const { desiredImage: ___, ...leaving } = draining;

    const { ended } = followed(noRollouts('prod'), [before, 'boot-1'], [leaving, 'boot-1'], [released, 'boot-2']);

    expect(ended).toMatchObject([{ from: old, to: config, rebooted: true }]);
  });

  test('is read first, for its boot id', () => {
    const nodes = [aNode({ ...before, name: 'worker-0' }), draining];

    expect(nodesToRead(noRollouts('prod'), { pool: 'worker', nodes }, {}, 5)).toEqual([draining]);
  });

  test('has had no update because an earlier version knew of no images, or only its pool is known', () => {
    const known = { [before.name]: { pool: 'worker', uid: before.uid.slice(-12), config } };
    const marks = { worker: { config, updated: 1, machines: 1, isAtRest: true, at: at(0) } };
    const pool = { pool: 'worker', nodes: [before], looks: new Map(), causesOf: () => [] };

    expect(followed({ ...noRollouts('prod'), known }, [before, 'boot-1']).ended).toEqual([]);
    expect(follow(noRollouts('prod'), [pool], { readAt: at(1), marks }).ended).toEqual([]);
  });

  test.each([
    ['has not begun', given, 'pickup', 'the config daemon has not started'],
    ['is being drained', draining, 'drain', `lastAppliedDrain must become ${drain}`],
    ['reboots', rebooting, 'reboot', 'Ready must become True'],
    ['is being uncordoned', back, 'uncordon', 'has not uncordoned it'],
    ['is there', after, undefined, 'nothing: it is at its desired config'],
  ])('waits for what its step needs, where it %s', (_, node, step, waitsFor) => {
    expect(stepOf(node)).toBe(step);
    expect(unmetCondition(node, undefined, at(1))).toContain(waitsFor);
  });
});
