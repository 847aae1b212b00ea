import { expect, test } from 'vitest';
import type { PushOutcome } from '../../../functions/core/relay/push-outcome.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import type { KeepPorts } from '../../../functions/keep-pools/keep-ports.ts';
import { lazy } from '../../../functions/shell/lazy.ts';
import { anApplication, aPool, fakeArgoCd, fakePools } from '../../fakes/index.ts';
import { callsMadeBy, failures, type MadeCall, type Watch } from '../failing-calls.ts';
import { calls } from './keep-calls.ts';
import { commitA, commitB, keepLab } from './keep-lab.ts';
import { watchedPorts } from './watched-ports.ts';

/** Cluster `prod` with Argo CD `hub`, and cluster `edge` with Argo CD `west`; a push concerns an Application of each,
 *  whose syncs affect pool worker.
 *  @param isListed the Applications were listed before, so that a push is routed by the stored table */
async function pushLab(isListed: boolean) {
  const lab = keepLab();
  const { clock, faults, pools, argocd, reader, renderings } = lab.world;
  const edge = fakePools({ clock: clock.now, faults });
  edge.put(aPool());
  const west = fakeArgoCd({ faults, name: 'west' });
  west.put(anApplication({ argocd: 'west', sync: { status: 'Synced', revisions: [commitA] } }));
  const [prod] = lab.ports.configuration.clusters;
  const [hub] = lab.ports.configuration.argocd;
  if (prod === undefined || hub === undefined) throw new Error('the lab has a cluster and an Argo CD');
  const outcomes = new Map<string, PushOutcome>();
  const ports: KeepPorts = {
    ...lab.ports,
    configuration: {
      ...lab.ports.configuration,
      clusters: [prod, { ...prod, name: 'edge' }],
      argocd: [hub, { ...hub, name: 'west', cluster: 'edge' }],
    },
    cluster: async (name) => {
      if (name !== 'prod' && name !== 'edge') throw new Transient(`no cluster ${name}`);
      return { pools: name === 'prod' ? pools : edge, reader, renderings };
    },
    argocd: async (name) => (name === 'hub' ? argocd : west),
    outcomes: {
      load: async ({ delivery }) => outcomes.get(delivery),
      save: async (outcome) => void outcomes.set(outcome.delivery, outcome),
    },
  };
  const event = lab.pushOf(commitB);
  if (isListed) await keep(lab.pushOf(commitA, { delivery: 'earlier' }), ports);
  for (const each of [pools, edge]) each.change('worker', 'ops', { paused: false, record: { kind: 'none' } });
  return {
    deliver: (watch?: Watch) =>
      keep(event, watch === undefined ? ports : watchedPorts(ports, watch)).then(
        () => true,
        () => false,
      ),
    paused: () => [...(pools.get('worker').paused ? ['prod'] : []), ...(edge.get('worker').paused ? ['edge'] : [])],
    outcome: () => outcomes.get(event.data.delivery),
    forbidden: () => outcomes.get(event.data.delivery)?.forbidden ?? [],
  };
}

const routed = [
  ['the table', true],
  ['a list', false],
] as const;

/** Calls without which a pool cannot be paused, and why. */
const needed: Readonly<Record<string, string>> = {
  argocd: 'what the push concerns is not known',
  'argocd.listApplications': 'what the push concerns is not known',
  'argocd.readApplication': 'what the push affects is not known',
  cluster: 'nothing is known of the cluster',
  'cluster.pools.listPools': 'nothing is known of the cluster',
  'cluster.pools.patchPool': 'it is the write itself',
};

function callOf({ name, on }: MadeCall): string {
  return on === undefined ? name : `${name} ${on}`;
}

async function callsMade(isListed: boolean): Promise<readonly string[]> {
  const made = new Set<string>();
  const lab = await pushLab(isListed);
  await lab.deliver((call) => {
    made.add(callOf(call));
    return undefined;
  });
  return [...made].filter((call) => call !== 'routes.last').toSorted();
}

const undisturbed = lazy(async () => ({ 'the table': await callsMade(true), 'a list': await callsMade(false) }));

test('[N-30] every call that a push makes is known', async () => {
  const made = Object.values(await undisturbed()).flat();
  const names = new Set(made.map((call) => call.split(' ')[0]));

  expect([...callsMadeBy('pushes', calls)].filter((name) => !names.has(name))).toEqual([]);
  expect(Object.keys(needed).filter((name) => !names.has(name))).toEqual([]);
});

test.each(routed)('[N-2] [N-30] a push that is routed by %s pauses what a failed call leaves', async (by, isListed) => {
  for (const call of (await undisturbed())[by])
    for (const [kind, error] of Object.entries(failures)) {
      const [name = '', on] = call.split(' ');
      const lab = await pushLab(isListed);

      const isDone = await lab.deliver((made) => (callOf(made) === call ? error(call) : undefined));
      const paused = lab.paused();
      const forbidden = lab.forbidden();
      const again = await lab.deliver();

      const lost = { hub: 'prod', west: 'edge' }[on ?? ''] ?? on;
      const others = ['prod', 'edge'].filter((each) => each !== lost);
      expect(paused, `${call}: ${kind}`).toEqual(name in needed ? expect.arrayContaining(others) : ['prod', 'edge']);
      // A redelivery would not help where the right is missing: the relay is told instead.
      const isGivenUp = name === 'argocd.readApplication' && kind === '403';
      if (paused.length < 2) expect(isDone, `${call}: ${kind}`).toBe(isGivenUp);
      expect(forbidden, `${call}: ${kind}`).toHaveLength(isGivenUp ? 2 - paused.length : 0);
      expect([again, lab.paused(), lab.outcome()?.paused.length], `${call}: ${kind}`).toEqual([
        true,
        ['prod', 'edge'],
        2,
      ]);
    }
});
