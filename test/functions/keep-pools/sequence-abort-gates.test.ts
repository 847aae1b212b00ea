import { describe, expect, it } from 'vitest';
import { ask, ticks } from './moving-sequences.ts';
import { type SequenceLab, sequenceLab, sequenceName } from './sequence-lab.ts';

/** Of which gates an abort counts, and what counts as begun after one. */

const key = `poolkeeper/${sequenceName}`;
const subscriptions = '/apis/operators.coreos.com/v1alpha1/namespaces/cnv/subscriptions';

const storageClass = (name: string) => `/apis/storage.k8s.io/v1/storageclasses/${name}`;

const subscription = (name: string) => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'Subscription',
  metadata: { name, namespace: 'cnv' },
  spec: { channel: 'stable' },
});

const extraObjects = { a: subscription('a'), b: subscription('b'), c: subscription('c') };

const gate = (resourceName: string, onTimeout = 'abort', timeoutSeconds = 300) => ({
  resourceType: 'sc',
  resourceName,
  timeoutSeconds,
  onTimeout,
});

function open(lab: SequenceLab, ...names: readonly string[]): void {
  for (const name of names) lab.prod.objects.set(storageClass(name), { metadata: { name } });
}

const applied = (lab: SequenceLab) => [...lab.prod.objects.keys()].filter((path) => path.startsWith(subscriptions));

describe('after an abort that took everything back, and go-on', () => {
  it.each(['a gate', 'a person'])('[S2-10] [N-22] the gate of a middle wave aborts, where %s aborted', async (who) => {
    const lab = sequenceLab(
      {
        a: { kind: 'object', object: 'a', wave: 0, waitFor: gate('one') },
        b: { kind: 'object', object: 'b', wave: 5, waitFor: gate('two') },
        c: { kind: 'object', object: 'c', wave: 10, waitFor: gate('three') },
      },
      { extraObjects },
    );
    open(lab, 'one', 'two');
    await ticks(6, lab);
    if (who === 'a person') ask(lab, { kind: 'abort', who: 'anna' }, lab.prod, key);
    await ticks(12, lab);
    expect([lab.record().aborted === undefined, applied(lab)]).toEqual([false, []]);

    lab.prod.objects.delete(storageClass('two'));
    ask(lab, { kind: 'go-on', who: 'anna' }, lab.prod, key);
    await ticks(18, lab);

    expect(lab.record().aborted?.why).toBe('b@prod/waitFor was not open in time');
  });

  it.each([6, 300])('[S2-10] [N-29] nothing is said to have begun that has not, %i minutes later', async (minutes) => {
    const patient = (name: string) => gate(name, 'alert', 14_400);
    const lab = sequenceLab(
      {
        a: { kind: 'object', object: 'a', wave: 0, waitFor: patient('one') },
        b: { kind: 'object', object: 'b', wave: 5, waitFor: patient('two') },
        c: { kind: 'object', object: 'c', wave: 10, waitFor: patient('three') },
      },
      { extraObjects },
    );
    open(lab, 'one', 'two');
    await ticks(6, lab);
    expect(applied(lab)).toHaveLength(3);
    ask(lab, { kind: 'abort', who: 'anna' }, lab.prod, key);
    await ticks(minutes, lab);
    lab.prod.objects.delete(storageClass('one'));
    ask(lab, { kind: 'go-on', who: 'anna' }, lab.prod, key);
    await ticks(5, lab);

    expect(applied(lab)).toEqual([`${subscriptions}/a`]);
    expect(lab.lab.troubles()).toEqual([]);
  });
});

describe('a wave that is known by an annotation alone', () => {
  it('[S2-10] [N-22] rises once the Subscriptions of Git are there: the gate below it aborts', async () => {
    const step = (name: string) => ({ kind: 'subscription', namespace: 'cnv', name });
    const lab = sequenceLab({
      storage: { ...step('storage'), waitFor: gate('ceph') },
      virt: step('virt'),
      nodes: { kind: 'pool', name: 'worker', wave: 20 },
    });
    await ticks(1, lab);
    for (const [name, wave] of Object.entries({ storage: '0', virt: '10' })) {
      lab.installs(lab.prod, 'cnv', name);
      const path = `${subscriptions}/${name}`;
      const metadata = { name, annotations: { 'argocd.argoproj.io/sync-wave': wave } };
      lab.prod.objects.set(path, { ...Object(lab.prod.objects.get(path)), metadata });
    }

    await ticks(18, lab);

    expect(lab.record().aborted?.why).toBe('storage@prod/waitFor was not open in time');
  });

  it('[S2-10] [N-22] [N-30] that somebody sets high for a minute keeps no gate of others from aborting', async () => {
    const lab = sequenceLab(
      {
        a: { kind: 'object', object: 'a', wave: 0, waitFor: gate('one') },
        theirs: { kind: 'application', namespace: 'tenant', name: 'theirs' },
        b: { kind: 'object', object: 'b', wave: 5, waitFor: gate('two') },
      },
      { extraObjects },
    );
    const annotated = (annotations: Readonly<Record<string, string>>) =>
      lab.prod.objects.set('/apis/argoproj.io/v1alpha1/namespaces/tenant/applications/theirs', {
        metadata: { name: 'theirs', annotations },
        spec: { project: 'mine' },
      });
    annotated({});
    await ticks(2, lab);
    annotated({ 'argocd.argoproj.io/sync-wave': '1000' });
    await ticks(1, lab);
    annotated({});

    await ticks(16, lab);

    expect(lab.record().aborted?.why).toBe('a@prod/waitFor was not open in time');
  });
});

it('[S2-10] [S2-18] a sequence that waits for another one loses no abort by what is healthy meanwhile', async () => {
  const lab = sequenceLab({});
  const virt = {
    clusters: ['prod', 'edge'],
    canary: ['prod'],
    after: ['other'],
    extraObjects,
    steps: {
      ready: { kind: 'check', wave: 0, waitFor: gate('ceph') },
      a: { kind: 'object', object: 'a', wave: 5 },
      b: { kind: 'object', object: 'b', wave: 5 },
    },
  };
  const waitFor = { resourceType: 'sc', resourceName: 'other' };
  lab.configureAll({ other: { clusters: ['prod'], steps: { s: { kind: 'check', wave: 0, waitFor } } }, virt });
  open(lab, 'ceph');
  await ticks(6, lab);
  lab.prod.objects.delete(storageClass('ceph'));
  await ticks(6, lab);
  open(lab, 'other');

  await ticks(20, lab);

  expect(lab.record().aborted?.why).toBe('ready@prod/waitFor was not open in time');
});
