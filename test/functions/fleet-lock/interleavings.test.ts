import { expect, it } from 'vitest';
import type { FleetLocks } from '../../../functions/ports/tables.ts';
import { fc } from '../../property.ts';
import { fleetLockLab } from './fleet-lock-lab.ts';

/** The table, each call of which ends when the scheduler lets it. */
function scheduled(scheduler: fc.Scheduler): (own: FleetLocks) => FleetLocks {
  return (own) => ({
    load: scheduler.scheduleFunction(() => own.load()),
    save: scheduler.scheduleFunction((locks) => own.save(locks)),
  });
}

const machine = fc.constantFrom('a', 'b', 'c', 'd');
const step = fc.record({ id: machine, action: fc.constantFrom('lock' as const, 'unlock' as const) });

it('[N-25] machines that ask at the same time never have more slots than there are, in whatever order the table answers', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(machine, { minLength: 2, maxLength: 6 }), async (scheduler, ids) => {
      const groups = { default: { tokenSecret: 't', slots: 2 } };
      const lab = fleetLockLab({ configuration: { groups }, locks: scheduled(scheduler) });

      const asked = Promise.all(ids.map(async (id) => ({ id, ...(await lab.lock(id)) })));
      await scheduler.waitFor(asked);

      const granted = new Set((await asked).filter(({ status }) => status === 200).map(({ id }) => id));
      const held = await lab.held();
      expect(held.length).toBeLessThanOrEqual(2);
      expect(granted).toEqual(new Set(held));
      expect(held).toHaveLength(Math.min(2, new Set(ids).size));
    }),
    { numRuns: 200 },
  );
});

it('[N-25] no machine loses its slot to another that locks or unlocks at the same time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(step, { maxLength: 8 }), async (scheduler, steps) => {
      const lab = fleetLockLab({ locks: scheduled(scheduler) });
      await scheduler.waitFor(lab.lock('first'));

      await scheduler.waitFor(Promise.all(steps.map(({ id, action }) => lab[action](id))));

      expect(await lab.held()).toEqual(['first']);
    }),
    { numRuns: 200 },
  );
});
