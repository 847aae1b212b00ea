import { describe, expect, test } from 'vitest';
import { memberOf } from '../../../functions/core/openshift/member.ts';
import { anApplication } from '../../fakes/index.ts';
import { type SequenceLab, sequenceLab } from './sequence-lab.ts';

const home = '/apis/argoproj.io/v1alpha1/namespaces/openshift-gitops';
const classes = '/apis/storage.k8s.io/v1/storageclasses';
const nodes = { kind: 'application', name: 'nodes', wave: 10, clusters: ['prod'] };

/** Waits for a storage class, then for Application nodes. */
function waitingFor(storageClass: string) {
  return {
    steps: { ready: { kind: 'check', waitFor: { resourceType: 'sc', resourceName: storageClass } }, nodes },
  };
}

function labOfOneCluster(): SequenceLab {
  const all = sequenceLab({});
  const { configuration } = all.lab.ports;
  const clusters = configuration.clusters.slice(0, 1).map((each) => ({ ...each, name: 'prod' }));
  Object.assign(all.lab.ports, { configuration: { ...configuration, clusters } });
  all.prod.objects.set(`${home}/applications/nodes`, { metadata: { name: 'nodes' }, spec: { project: 'platform' } });
  all.prod.objects.set(`${home}/appprojects/platform`, { metadata: { name: 'platform' }, spec: {} });
  return all;
}

function isHeldBack({ prod: { objects } }: SequenceLab): boolean {
  const windows = memberOf(memberOf(objects.get(`${home}/appprojects/platform`), 'spec'), 'syncWindows');
  return Array.isArray(windows) && windows.length > 0;
}

function putNodes({ lab: { world } }: SequenceLab, sync: 'Synced' | 'OutOfSync'): void {
  world.argocd.put({
    ...anApplication({ sync: { status: sync, revisions: ['a'.repeat(40)] } }),
    name: 'nodes',
    namespace: 'openshift-gitops',
    health: 'Healthy',
    reconciledAt: world.clock.now().toISOString(),
  });
}

/** Minutes of the next `count` at which it is not held back. */
async function minutesFree(all: SequenceLab, count: number): Promise<readonly number[]> {
  const free: number[] = [];
  for (let minute = 0; minute < count; minute += 1) {
    await all.tick();
    if (!isHeldBack(all)) free.push(minute);
  }
  return free;
}

describe('an Application of two sequences', () => {
  test('[S2-11] [N-30] one that is done long since does not take away the window of the other', async () => {
    const all = labOfOneCluster();
    all.configureAll({ one: waitingFor('ceph') });
    all.prod.objects.set(`${classes}/ceph`, { metadata: { name: 'ceph' } });
    for (let minute = 0; minute < 6; minute += 1) {
      putNodes(all, 'Synced');
      await all.tick();
    }
    all.configureAll({ one: waitingFor('ceph'), two: waitingFor('gold') });
    putNodes(all, 'OutOfSync');
    await minutesFree(all, 2);

    expect(await minutesFree(all, 20)).toEqual([]);
    expect(all.lab.troubles()).toEqual([]);
  });

  test('[S2-11] [N-30] one whose turn has come does not take away the window of the other, which still waits', async () => {
    const all = labOfOneCluster();
    all.configureAll({ one: waitingFor('ceph'), two: waitingFor('gold') });
    putNodes(all, 'OutOfSync');
    await minutesFree(all, 4);
    all.prod.objects.set(`${classes}/ceph`, { metadata: { name: 'ceph' } });
    await minutesFree(all, 3);

    expect(await minutesFree(all, 15)).toEqual([]);
  });
});
