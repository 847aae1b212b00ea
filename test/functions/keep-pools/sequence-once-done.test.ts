import { describe, expect, it, test } from 'vitest';
import { fc, runs } from '../../property.ts';
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
const another = { ...cnv, metadata: { name: 'another', namespace: 'cnv' } };
const extraObjects = { cnv, another };

const waitFor = { resourceType: 'sc', resourceName: 'ceph', timeoutSeconds: 300, onTimeout: 'abort' };
const operator = { kind: 'object', object: 'cnv', wave: 0, clusters: ['prod'], waitFor };
const onEdge = { kind: 'subscription', namespace: 'cnv', name: 'edge-op', wave: 0, clusters: ['edge'] };
const later = { kind: 'object', object: 'another', wave: 5, clusters: ['prod'] };
const never = { resourceType: 'sc', resourceName: 'never', timeoutSeconds: 300, onTimeout: 'abort' };
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

  it('[S2-15] [N-22] leaves also what a step applied that was added since, and is not done', async () => {
    const lab = await done();
    lab.configure({ steps: { ...steps, later: { ...later, waitFor: never } } });
    await ticks(20, lab);
    expect(lab.record().aborted).toBeUndefined();
    expect(lab.lab.troubles()).toEqual(['sequence-stuck']);

    await removed(lab);

    expect([lab.prod.objects.has(applied), lab.prod.objects.has(`${subscriptions}/another`)]).toEqual([true, true]);
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

describe('a gate whose timeout aborts its sequence', () => {
  it('[S2-10] [N-22] tells people, and undoes nothing, once the sequence was done', async () => {
    const lab = await done();
    lab.prod.objects.delete(ceph);
    await ticks(14, lab);
    expect([lab.record().aborted, lab.lab.troubles()]).toEqual([undefined, ['sequence-stuck']]);

    lab.prod.objects.set(ceph, { metadata: { name: 'ceph' } });
    await ticks(6, lab);

    expect([lab.prod.objects.has(applied), lab.lab.troubles()]).toEqual([true, []]);
    expect(lab.record().done).toBeDefined();
  });

  it('[S2-10] [N-22] tells people, and undoes nothing, once a higher wave has begun', async () => {
    const storage = { kind: 'check', wave: 0, waitFor };
    const { waitFor: _, ...own } = operator;
    const after = { ...own, wave: 1, waitFor: { resourceType: 'sc', resourceName: 'later' } };
    const lab = sequenceLab({ storage, operator: after }, { extraObjects });
    lab.prod.objects.set(ceph, { metadata: { name: 'ceph' } });
    await ticks(20, lab);
    expect(lab.record().items['operator@prod']?.state).toBe('healthy');

    lab.prod.objects.delete(ceph);
    await ticks(24, lab);

    expect([lab.record().aborted, lab.prod.objects.has(applied)]).toEqual([undefined, true]);
    expect(lab.lab.troubles()).toEqual(['sequence-stuck']);
  });

  it('[S2-1] [S2-10] leaves the pools of a sequence that was done their order', async () => {
    const lab = sequenceLab(
      { storage: { kind: 'check', wave: 0, waitFor }, nodes: { kind: 'pool', name: 'worker', wave: 10 } },
      { onAbort: 'keep' },
    );
    const { pools } = lab.lab.world;
    lab.prod.objects.set(ceph, { metadata: { name: 'ceph' } });
    await ticks(30, lab);
    expect(lab.record().done).toBeDefined();
    lab.prod.objects.delete(ceph);
    await ticks(14, lab);

    pools.change('worker', 'machine-config-controller', {
      target: { name: 'rendered-worker-new', sources: ['99-worker-ssh'] },
    });
    await lab.resumable();
    await ticks(6, lab);

    expect((await lab.prod.ports.pools.readPool('worker'))?.paused).toBe(true);
  });
});

/** What waits for the gate of the first step was let go, the gate is closed since, and people are told. */
async function alerted(): Promise<SequenceLab> {
  const after = { ...later, waitFor: { ...never, onTimeout: 'wait' } };
  const lab = sequenceLab({ operator, later: after }, { extraObjects });
  lab.prod.objects.set(ceph, { metadata: { name: 'ceph' } });
  await ticks(6, lab);
  expect(lab.prod.objects.has(`${subscriptions}/another`)).toBe(true);
  lab.prod.objects.delete(ceph);
  await ticks(14, lab);
  expect([lab.record().aborted, lab.lab.troubles()]).toEqual([undefined, ['sequence-stuck']]);
  return lab;
}

const edits: Readonly<Record<string, (lab: SequenceLab) => Promise<void> | void>> = {
  'a later step has another name': (lab) => lab.configure({ steps: { operator, renamed: later } }),
  'a later step is removed': (lab) => lab.configure({ steps: { operator } }),
  'a later step goes before': (lab) => lab.configure({ steps: { operator, later: { ...later, wave: -1 } } }),
  'the sequence is left out for minutes': async (lab) => {
    lab.configure({ disabled: true });
    await ticks(3, lab);
    lab.configure({});
  },
  'somebody deletes what was let go, and has it go on': (lab) => {
    lab.prod.objects.delete(`${subscriptions}/another`);
    ask(lab, { kind: 'go-on', who: 'anna' }, lab.prod, key);
  },
  'its step gets another gate': (lab) =>
    lab.configure({ steps: { operator: { ...operator, waitFor: { all: [waitFor, never] } }, later } }),
};

it.each(Object.keys(edits))(
  '[S2-10] [N-22] a gate that let something go aborts nothing ever since: %s',
  async (what) => {
    const lab = await alerted();
    await edits[what]?.(lab);
    await ticks(20, lab);

    expect([lab.record().aborted, lab.prod.objects.has(applied)]).toEqual([undefined, true]);
  },
);

it('[S2-10] [N-22] a gate of a canary cluster that let others go aborts nothing once there is none', async () => {
  const everywhere = { ...operator, clusters };
  const lab = sequenceLab({ operator: everywhere, later }, { clusters, canary: ['prod'], extraObjects });
  lab.prod.objects.set(ceph, { metadata: { name: 'ceph' } });
  await ticks(3, lab);
  expect(lab.edge.objects.has(applied)).toBe(true);
  lab.edge.objects.set(ceph, { metadata: { name: 'ceph' } });
  lab.prod.objects.delete(ceph);
  await ticks(20, lab);

  lab.configure({ canary: [] });
  await ticks(10, lab);

  expect([lab.record().aborted, lab.prod.objects.has(applied)]).toEqual([undefined, true]);
});

it('[S2-10] [N-22] a gate aborts again once an abort has taken everything back', async () => {
  const lab = await alerted();
  ask(lab, { kind: 'abort', who: 'anna' }, lab.prod, key);
  await ticks(6, lab);
  ask(lab, { kind: 'go-on', who: 'anna' }, lab.prod, key);
  await ticks(3, lab);
  expect(lab.prod.objects.has(applied)).toBe(true);

  await ticks(10, lab);

  expect(lab.record().aborted?.why).toBe('operator@prod/waitFor was not open in time');
});

it.each(['canary', 'one at once'])('[S2-10] [N-22] a gate aborts what let nothing go, with %s', async (what) => {
  const early = { ...later, wave: -5 };
  const lab = sequenceLab(
    { early, operator: { ...operator, clusters }, nodes: { kind: 'pool', name: 'worker', wave: 0 }, edge: onEdge },
    { clusters, extraObjects, ...(what === 'canary' ? { canary: ['prod'] } : { atOnce: 1 }) },
  );
  lab.installs(lab.edge, 'cnv', 'edge-op');
  lab.edge.objects.set(ceph, { metadata: { name: 'ceph' } });
  await ticks(20, lab);

  expect(lab.record().aborted?.why).toBe('operator@prod/waitFor was not open in time');
  expect(lab.prod.objects.has(`${subscriptions}/another`)).toBe(false);
});

it('[S2-15] [N-22] what was done and is missing in the file for minutes is still known as done', async () => {
  const lab = await done();
  lab.prod.objects.delete(ceph);
  await ticks(2, lab);
  lab.configureAll({});
  await ticks(6, lab);
  lab.configure({});
  await ticks(20, lab);

  expect([lab.record().aborted, lab.prod.objects.has(applied)]).toEqual([undefined, true]);
});

const gated = { ...later, waitFor: { ...never, onTimeout: 'wait' } };
const nodes = { kind: 'pool', name: 'worker', wave: 10, clusters: ['prod'] };
const third = { ...another, metadata: { name: 'third', namespace: 'cnv' } };

const additions: Readonly<Record<string, (lab: SequenceLab) => void>> = {
  'a cluster': (lab) => lab.configure({ clusters }),
  'a step of a lower wave': (lab) =>
    lab.configure({
      steps: { operator, later: gated, nodes, added: { ...operator, object: 'third', waitFor: never } },
    }),
};

it.each(Object.keys(additions))(
  '[S2-1] [S2-10] [N-22] a gate that comes into a lower wave later aborts nothing, and pools keep their order: %s',
  async (what) => {
    const { clusters: _, ...everywhere } = operator;
    const lab = sequenceLab(
      { operator: everywhere, later: gated, nodes },
      { clusters: ['prod'], extraObjects: { ...extraObjects, third } },
    );
    lab.prod.objects.set(ceph, { metadata: { name: 'ceph' } });
    await ticks(6, lab);
    expect(lab.prod.objects.has(`${subscriptions}/another`)).toBe(true);

    additions[what]?.(lab);
    lab.lab.world.pools.change('worker', 'machine-config-controller', {
      target: { name: 'rendered-worker-new', sources: ['99-worker-ssh'] },
    });
    await lab.resumable();
    await ticks(14, lab);

    expect([lab.record().aborted, lab.prod.objects.has(`${subscriptions}/another`)]).toEqual([undefined, true]);
    expect(lab.lab.troubles()).toContain('sequence-stuck');
    expect((await lab.prod.ports.pools.readPool('worker'))?.paused).toBe(true);
  },
);

type Act = (lab: SequenceLab) => void;

/** Whatever happens but that a person aborts it. */
const acts: Readonly<Record<string, Act>> = {
  ...troubles,
  'the object of the gate is there': ({ prod }) => prod.objects.set(ceph, { metadata: { name: 'ceph' } }),
  'everything answers': ({ prod, edge }) => {
    prod.failing.clear();
    edge.failing.clear();
  },
  'the gate may not be read': ({ prod }) => prod.failing.set(ceph, 'forbidden'),
  'the first cluster is out of sight': ({ prod }) => prod.failing.set('records', 'unreachable'),
  'the operator has upgraded': (lab) => lab.installs(lab.edge, 'cnv', 'edge-op'),
  'a step is added': (lab) => lab.configure({ steps: { ...steps, later } }),
  'a step is added before it': (lab) => lab.configure({ steps: { ...steps, later: { ...later, wave: -5 } } }),
  'a step is added, whose gate aborts': (lab) =>
    lab.configure({ steps: { ...steps, later: { ...later, waitFor: never } } }),
  'its gate asks for something else': (lab) =>
    lab.configure({ steps: { ...steps, operator: { ...operator, waitFor: never } } }),
  'its step has another name': (lab) => lab.configure({ steps: { edge: onEdge, renamed: operator } }),
  'its step is removed': (lab) => lab.configure({ steps: { edge: onEdge, later: { ...later, waitFor: never } } }),
  'its target is another version': (lab) =>
    lab.configure({ extraObjects: { ...extraObjects, cnv: { ...cnv, spec: { channel: 'next' } } } }),
  'its record is kept elsewhere': (lab) => lab.configure({ namespace: 'elsewhere' }),
  'it is left out': (lab) => lab.configure({ disabled: true }),
  'it is removed': (lab) => lab.configureAll({}),
  'it is as it was': (lab) => lab.configure({}),
  'somebody pauses it': (lab) => lab.prod.records.has(key) && ask(lab, { kind: 'pause', who: 'anna' }, lab.prod, key),
  'somebody has it go on': (lab) =>
    lab.prod.records.has(key) && ask(lab, { kind: 'go-on', who: 'anna' }, lab.prod, key),
};

test('[S2-15] [N-22] nothing but a person has an object deleted that a sequence applied which was done', async () => {
  const course = fc.array(
    fc.record({ act: fc.constantFrom(...Object.keys(acts)), minutes: fc.constantFrom(1, 6, 12, 36) }),
    { minLength: 1, maxLength: 6 },
  );

  await fc.assert(
    fc.asyncProperty(course, async (all) => {
      const lab = await done();
      const { uid } = lab.record().items['operator@prod']?.made ?? {};
      const end = ['everything answers', 'it is removed'].map((act) => ({ act, minutes: 40 }));
      for (const { act, minutes } of [...all, ...end]) {
        acts[act]?.(lab);
        await ticks(minutes, lab);
        if (!lab.prod.objects.has(applied)) throw new Error(`${applied} (${uid}) is gone after: ${act}`);
        // Removed for half an hour, it is forgotten: what comes after is another sequence, which was never done.
        if (lab.prod.records.size === 0) return;
      }
    }),
    { numRuns: runs(24) },
  );
});
