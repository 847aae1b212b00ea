import { expect, test } from 'vitest';
import type { TroubleKind } from '../../../functions/core/findings/trouble.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import type { KeepPorts } from '../../../functions/keep-pools/keep-ports.ts';
import { fillIn } from '../../../functions/shell/configuration/fill-in.ts';
import { anApplication, anOperation, fakeArgoCd } from '../../fakes/index.ts';
import { commitA, commitB, keepLab, tickOf } from './keep-lab.ts';

const name = 'openshift-gitops/nodes';

/** A hub whose Argo CD deploys to `prod`, as the one of `prod` does, each with an Application of one name. */
function hubAndSpoke() {
  const lab = keepLab();
  const { world } = lab;
  const central = fakeArgoCd({ name: 'central' });
  central.put(
    anApplication({
      uid: 'of-central',
      sync: { status: 'Synced', revisions: [commitA] },
      destination: { server: '', name: 'prod' },
    }),
  );
  const [prod] = lab.ports.configuration.clusters;
  const [hub] = lab.ports.configuration.argocd;
  if (prod === undefined || hub === undefined) throw new Error('the lab has no cluster or no Argo CD');
  const mgmt = { ...prod, name: 'mgmt', api: { ...prod.api, server: 'https://mgmt.example.com:6443' } };
  const ofMgmt = { ...hub, name: 'central', cluster: 'mgmt', destinations: [{ name: 'prod', cluster: 'prod' }] };
  const configuration = { ...lab.ports.configuration, clusters: [prod, mgmt], argocd: [hub, ofMgmt] };
  const ports: KeepPorts = {
    ...lab.ports,
    configuration: fillIn(configuration, new Map()),
    cluster: async () => lab.ports.cluster('prod'),
    argocd: async (argocd) => (argocd === 'central' ? central : world.argocd),
  };
  const passes = async (count: number) => {
    for (let pass = 0; pass < count; pass += 1) {
      world.clock.advance(60);
      world.work.take();
      world.pools.observe('worker');
      await keep(tickOf(world.clock.now()), ports);
    }
  };
  const told = (kind: TroubleKind) =>
    world.tables.incidents.all().flatMap((each) => (each.key.kind === kind ? each.notes.map(({ text }) => text) : []));
  /** Its sync runs for a while, and ends so. */
  const sync = async (argocd: typeof central, phase: 'Failed' | 'Succeeded') => {
    const startedAt = world.clock.now().toISOString();
    const operation = anOperation({ phase: 'Running', startedAt, finishedAt: undefined, revisions: [commitB] });
    argocd.change('nodes', { operationQueued: true, operation });
    await passes(6);
    const finishedAt = world.clock.now().toISOString();
    argocd.change('nodes', {
      operationQueued: false,
      reconciledAt: finishedAt,
      sync: { status: phase === 'Failed' ? 'OutOfSync' : 'Synced', revisions: [commitB] },
      operation: anOperation({ phase, startedAt, finishedAt, revisions: [commitB], results: [] }),
    });
    await passes(12);
  };
  return { hub: world.argocd, central, passes, sync, told };
}

test('[S1-13] [N-29] [N-30] that the sync of an Application fails in one Argo CD, then in another, then in that one alone, is told each time, and nothing between', async () => {
  const { hub, central, passes, sync, told } = hubAndSpoke();
  await passes(6);

  await sync(hub, 'Failed');
  await sync(central, 'Failed');
  await sync(hub, 'Succeeded');

  const both = `sync of ${name} of Argo CD central and ${name} of Argo CD hub failed`;
  expect(told('run-failed')).toEqual([
    expect.stringContaining(`sync of ${name} of Argo CD hub failed`),
    expect.stringContaining(both),
    expect.stringContaining(`sync of ${name} of Argo CD central failed`),
  ]);
});

test('[N-29] [N-30] that an Application cannot be parsed in one Argo CD hides none of that name in another', async () => {
  const { hub, central, passes, told } = hubAndSpoke();
  await passes(6);

  hub.spoil('nodes');
  await passes(15);
  central.spoil('nodes');
  await passes(15);
  hub.mend('nodes');
  await passes(15);

  const cannotIn = (argocd: string) => `Application ${name} of Argo CD ${argocd} cannot be parsed`;
  expect(told('objects-unreadable')).toEqual([
    expect.stringContaining(cannotIn('hub')),
    expect.stringMatching(new RegExp(`^Now: 2 objects cannot be parsed.*${cannotIn('central')}`)),
    expect.stringContaining(`Now: ${cannotIn('central')}`),
  ]);
});
