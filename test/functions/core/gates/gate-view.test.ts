import { expect, test } from 'vitest';
import { type GateView, isOutsideWindow } from '../../../../functions/core/gates/gate-view.ts';
import { aGateView } from '../../../fakes/index.ts';

const quiet = aGateView({ gate: 'quiet' });
const window = aGateView({ gate: 'window' });
const unread = aGateView({ gate: 'window', unread: true });
const fit = aGateView({ gate: 'fit' });

test.each<[string, readonly GateView[], string | undefined, boolean | undefined]>([
  ['its window is closed', [quiet, window], 'gate quiet: x', true],
  ['its next node does not fit into it', [fit], 'gate fit: x', true],
  ['another gate alone is closed', [quiet], 'gate quiet: x', false],
  ['nothing keeps it', [], undefined, false],
  ['a hold keeps its gates from being asked', [], 'a sync of hub/nodes runs', undefined],
  ['its calendar was not read beside another closed gate', [quiet, unread], 'gate quiet: x', undefined],
])('[S4-20] [N-8] [N-29] whether a window keeps the nodes of a pool where %s', (_, closed, why, expected) => {
  expect(isOutsideWindow(closed, why)).toBe(expected);
});
