import { describe, expect, test } from 'vitest';
import { courseOf, inOrder } from '../../../../functions/core/node-rollouts/in-order.ts';
import { rolloutText } from '../../../../functions/core/node-rollouts/rollout-text.ts';
import { type Moment, type NodeRollout, stepNames } from '../../../../functions/core/openshift/node-rollout.ts';
import { aNodeRollout } from '../../../fakes/index.ts';
import { fc } from '../../../property.ts';

function at(time: string, told = true): Moment {
  return { at: `2026-03-02T${time}Z`, told };
}

const seen = (time: string) => at(time, false);

/** Any time of an hour, by the cluster or by a look. */
const moment = fc.record({
  at: fc
    .integer({ min: 0, max: 3599 })
    .map((second) => new Date(Date.UTC(2026, 2, 2, 10) + second * 1000).toISOString()),
  told: fc.boolean(),
});
const times = fc.record({ begun: moment, ended: moment }, { requiredKeys: [] });
const steps = fc.dictionary(fc.constantFrom(...stepNames), times);
const anyRollout = fc.record({ begun: moment, steps, end: moment }).map(({ begun, steps: some, end }): NodeRollout => {
  const inSteps = Object.fromEntries(stepNames.flatMap((name) => (some[name] ? [[name, some[name]]] : [])));
  return aNodeRollout({ begun, steps: inSteps, ended: { how: 'done', at: end } });
});

function momentsOf(rollout: NodeRollout): readonly Moment[] {
  const inSteps = courseOf(rollout).flatMap(({ begun, ended }) => [begun, ended]);
  return [rollout.begun, ...inSteps, rollout.ended?.at].filter((each) => each !== undefined);
}

describe('the course of a node', () => {
  test('[S3-5] has its times in order, whatever was observed, and says of none that it was recorded if it was moved', () => {
    fc.assert(
      fc.property(anyRollout, (rollout) => {
        const ordered = inOrder(rollout);

        const instants = momentsOf(ordered).map((each) => Date.parse(each.at));
        expect(instants).toEqual(instants.toSorted((a, b) => a - b));
        expect(inOrder(ordered)).toEqual(ordered);
        const given = [
          rollout.begun,
          ...stepNames.flatMap((name) => [rollout.steps[name]?.begun, rollout.steps[name]?.ended]),
        ];
        const told = [...given, rollout.ended?.at].filter((each) => each?.told === true).map((each) => each?.at);
        for (const each of momentsOf(ordered)) if (each.told) expect(told).toContain(each.at);
      }),
    );
  });

  test('[S3-5] what a look found late was there before the next recorded step', () => {
    const rollout = aNodeRollout({
      begun: seen('10:05:00'),
      steps: { pickup: { begun: seen('10:05:00'), ended: seen('10:05:00') }, cordon: { ended: at('10:00:20') } },
      ended: undefined,
    });

    expect(inOrder(rollout).begun).toEqual(seen('10:00:20'));
    expect(rolloutText(inOrder(rollout))).toBe('targeted by 10:00:20, cordon 10:00:20');
  });

  test.each<[string, Partial<NodeRollout>, string]>([
    [
      'recorded by the cluster',
      {},
      'targeted 10:00:10, cordon 10:00:20, drain 10:00:20 to 10:03:12 (2 min), stage (OS, files, units) 10:03:12 to 10:04:12 (1 min), reboot 10:04:12 to 10:08:40 (4 min), uncordon 10:08:40 to 10:08:50 (10 s)',
    ],
    [
      'known from looks alone',
      {
        begun: seen('10:00:10'),
        steps: { drain: { begun: seen('10:01:00'), ended: seen('10:03:00') }, reboot: { ended: seen('10:08:00') } },
      },
      'targeted by 10:00:10, drain 10:01:00 or earlier to 10:03:00 or earlier, reboot by 10:08:00',
    ],
    [
      'in progress',
      { steps: { drain: { begun: at('10:01:00') } }, ended: undefined },
      'targeted 10:00:10, drain since 10:01:00',
    ],
    [
      'in progress since nobody knows when',
      { steps: { drain: { begun: seen('10:01:00') } }, ended: undefined },
      'targeted 10:00:10, drain since 10:01:00 or earlier',
    ],
    [
      'seen by no look',
      { unseen: { after: '2026-03-02T10:00:12Z' }, steps: { reboot: { ended: seen('10:09:00') } } },
      'between 10:00:12 and 10:09:00, not observed, reboot by 10:09:00',
    ],
    [
      'seen by no look for days',
      { unseen: { after: '2026-02-27T10:00:12Z' }, steps: {} },
      'between 2026-02-27T10:00:12.000Z and 10:09:00, not observed',
    ],
    ['seen by no look, the first of all', { unseen: { after: undefined }, steps: {} }, 'done 10:09:00, not observed'],
  ])('[S3-5] in words: %s', (_, change, text) => {
    expect(rolloutText(inOrder(aNodeRollout(change)))).toBe(text);
  });
});
