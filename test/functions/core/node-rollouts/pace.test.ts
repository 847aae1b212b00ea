import { expect, test } from 'vitest';
import { defaultPolicy } from '../../../../functions/core/configuration/policy.ts';
import {
  minutesPerNodeOf,
  nodePaceOf,
  nodePacesOf,
  noPace,
  stuckAfterOf,
  withRollout,
} from '../../../../functions/core/node-rollouts/pace.ts';
import type { Moment, NodeRollout } from '../../../../functions/core/openshift/node-rollout.ts';
import { aNodeRollout } from '../../../fakes/index.ts';

const floors = defaultPolicy.stuckAfter;

function told(seconds: number): Moment {
  return { at: new Date(Date.UTC(2026, 2, 2, 10) + seconds * 1000).toISOString(), told: true };
}

/** An update whose reboot took so many seconds. */
function rebootedIn(seconds: number, change: Partial<NodeRollout> = {}): NodeRollout {
  return aNodeRollout({ steps: { reboot: { begun: told(0), ended: told(seconds) } }, ...change });
}

function paceOf(...reboots: readonly number[]) {
  return reboots.map((seconds) => rebootedIn(seconds)).reduce(withRollout, noPace);
}

test('with too little history the floor of the policy stands', () => {
  const pace = paceOf(...Array.from({ length: 7 }, () => 3000));

  expect(stuckAfterOf(floors, pace)).toEqual(floors);
  expect(stuckAfterOf(floors, undefined)).toEqual(floors);
});

test.each([
  ['quick machines keep the floor', 60, floors.rebootSeconds],
  ['bare metal gets three times its own 95th percentile', 600, 1800],
  ['a pool that is always stuck does not blind everybody', 7200, 6 * floors.rebootSeconds],
])('%s', (_, reboot, expected) => {
  const pace = paceOf(...Array.from({ length: 20 }, () => reboot));

  expect(stuckAfterOf(floors, pace)).toEqual({ ...floors, rebootSeconds: expected });
});

test('one slow reboot among fifty moves nothing, three of them do', () => {
  const usual = Array.from({ length: 49 }, () => 100);

  const one = stuckAfterOf(floors, paceOf(...usual, 1500)).rebootSeconds;
  const three = stuckAfterOf(floors, paceOf(...usual, 1500, 1500, 1500)).rebootSeconds;

  expect([one, three]).toEqual([floors.rebootSeconds, 4500]);
});

test('keeps the last fifty of each step', () => {
  const pace = paceOf(...Array.from({ length: 80 }, (_, index) => index));

  expect(pace.reboot).toEqual(Array.from({ length: 50 }, (_, index) => index + 30));
});

test.each([
  ['an update that was given up', rebootedIn(900, { ended: { how: 'redirected', at: told(900) } })],
  [
    'a step whose both ends were seen in one look',
    rebootedIn(0, { steps: { reboot: { begun: { ...told(5), told: false }, ended: { ...told(5), told: false } } } }),
  ],
  ['a step whose beginning is not known', rebootedIn(0, { steps: { reboot: { ended: told(5) } } })],
])('%s says nothing of how long a step takes', (_, rollout) => {
  expect(withRollout(noPace, rollout)).toEqual(noPace);
});

test('the usual minutes of a node are those of its steps together', () => {
  const steps = {
    drain: { begun: told(0), ended: told(120) },
    stage: { begun: told(120), ended: told(180) },
    reboot: { begun: told(180), ended: told(460) },
  };
  const pace = Array.from({ length: 10 }, () => aNodeRollout({ steps })).reduce(withRollout, noPace);

  expect(minutesPerNodeOf(pace)).toBe(8);
  expect(minutesPerNodeOf(noPace)).toBeUndefined();
});

test('[N-30] a time that is none is no duration, so that the history stays one of numbers', () => {
  const reboot = { begun: told(0), ended: { at: 'yesterday', told: true } };

  expect(withRollout(noPace, aNodeRollout({ steps: { reboot } }))).toEqual(noPace);
});

test('[N-9] the pace of a pool has half of its nodes, nine in ten of them, and how many they were', () => {
  const reboots = [...Array.from({ length: 18 }, () => 300), 900, 1500];

  expect(nodePaceOf(paceOf(...reboots))).toEqual({ usual: 5, slow: 5, rollouts: 20 });
  expect(nodePaceOf(paceOf(...reboots, 900))).toEqual({ usual: 5, slow: 15, rollouts: 21 });
  expect(nodePacesOf({ worker: paceOf(...reboots), infra: paceOf(300) })).toEqual({
    worker: { usual: 5, slow: 5, rollouts: 20 },
  });
});
