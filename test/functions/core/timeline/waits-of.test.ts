import { expect, test } from 'vitest';
import { passedInEmergency } from '../../../../functions/core/gates/gate.ts';
import { gates } from '../../../../functions/core/gates/index.ts';
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
const resume = 'poolkeeper resume --pool worker --reason "..."';

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

test('[N-16] [N-29] a freeze is ended by the name of whoever froze the pool, and by no command where it would end another', () => {
  const freeze: HoldView = { ...ann, id: 'freeze/pool/ann', kind: 'freeze' };
  const cluster: HoldView = { ...freeze, id: 'freeze/cluster/ann', until: '2026-03-04T12:00:00.000Z' };
  const bob: HoldView = { ...freeze, id: 'freeze/pool/bob', who: 'bob smith' };
  const thaw = (who: string) => `poolkeeper thaw --pool worker --by ${who} --reason "..."`;

  expect(howToEnd(freeze, {})).toBe(thaw('ann'));
  expect(howToEnd(freeze, { holds: [freeze, bob] })).toBe(thaw('ann'));
  expect(howToEnd(bob, { holds: [freeze, bob] })).toBe(thaw("'bob smith'"));
  expect(howToEnd(freeze, { holds: [freeze, cluster] })).toBeUndefined();
  const [wait] = waitsOf(aPoolView({ paused: true, pauseOf: 'ours', closedGates: [], holds: [freeze, cluster] })).now;
  expect(wait?.who).toContain('a thaw would end all 2 freezes of ann');
});

test('[N-16] [N-29] [N-30] nor by one of which not all is told: a name that is cut, and freezes that are counted', () => {
  const freeze: HoldView = { ...ann, id: 'freeze/pool/ann', kind: 'freeze' };
  const more: HoldView = { ...freeze, id: 'more', who: '3 more', more: 3 };

  expect(howToEnd({ ...freeze, who: 'ann.…le.com' }, {})).toBeUndefined();
  expect(howToEnd(more, {})).toBeUndefined();
  expect(howToEnd(freeze, { holds: [freeze, more] })).toBeUndefined();
});

test('[N-16] [N-29] [N-30] of a pool that is told in short no command is printed: it may go past what is not told', () => {
  const short = aPoolView({
    name: 'worker',
    paused: true,
    pauseOf: 'ours',
    closedGates: [],
    holds: [ann],
    inShort: true,
  });
  const more: HoldView = { ...ann, id: 'more', who: '6 more', more: 6 };

  for (const holds of [[ann], [more], [{ ...ann, id: 'freeze/pool/ann', kind: 'freeze' }]]) {
    const { now, override } = waitsOf({ ...short, holds });
    expect([now.some(({ how }) => how !== undefined), override]).toEqual([false, undefined]);
  }
  expect(waitsOf({ ...short, holds: [more] }).now).toMatchObject([{ value: 'held', opens: 'the end of each of them' }]);
});

test('[N-16] [S0-14] [N-29] the pause of somebody else has no command while the pool is held, too', () => {
  const pause = (...holds: readonly HoldView[]) =>
    waitsOf(aPoolView({ name: 'worker', paused: true, pauseOf: 'foreign', pausedBy: 'oc', closedGates: [], holds }))
      .now[0];

  expect(pause()).toMatchObject({ kind: 'pause', how: expect.stringContaining('oc patch machineconfigpool worker') });
  expect(pause(sync)).not.toHaveProperty('how');
  expect(pause(sync)?.opens).toBe('whoever paused it resumes it, once nothing else holds it');
  expect(pause({ ...sync, overruled: { at: sync.since, by: 'bob' } })).toHaveProperty('how');
});

test('[N-16] [S0-20] [N-29] nor while a person keeps the pool paused by annotation, which is told with its reason', () => {
  const paused = { name: 'worker', paused: true, pauseOf: 'foreign', pausedBy: 'oc', closedGates: [], holds: [] };
  const [pause] = waitsOf(aPoolView({ ...paused, keptPaused: 'anna: firmware' })).now;
  const [inGit] = waitsOf(aPoolView({ ...paused, keptPaused: 'anna: firmware', inGit: { place: '' } })).now;

  expect(pause).not.toHaveProperty('how');
  expect(pause?.opens).toBe('whoever paused it resumes it, once that annotation is gone');
  for (const each of [pause, inGit])
    expect(each?.why).toMatch(
      /; a person keeps it paused with annotation poolkeeper.dev\/keep-paused: anna: firmware$/,
    );
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
  const lane = 'poolkeeper emergency --pool worker --for 1h --reason "..."';
  const paused = aPoolView({ name: 'worker', paused: true, pauseOf: 'ours', closedGates: [] });
  const override = (...holds: readonly HoldView[]) => waitsOf({ ...paused, holds }).override;
  const before = (gate: string) =>
    waitsOf({ ...paused, holds: [freeze], gatesAhead: [aGateView({ gate: 'window' }), aGateView({ gate })] }).override;

  expect(override(freeze)).toBe(lane);
  expect(override(freeze, sync)).toBe(`${lane} && ${resume}`);
  expect(override({ ...freeze, passed: true }, sync)).toBe(resume);
  expect(override(sync)).toBe(resume);
  // The lane passes one of these and not the other.
  expect(before('approval')).toBe(lane);
  expect(before('keep-paused')).toBe(`${lane} && ${resume}`);
});

test('[N-16] [N-21] past what keeps the nodes of another pool in a canary goes no command for the canary alone', () => {
  const freeze: HoldView = { ...ann, id: 'freeze/cluster/ann', kind: 'freeze' };
  const paused = aPoolView({ name: 'canary', paused: true, pauseOf: 'ours', closedGates: [] });
  const gate = aGateView({ gate: 'canary' });

  expect(waitsOf({ ...paused, holds: [], closedGates: [gate] }).override).toBeUndefined();
  expect(waitsOf({ ...paused, holds: [freeze], gatesAhead: [gate] }).override).toBeUndefined();
  // No node of another pool is known to wait there.
  expect(waitsOf({ ...paused, holds: [freeze], gatesAhead: [{ ...gate, unread: true }] }).override).toBe(
    'poolkeeper emergency --pool canary --for 1h --reason "..."',
  );
});

test('[N-21] the gates that an emergency lane passes are those that say so', () => {
  const passed = gates.flatMap(({ name, inEmergency }) => (inEmergency === 'passed' ? [name] : []));

  expect([...passedInEmergency].toSorted()).toEqual(passed.toSorted());
});

test('[N-16] [N-29] past a run goes no command, because its nodes would go without their Jobs: the lane lets it go past freezes', () => {
  const run: HoldView = { ...ann, id: 'rollout/upgrade', kind: 'rollout', who: 'run upgrade' };
  const freeze: HoldView = { ...ann, id: 'freeze/cluster/ann', kind: 'freeze' };
  const lane = 'poolkeeper emergency --pool worker --for 1h --reason "..."';
  const paused = aPoolView({ name: 'worker', paused: true, pauseOf: 'ours', closedGates: [] });
  const override = (holds: readonly HoldView[], ...gates: readonly string[]) =>
    waitsOf({ ...paused, holds, closedGates: gates.map((gate) => aGateView({ gate })) }).override;

  expect(override([run, freeze])).toBe(lane);
  expect(override([run, freeze], 'window')).toBe(lane);
  // Of a run in mode canary: a freeze of the cluster keeps the pool that its nodes move to, too.
  expect(override([{ ...run, canary: 'canary' }, freeze])).toBe(`${lane} && ${lane.replace('worker', 'canary')}`);
  expect(
    override([
      { ...run, canary: 'canary' },
      { ...freeze, id: 'freeze/pool/ann' },
    ]),
  ).toBe(lane);
  expect(override([run], 'approval', 'budget')).toBe(lane);
  expect(override([run])).toBeUndefined();
  expect(override([run, { ...freeze, passed: true }])).toBeUndefined();
  expect(override([run, freeze, sync])).toBeUndefined();
  expect(override([run, freeze], 'drainable')).toBeUndefined();
  expect(override([{ ...run, overruled: { at: run.since, by: 'bob' } }, freeze, sync])).toBe(`${lane} && ${resume}`);
});
