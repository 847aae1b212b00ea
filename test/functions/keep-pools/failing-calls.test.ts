import { expect, test } from 'vitest';
import { lazy } from '../../../functions/shell/lazy.ts';
import { callsMadeBy, failures, type MadeCall } from '../failing-calls.ts';
import { type FleetLab, fleetLab } from './fleet-lab.ts';
import { calls, connecting } from './keep-calls.ts';

/** `pause`: a pool is not paused for the sync that has begun. `resume`: a pool that nothing else keeps stays paused.
 *  `telling`: people do not hear of what begins. All in this pass. */
type Loss = 'pause' | 'resume' | 'telling';

/** Calls that take along more than their own part, and why; `but`: not where they fail in these ways. */
const losses: Readonly<
  Record<string, { readonly of: readonly Loss[]; readonly but?: readonly string[]; readonly because: string }>
> = {
  cluster: { of: ['pause', 'resume', 'telling'], because: 'nothing is known of the cluster' },
  'cluster.pools.listPools': { of: ['pause', 'resume', 'telling'], because: 'nothing is known of the cluster' },
  'cluster.pools.patchPool': { of: ['pause', 'resume'], because: 'it is the write itself' },
  argocd: { of: ['pause', 'resume'], because: 'no sync is known of' },
  'argocd.listApplications': { of: ['pause', 'resume'], because: 'no sync is known of' },
  'argocd.controllerNodes': { of: ['resume'], because: 'gate quiet' },
  'cluster.pools.listNodes': { of: ['resume'], because: 'gate quiet' },
  'cluster.pools.readMachineConfigs': { of: ['resume'], because: 'gate rendered' },
  'cluster.renderings.readImages': { of: ['resume'], but: ['403'], because: 'gate image' },
  'cluster.reader.read': { of: ['resume'], because: 'gate upgrade' },
  'approvals.list': { of: ['resume'], because: 'gate approval' },
  'keptCalendars.load': { of: ['resume'], because: 'gate window' },
  'tickets.ask': { of: ['resume'], because: 'gate ticket' },
  'budgetPlaces.load': { of: ['resume'], because: 'gate budget' },
  'budgetPlaces.save': { of: ['resume'], because: 'gate budget' },
  'checkpoints.load': { of: ['telling'], because: 'it is not known what was told' },
  'incidents.load': { of: ['telling'], because: 'it is not known what was told' },
  'incidents.nextNumber': { of: ['telling'], because: 'a new incident waits for its number' },
  'incidents.save': { of: ['telling'], because: 'it is the record itself' },
  'alerts.send': { of: ['telling'], because: 'it is the way to send-alerts' },
};

function lossesOf(lab: FleetLab): readonly Loss[] {
  const { 'prod/gpu': gpu, 'prod/infra': infra, 'dev/worker': dev } = lab.pools();
  const isTold =
    lab.incidents()['prod/stuck render-failed'] === 'firing' && lab.alerts().includes('render-failed stuck');
  return [
    ...(gpu?.paused === true && dev?.paused === true ? [] : ['pause' as const]),
    ...(infra?.paused === true ? ['resume' as const] : []),
    ...(isTold ? [] : ['telling' as const]),
  ];
}

/** What is so once everything is made up for. */
function endOf(lab: FleetLab) {
  return { pools: lab.pools(), incidents: lab.incidents(), alerts: [...new Set(lab.alerts())].toSorted() };
}

/** Two ticks. A resume that was not answered may still be carried out, and is asked for again only once its place of
 *  the budget has ended: its pool has three more. */
async function endAfter(lab: FleetLab) {
  await lab.tick();
  await lab.tick();
  const end = endOf(lab);
  for (let minute = 0; minute < 3 && lab.pools()['prod/infra']?.paused === true; minute += 1) await lab.tick();
  return { ...end, pools: { ...end.pools, 'prod/infra': lab.pools()['prod/infra'] } };
}

const undisturbed = lazy(async () => {
  const lab = await fleetLab();
  const made: string[] = [];
  await lab.tick(({ name }) => {
    made.push(name);
    return undefined;
  });
  const lost = lossesOf(lab);
  return { made, lost, end: await endAfter(lab) };
});

/** A tick in which a call fails, and those without. */
async function disturbed(fails: (call: MadeCall) => Error | undefined) {
  const lab = await fleetLab();
  const known = (await lab.complaints()).length;
  const errors = await lab.tick(fails);
  const { 'prod/worker': held } = lab.pools();
  const kept = {
    isHeld: held?.paused === true && held.holds.length > 0,
    stays: lab.incidents()['prod/broken render-failed'],
    isSilent: errors.length === 0 && (await lab.complaints()).length === known,
  };
  const lost = lossesOf(lab);
  return { kept, lost, end: await endAfter(lab) };
}

const ofTick = [...callsMadeBy('tick', calls), ...connecting];
const kept = { isHeld: true, stays: 'firing', isSilent: false };

test('[N-30] every call of a port is known, and those that a tick makes are', async () => {
  const { made, lost } = await undisturbed();

  expect([...new Set(made)].toSorted()).toEqual(ofTick.toSorted());
  expect(lost).toEqual([]);
});

/** Our own table and queues are no cluster: their adapters know of no missing object and of no conflict. */
const ofTables = ['timeout', 'a bug'];

test.each(ofTick)('[N-2] [N-30] where %s fails, its own part waits, and nothing else does', async (name) => {
  const { end } = await undisturbed();
  const isOutside = /^(?:argocd|cluster)\b/.test(name);
  for (const [kind, error] of Object.entries(failures)) {
    if (!isOutside && !ofTables.includes(kind)) continue;

    const found = await disturbed((call) => (call.name === name ? error(name) : undefined));

    const { of: lost = [], but = [] } = losses[name] ?? {};
    expect(found, kind).toEqual({ kept, lost: but.includes(kind) ? [] : lost, end });
  }
});

test.each(['alerts.send', 'cluster.pools.patchPool', 'cluster.pools.listNodes', 'races.save'])(
  '[N-30] where one call of %s fails, the others are made',
  async (name) => {
    const { made, end } = await undisturbed();
    const count = made.filter((each) => each === name).length;
    const lost: Loss[] = [];
    for (let failing = 1; failing <= count; failing += 1) {
      let nth = 0;

      const found = await disturbed((call) => {
        if (call.name !== name) return undefined;
        nth += 1;
        return nth === failing ? failures['timeout']?.(name) : undefined;
      });

      expect(found, `call ${failing}`).toMatchObject({ kept, end });
      expect(found.lost.length, `call ${failing}`).toBeLessThanOrEqual(1);
      lost.push(...found.lost);
    }
    expect(count).toBeGreaterThan(1);
    expect(lost.length).toBeLessThan(count * Math.max(1, losses[name]?.of.length ?? 1));
  },
);
