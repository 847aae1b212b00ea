import { describe, expect, it } from 'vitest';
import { ask, ticks, timelineOf } from './moving-sequences.ts';
import { type SequenceLab, sequenceLab, sequenceName } from './sequence-lab.ts';

const key = `poolkeeper/${sequenceName}`;
const subscriptions = '/apis/operators.coreos.com/v1alpha1/namespaces/cnv/subscriptions';
const applied = `${subscriptions}/cnv`;
const ceph = '/apis/storage.k8s.io/v1/storageclasses/ceph';

const cnv = {
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'Subscription',
  metadata: { name: 'cnv', namespace: 'cnv' },
  spec: { channel: 'stable' },
};
const extraObjects = { cnv };

const waitFor = { resourceType: 'sc', resourceName: 'ceph' };
const operator = { kind: 'object', object: 'cnv', wave: 0, clusters: ['prod'], waitFor };
const onEdge = { kind: 'subscription', namespace: 'cnv', name: 'edge-op', wave: 0, clusters: ['edge'] };
const steps = { operator, edge: onEdge };
const clusters = ['prod', 'edge'];

/** A sequence on two clusters that was done. */
async function done(): Promise<SequenceLab> {
  const lab = sequenceLab(steps, { clusters, extraObjects });
  lab.prod.objects.set(ceph, { metadata: { name: 'ceph' } });
  lab.installs(lab.edge, 'cnv', 'edge-op');
  await ticks(12, lab);
  expect(lab.record().done).toBeDefined();
  return lab;
}

/** It is removed, and everything that is to be taken back has been. */
async function removed(lab: SequenceLab): Promise<void> {
  lab.configureAll({});
  await ticks(40, lab);
  expect(lab.prod.records.has(key)).toBe(false);
}

/** An operator of it upgrades by itself. */
function upgrades({ edge }: SequenceLab): void {
  const status = { installedCSV: 'edge-op.v1', currentCSV: 'edge-op.v2' };
  edge.objects.set(`${subscriptions}/edge-op`, { metadata: { name: 'edge-op' }, status });
}

const troubles: Readonly<Record<string, (lab: SequenceLab) => void>> = {
  'a gate of it cannot be read': ({ prod }) => prod.failing.set(ceph, 500),
  'a cluster of it does not answer any more': ({ edge }) => edge.failing.set('/', 'unreachable'),
  'an operator of it upgrades by itself': upgrades,
  'the object of a gate of it is away': ({ prod }) => prod.objects.delete(ceph),
};

describe('a sequence that was done, and is no longer healthy', () => {
  it.each(Object.keys(troubles))('[S2-15] [N-22] leaves what it applied when it is removed: %s', async (what) => {
    const lab = await done();
    troubles[what]?.(lab);
    await ticks(10, lab);
    expect(lab.record().done).toBeUndefined();

    await removed(lab);

    expect(lab.prod.objects.has(applied)).toBe(true);
    expect(await timelineOf(lab)).toContain(
      'sequence virt is no longer configured here: 0 windows of it are gone, and what it applied stays',
    );
  });

  it('[S2-15] [N-22] leaves what it applied also where an earlier version found it done', async () => {
    const lab = await done();
    const { firstDoneAt: _, ...earlier } = lab.record();
    lab.prod.records.set(key, { text: JSON.stringify(earlier), resourceVersion: '900' });
    upgrades(lab);
    await ticks(10, lab);

    await removed(lab);

    expect(lab.prod.objects.has(applied)).toBe(true);
  });

  it('[S2-15] [N-22] takes back what it applied when somebody aborts it, also if it is removed meanwhile', async () => {
    const lab = await done();
    lab.prod.failing.set(`${applied}`, 'unreachable');
    ask(lab, { kind: 'abort', who: 'anna' }, lab.prod, key);
    await ticks(6, lab);
    lab.configureAll({});
    await ticks(2, lab);
    lab.prod.failing.clear();

    await removed(lab);

    expect(lab.prod.objects.has(applied)).toBe(false);
  });

  it('[S2-15] [N-22] was never done once somebody had it taken back, and told it to go on', async () => {
    const lab = await done();
    ask(lab, { kind: 'abort', who: 'anna' }, lab.prod, key);
    await ticks(6, lab);
    expect(lab.prod.objects.has(applied)).toBe(false);
    lab.prod.objects.delete(ceph);
    ask(lab, { kind: 'go-on', who: 'anna' }, lab.prod, key);
    await ticks(3, lab);
    expect(lab.prod.objects.has(applied)).toBe(true);

    await removed(lab);

    expect(lab.prod.objects.has(applied)).toBe(false);
  });
});
