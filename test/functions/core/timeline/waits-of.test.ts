import { expect, test } from 'vitest';
import type { HoldView } from '../../../../functions/core/timeline/view.ts';
import { waitsOf } from '../../../../functions/core/timeline/waits-of.ts';
import { aGateView, aPoolView } from '../../../fakes/builders.ts';

const ann: HoldView = {
  id: 'manual/ann',
  kind: 'manual',
  who: 'ann',
  why: 'disks',
  phase: '',
  since: '2026-03-02T10:00:00.000Z',
  until: '2026-03-02T12:00:00.000Z',
};
const sync: HoldView = { ...ann, id: 'sync/hub/a/nodes', kind: 'sync', who: 'a/nodes', phase: 'syncing' };
const resume = 'npx poolkeeper resume --pool worker --reason "..."';

function howToEnd(hold: HoldView, more: Parameters<typeof aPoolView>[0]): string | undefined {
  const pool = aPoolView({ name: 'worker', paused: true, pauseOf: 'ours', closedGates: [], holds: [hold], ...more });
  return waitsOf(pool).now.find(({ name }) => name === hold.who)?.how;
}

test('[N-16] a resume ends the hold of a person only where nothing else keeps the pool paused', () => {
  expect(howToEnd(ann, {})).toBe(resume);
  expect(howToEnd(ann, { holds: [ann, { ...sync, overruled: { at: sync.since, by: 'bob' } }] })).toBe(resume);

  expect(howToEnd(ann, { holds: [ann, sync] })).toBeUndefined();
  expect(howToEnd(ann, { holds: [ann, { ...ann, id: 'manual/bob', who: 'bob' }] })).toBeUndefined();
  expect(howToEnd(ann, { closedGates: [aGateView({ gate: 'window' })] })).toBeUndefined();
  expect(howToEnd(ann, { gatesAhead: [aGateView({ gate: 'window' })] })).toBeUndefined();
});

test('[N-16] nor does a resume end the hold of a run, whose nodes go one at a time, nor time, which is renewed', () => {
  const run: HoldView = { ...ann, id: 'rollout/upgrade', kind: 'rollout', who: 'run upgrade' };

  expect(howToEnd(run, {})).toBeUndefined();

  const [wait] = waitsOf(aPoolView({ paused: true, pauseOf: 'ours', closedGates: [], holds: [run] })).now;
  expect(wait).toMatchObject({ opens: 'the end of run upgrade', who: 'run upgrade, by itself; whoever may abort it' });
  expect(wait).not.toHaveProperty('opensAt');
});

test('[N-16] [N-29] the command that goes past a freeze and a sync opens the lane, which keeps the sync, and resumes', () => {
  const freeze: HoldView = { ...ann, id: 'freeze/cluster/ann', kind: 'freeze' };
  const lane = 'npx poolkeeper emergency --pool worker --for 1h --reason "..."';
  const override = (...holds: readonly HoldView[]) =>
    waitsOf(aPoolView({ name: 'worker', paused: true, pauseOf: 'ours', closedGates: [], holds })).override;

  expect(override(freeze)).toBe(lane);
  expect(override(freeze, sync)).toBe(`${lane} && ${resume}`);
  expect(override({ ...freeze, passed: true }, sync)).toBe(resume);
  expect(override(sync)).toBe(resume);
});
