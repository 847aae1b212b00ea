import { expect, test } from 'vitest';
import { countsText, parseSchedulerText } from '../../../../functions/core/diagnose/text/scheduler-text.ts';
import { fc } from '../../../property.ts';

test.each([
  [
    'the reference case, older words',
    "0/4 nodes are available: 1 node(s) were unschedulable, 3 node(s) didn't match node selector.",
    4,
    [
      ['U1', 1],
      ['U2', 3],
    ],
  ],
  [
    'newer words, with what preemption says behind',
    "0/4 nodes are available: 1 node(s) were unschedulable, 3 node(s) didn't match Pod's node affinity/selector. preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.",
    4,
    [
      ['U1', 1],
      ['U2', 3],
    ],
  ],
  [
    'a taint whose text holds a comma',
    "0/6 nodes are available: 3 node(s) had taint {node-role.kubernetes.io/master: }, that the pod didn't tolerate, 3 Insufficient cpu.",
    6,
    [
      ['U3', 3],
      ['U4', 3],
    ],
  ],
  [
    'several resources of the same nodes',
    '0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu, 2 Insufficient memory. no new claims to deallocate, preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.',
    3,
    [
      ['U3', 1],
      ['U4', 2],
      ['U4', 2],
    ],
  ],
  [
    'a reason without a number',
    '0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.',
    3,
    [['U7', undefined]],
  ],
  [
    'spread, neighbours, volumes and ports',
    "0/9 nodes are available: 1 node(s) didn't match pod topology spread constraints, 2 node(s) didn't match pod anti-affinity rules, 3 node(s) had volume node affinity conflict, 3 node(s) didn't have free ports for the requested pod ports.",
    9,
    [
      ['U6', 1],
      ['U5', 2],
      ['U7', 3],
      ['U8', 3],
    ],
  ],
  ['no nodes at all', 'no nodes available to schedule pods', undefined, [['U10', undefined]]],
  ['words nobody knows', '0/2 nodes are available: 2 node(s) felt unwell.', 2, [['U11', 2]]],
])('[S1-6] reads %s', (_what, message, nodes, reasons) => {
  const told = parseSchedulerText(message);

  expect(told.nodes).toBe(nodes);
  expect(told.reasons.map(({ rule, count }) => [rule, count])).toEqual(reasons);
});

test('[S1-6] says the counts in few words', () => {
  const told = parseSchedulerText(
    "0/4 nodes are available: 1 node(s) were unschedulable, 3 node(s) didn't match Pod's node affinity/selector.",
  );

  expect(countsText(told)).toBe('1 cordoned, 3 with another label');
});

test('takes any text without failing, and every number it gives stands in the text', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[ -~]{0,60}$/), (text) => {
      for (const { count } of parseSchedulerText(text).reasons) {
        if (count !== undefined) expect(text).toContain(String(count));
      }
    }),
  );
});
