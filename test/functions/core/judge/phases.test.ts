import { expect, test } from 'vitest';
import { symptomOf } from '../../../../functions/core/judge/phases.ts';
import { aNode } from '../../../fakes/builders.ts';

const targeted = { desiredConfig: 'rendered-worker-bbb' };

test.each([
  ['rests', {}, undefined],
  ['was targeted and has not begun', targeted, 'waiting'],
  ['is to boot another image with its config', { currentImage: 'os@sha256:a', desiredImage: 'os@sha256:b' }, 'waiting'],
  ['asks for a drain', { ...targeted, state: 'Working', desiredDrain: 'drain-rendered-worker-bbb' }, 'draining'],
  [
    'was drained and writes its files',
    { ...targeted, state: 'Working', desiredDrain: 'drain-x', lastAppliedDrain: 'drain-x' },
    'working',
  ],
  [
    'reboots',
    {
      ...targeted,
      state: 'Working',
      desiredDrain: 'drain-x',
      lastAppliedDrain: 'drain-x',
      postConfigAction: 'Rebooting',
    },
    'rebooting',
  ],
  ['asks to be uncordoned', { state: 'Working', desiredDrain: 'uncordon-rendered-worker-bbb' }, 'uncordoning'],
  ['failed while draining', { ...targeted, state: 'Degraded', desiredDrain: 'drain-x' }, 'failing'],
  ['refuses its config', { ...targeted, state: 'Unreconcilable' }, 'failing'],
])('a node that %s', (_what, change, symptom) => {
  expect(symptomOf(aNode(change))).toBe(symptom);
});
