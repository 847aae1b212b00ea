import { describe, expect, test } from 'vitest';
import { anApplication, aPool, naming } from '../../fakes/index.ts';
import { fc } from '../../property.ts';
import { changedFile, pushFiles } from '../receive-github/push-of-files.ts';
import { commitA, commitB, commitC, type KeepLab, keepLab } from './keep-lab.ts';

const names = ['a', 'b', 'c', 'd', 'e', 'f'];

/** Pools a to f beside worker, and an Application that may name pools; one may hold `most`. */
function labOf(most: number): KeepLab {
  const namespaces = ['openshift-gitops', 'team-a'];
  const lab = keepLab({ policy: { poolsPerApplication: most }, argocd: { namespaces } });
  for (const name of names) {
    const machineConfigSelector = { matchLabels: { role: name } };
    const nodeSelector = { matchLabels: { [`node-role.kubernetes.io/${name}`]: '' } };
    const counts = { machines: 0, updated: 0, ready: 0, unavailable: 0, degraded: 0 };
    lab.world.pools.put(aPool({ name, uid: `uid-${name}`, machineConfigSelector, nodeSelector, counts }));
  }
  return lab;
}

const manifestOfNodes = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: nodes, namespace: openshift-gitops}
spec:
  source: {repoURL: 'https://github.com/acme/platform.git', path: new, targetRevision: main}
  destination: {server: 'https://kubernetes.default.svc'}
  syncPolicy: {automated: {}}
`;

function machineConfigOf(pool: string): string {
  return `{apiVersion: machineconfiguration.openshift.io/v1, kind: MachineConfig, metadata: {name: 99-${pool}, labels: {role: ${pool}}}}`;
}

function paused(lab: KeepLab): readonly string[] {
  return names.filter((name) => lab.pool(name).paused);
}

function syncs(lab: KeepLab, pools: readonly string[]): void {
  const named = naming(pools.join() || 'none', { mayRemove: false });
  lab.world.argocd.change('nodes', { resources: [], ...named });
  lab.syncs(commitB);
}

async function confirm(lab: KeepLab): Promise<void> {
  const { items } = await lab.world.pools.listPools();
  for (const { name } of items) lab.world.pools.observe(name);
}

describe('what one Application may hold', () => {
  test('[N-30] is bounded, and the rest is told in one incident', async () => {
    const lab = labOf(2);
    syncs(lab, names);

    await lab.tick();
    await confirm(lab);
    await lab.pass(180);

    expect(paused(lab)).toEqual(['a', 'b']);
    const firing = lab.world.tables.incidents.all().filter(({ state }) => state === 'firing');
    expect(firing.map(({ key }) => `${key.pool} ${key.kind}`)).toEqual(['* late-pause']);
    expect(firing[0]?.trouble).toMatchObject({
      headline: 'openshift-gitops/nodes may hold no more pools: c, d, e and f unprotected',
      findings: [{ code: 'A8', sentence: expect.stringContaining('holds 2 pools (a and b), as many as it may') }],
    });
  });

  test('[N-30] counts what it holds already, whatever it names next', async () => {
    const lab = labOf(2);
    syncs(lab, ['a', 'b']);
    await lab.tick();

    syncs(lab, ['c', 'd']);
    await lab.tick();

    expect(paused(lab)).toEqual(['a', 'b']);
  });

  test('[N-30] [S0-1] is not used up by who pushes a manifest of it from a repository of his own', async () => {
    const lab = labOf(2);
    const own = { path: 'apps', targetRevision: 'main', chart: '' };
    const real = { ...own, repoURL: 'https://github.com/acme/real.git' };
    lab.world.argocd.change('nodes', { resources: [], sources: [real], ...naming('e,f', { mayRemove: false }) });
    const sources = [{ ...own, repoURL: 'https://github.com/acme/platform.git' }];
    const sync = { status: 'Synced', revisions: [commitA] } as const;
    const team = { namespace: 'team-a', name: 'mine', uid: 'uid-mine', resources: [], sources, sync };
    lab.world.argocd.put(anApplication({ ...team, operation: undefined }));
    await lab.tick();
    const files = [
      changedFile('apps/nodes.yaml', undefined, manifestOfNodes),
      ...['a', 'b'].map((name) => changedFile(`new/${name}.yaml`, undefined, machineConfigOf(name))),
    ];
    await pushFiles(lab, files, { read: { folders: { appeared: ['new'], vanished: [] } } });
    const before = paused(lab);

    lab.syncs(commitC);
    await lab.deliver(lab.operationOf('Running'));

    expect(before.slice(0, 2)).toEqual(['a', 'b']);
    expect(paused(lab)).toEqual(['a', 'b', 'e', 'f']);
  });

  test('[N-30] is told no more once its sync is over', async () => {
    const lab = labOf(1);
    syncs(lab, ['a', 'b']);
    await lab.tick();
    await confirm(lab);
    await lab.pass(180);
    lab.ends('Succeeded');

    await lab.pass(900);

    expect(lab.troubles()).toEqual([]);
    expect(paused(lab)).toEqual([]);
  });

  test('[N-30] a push to it leaves the others alone too, and says why', async () => {
    const lab = labOf(1);
    lab.world.argocd.change('nodes', naming('a,b', { mayRemove: true }));

    await lab.deliver(lab.pushOf(commitB));

    expect(paused(lab)).toEqual(['a']);
    const { published } = lab.world.bus;
    const why = published.flatMap((event) => (event.type === 'poolkeeper.decision.nothing.v1' ? [event.data.why] : []));
    expect(why).toContainEqual(expect.stringMatching(/^one Application may hold 1 pools? .* and it wants 2$/));
  });

  test('[N-30] property: no course of names and syncs makes one Application hold more', async () => {
    const step = fc.record({ pools: fc.subarray(names), ends: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.nat(4), fc.array(step, { maxLength: 6 }), async (more, steps) => {
        const lab = labOf(more + 1);
        for (const { pools, ends } of steps) {
          syncs(lab, pools);
          await lab.tick();
          expect(paused(lab).length).toBeLessThanOrEqual(more + 1);
          if (ends) {
            lab.ends('Succeeded');
            await confirm(lab);
            await lab.pass(60);
          }
        }
      }),
      { numRuns: 40 },
    );
  });
});
