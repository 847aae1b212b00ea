import { expect, test } from 'vitest';
import type { Operation } from '../../../functions/core/argocd/application.ts';
import { anApplication } from '../../fakes/index.ts';
import { commitA, commitB, type KeepLab, keepLab, nodesHold } from './keep-lab.ts';

/** `root` writes the Application `nodes`, and both follow one branch of one repository. */
async function oneRepository(): Promise<KeepLab> {
  const lab = keepLab();
  const child = { group: 'argoproj.io', kind: 'Application', namespace: 'openshift-gitops', name: 'nodes' };
  const { sources } = lab.world.argocd.get('nodes');
  const sync = { status: 'Synced', revisions: [commitA] } as const;
  lab.world.argocd.put(
    anApplication({ name: 'root', uid: 'root', sources, sync, resources: [{ ...child, status: 'Synced' }] }),
  );
  await lab.tick();
  await lab.deliver(lab.pushOf(commitB));
  await lab.pass(5);
  return lab;
}

function isHeld(lab: KeepLab): boolean {
  return lab.record()?.holds.some(({ id }) => id === nodesHold) === true && lab.pool().paused;
}

/** Argo CD compares it with this commit, by the spec that it has now. */
function compares(lab: KeepLab, name: string, status: 'Synced' | 'OutOfSync' = 'Synced'): void {
  const reconciledAt = lab.world.clock.now().toISOString();
  lab.world.argocd.change(name, { sync: { status, revisions: [commitB] }, reconciledAt });
}

async function syncs(lab: KeepLab, name: string, change: Partial<Operation> = {}): Promise<void> {
  lab.syncs(commitB, change, name);
  await lab.pass(5);
  lab.ends('Succeeded', change, name);
}

test('[S0-12] an Application that is Synced by its old spec is held until what writes the new one has synced', async () => {
  const lab = await oneRepository();

  compares(lab, 'nodes');
  await lab.pass(60);
  const beforeRoot = isHeld(lab);
  await syncs(lab, 'root', { results: [] });
  await lab.pass(60);
  const afterRoot = isHeld(lab);
  compares(lab, 'nodes', 'OutOfSync');
  await syncs(lab, 'nodes');
  await lab.pass(60);

  expect([beforeRoot, afterRoot, isHeld(lab)]).toEqual([true, true, false]);
  expect(lab.pool().paused).toBe(false);
});

test('[S0-12] a sync by the old spec, before what writes the new one has synced, is not the awaited one', async () => {
  const lab = await oneRepository();

  await syncs(lab, 'nodes');
  await lab.pass(10);
  await syncs(lab, 'root', { results: [] });
  await lab.pass(60);
  const before = isHeld(lab);
  compares(lab, 'nodes');
  await lab.pass(60);

  expect([before, isHeld(lab)]).toEqual([true, false]);
});

test('[S0-12] one that was Synced already is let go once what writes it has nothing to sync', async () => {
  const lab = await oneRepository();

  compares(lab, 'nodes');
  compares(lab, 'root');
  await lab.pass(60);

  expect([isHeld(lab), lab.pool().paused]).toEqual([false, false]);
});
