import { describe, expect, it, test } from 'vitest';
import { memberOf } from '../../../functions/core/openshift/member.ts';
import {
  parseSequenceRecord,
  type SequenceRecord,
  sequenceRecordText,
  withRequest,
} from '../../../functions/core/sequences/record.ts';
import { fakePools } from '../../fakes/fake-pools.ts';
import { type SequenceCluster, type SequenceLab, sequenceLab, sequenceName } from './sequence-lab.ts';

const home = '/apis/argoproj.io/v1alpha1/namespaces/openshift-gitops';
const key = `poolkeeper/${sequenceName}`;
const applied = '/apis/operators.coreos.com/v1alpha1/namespaces/cnv/subscriptions/cnv';
const ceph = '/apis/storage.k8s.io/v1/storageclasses/ceph';

const cnv = {
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'Subscription',
  metadata: { name: 'cnv', namespace: 'cnv' },
  spec: { channel: 'stable' },
};

/** An object, then a gate, then an Application that waits for both. */
const steps = {
  operator: { kind: 'object', object: 'cnv', waitFor: { resourceType: 'sc', resourceName: 'ceph' } },
  nodes: { kind: 'application', name: 'nodes', wave: 10 },
};
const more = { extraObjects: { cnv } };

async function waiting() {
  const lab = sequenceLab(steps, more);
  const { objects } = lab.prod;
  objects.set(`${home}/applications/nodes`, { metadata: { name: 'nodes' }, spec: { project: 'platform' } });
  objects.set(`${home}/appprojects/platform`, { metadata: { name: 'platform' }, spec: {} });
  await ticks(2, lab);
  expect(held(lab.prod)).toEqual(['nodes']);
  expect(objects.has(applied)).toBe(true);
  return lab;
}

async function ticks(count: number, { tick }: SequenceLab): Promise<void> {
  for (let done = 0; done < count; done += 1) await tick();
}

function held({ objects }: SequenceCluster): readonly string[] {
  const windows = memberOf(memberOf(objects.get(`${home}/appprojects/platform`), 'spec'), 'syncWindows');
  return (Array.isArray(windows) ? windows : []).map((each) => String(memberOf(each, 'applications')));
}

function rewrite({ prod }: SequenceLab, change: (record: SequenceRecord) => SequenceRecord): void {
  const stored = prod.records.get(key);
  const record = parseSequenceRecord(stored?.text ?? '');
  if (record === 'unreadable') throw new Error('there is no record');
  prod.records.set(key, { text: sequenceRecordText(change(record)), resourceVersion: stored?.resourceVersion });
}

async function told({ lab }: SequenceLab): Promise<readonly string[]> {
  return (await lab.ports.timeline.latest(50)).map(({ text }) => text);
}

describe('a sequence that is removed while an Application waits', () => {
  it('[S2-15] [N-22] [N-30] leaves no window, no object and no record, and says so', async () => {
    const lab = await waiting();

    lab.configureAll({});
    await ticks(1, lab);
    expect(held(lab.prod)).toEqual([]);
    expect(await told(lab)).toContainEqual(
      expect.stringMatching(
        /^sequence virt is no longer configured here: 1 window of it is gone, and what it applied is deleted at \S+ unless it is configured again$/,
      ),
    );
    await ticks(32, lab);

    expect(lab.prod.objects.has(applied)).toBe(false);
    expect(lab.prod.records.has(key)).toBe(false);
    expect(await told(lab)).toContain(
      'sequence virt is no longer configured here: 0 windows of it are gone, and so is what it had applied, but for what other sequences have',
    );
    expect(lab.lab.troubles()).toEqual([]);
  });

  it('[N-22] [N-30] by a file that was deployed by mistake goes on where it was, with all that it had applied', async () => {
    const lab = await waiting();
    const object = lab.prod.objects.get(applied);
    lab.configureAll({});
    await ticks(20, lab);

    lab.configureAll({ [sequenceName]: { steps, ...more } });
    await ticks(20, lab);

    expect([held(lab.prod), lab.prod.objects.get(applied)]).toEqual([['nodes'], object]);
    expect(lab.record()).not.toHaveProperty('orphanedAt');
    expect(lab.record().items['operator@prod']?.made).toBeDefined();
  });

  it('[N-22] leaves its objects with onAbort: keep, and where it was done', async () => {
    const kept = await waiting();
    kept.configure({ onAbort: 'keep' });
    await ticks(6, kept);
    kept.configureAll({});
    await ticks(2, kept);
    expect([held(kept.prod), kept.prod.objects.has(applied), kept.prod.records.has(key)]).toEqual([[], true, false]);

    const done = await waiting();
    rewrite(done, (record) => ({ ...record, done: { at: '2026-03-02T11:00:00.000Z', of: 'one' } }));
    done.configureAll({});
    await ticks(2, done);
    expect([held(done.prod), done.prod.records.has(key)]).toEqual([[], true]);
    await ticks(31, done);
    expect([done.prod.objects.has(applied), done.prod.records.has(key)]).toEqual([true, false]);
  });

  it('[N-22] leaves objects whose making the record does not prove', async () => {
    const lab = await waiting();
    lab.prod.remade(applied);

    lab.configureAll({});
    await ticks(33, lab);

    expect([lab.prod.objects.has(applied), lab.prod.records.has(key)]).toEqual([true, false]);
  });

  it('[S2-15] [N-30] is released in the end, whatever fails on the way', async () => {
    const lab = await waiting();
    lab.configureAll({});

    lab.prod.failing.set(`${home}/appprojects`, 'unreachable');
    await ticks(2, lab);
    expect([held(lab.prod), lab.prod.records.has(key)]).toEqual([['nodes'], true]);

    lab.prod.failing.clear();
    lab.prod.failing.set('deleting records', 'unreachable');
    await ticks(34, lab);
    expect([held(lab.prod), lab.prod.records.has(key)]).toEqual([[], true]);

    lab.prod.failing.clear();
    await ticks(1, lab);
    expect(lab.prod.records.has(key)).toBe(false);
  });

  it('[S2-19] what must not be written is told, and a record that must not be deleted is emptied', async () => {
    const lab = await waiting();
    lab.configureAll({});
    lab.prod.failing.set(`${home}/appprojects`, 'forbidden');
    await ticks(1, lab);
    expect(lab.lab.troubles()).toEqual(['sequence-stuck']);

    lab.prod.failing.clear();
    lab.prod.failing.set('deleting records', 'forbidden');
    await ticks(36, lab);

    expect(lab.prod.records.get(key)?.text).toBe('');
    expect(lab.lab.troubles()).toEqual([]);
  });
});

describe('a sequence that is renamed or moved', () => {
  it('[S2-15] [N-30] under another name holds its Application all the time, and lets it go when its turn has come', async () => {
    const lab = await waiting();

    lab.configureAll({ renamed: { steps, ...more } });
    for (let minute = 0; minute < 4; minute += 1) {
      await ticks(1, lab);
      expect(held(lab.prod)).toEqual(['nodes']);
    }
    await ticks(30, lab);
    expect([...lab.prod.records.keys()]).toEqual(['poolkeeper/renamed']);
    expect(lab.prod.objects.has(applied)).toBe(true);

    lab.configureAll({ renamed: { steps: { nodes: steps.nodes } } });
    await ticks(2, lab);
    expect(held(lab.prod)).toEqual([]);
  });

  it('[S2-15] [N-30] to another namespace leaves neither window nor record in the old one', async () => {
    const lab = await waiting();

    lab.configure({ namespace: 'elsewhere' });
    await ticks(3, lab);
    expect(held(lab.prod)).toEqual(['nodes']);
    await ticks(32, lab);
    expect([held(lab.prod), [...lab.prod.records.keys()]]).toEqual([['nodes'], [`elsewhere/${sequenceName}`]]);
    expect(lab.prod.objects.has(applied)).toBe(true);

    lab.prod.objects.set(ceph, { metadata: { name: 'ceph' } });
    await ticks(4, lab);
    expect(held(lab.prod)).toEqual([]);
  });

  it('[S2-15] [N-30] to another first cluster keeps the window until the sequence has looked from there', async () => {
    const lab = await waiting();

    lab.configure({ clusters: ['edge'] });
    await ticks(3, lab);
    expect([held(lab.prod), lab.prod.records.has(key)]).toEqual([['nodes'], true]);

    const { configuration, world } = { ...lab.lab, ...lab.lab.ports };
    Object.assign(lab.edge.ports, { pools: fakePools({ clock: world.clock.now, faults: world.faults }) });
    const clusters = configuration.clusters.flatMap((each) => [each, { ...each, name: 'edge' }]);
    Object.assign(lab.lab.ports, { configuration: { ...configuration, clusters } });
    await ticks(3, lab);
    expect([held(lab.prod), lab.prod.records.has(key), lab.edge.records.has(key)]).toEqual([['nodes'], false, true]);

    lab.edge.objects.set(ceph, { metadata: { name: 'ceph' } });
    await ticks(4, lab);
    expect(held(lab.prod)).toEqual([]);
  });
});

describe('a record of somebody else', () => {
  it('[S2-15] [N-30] is left alone: what another installation keeps, and what this one does not remember', async () => {
    const other = await waiting();
    rewrite(other, (record) => ({ ...record, owner: 'another one' }));
    other.configureAll({});
    await ticks(7, other);
    expect([held(other.prod), other.prod.records.has(key)]).toEqual([['nodes'], true]);

    const unknown = await waiting();
    const stored = unknown.prod.records.get(key);
    if (stored !== undefined) unknown.prod.records.set('poolkeeper/theirs', stored);
    await ticks(7, unknown);
    expect(unknown.prod.records.has('poolkeeper/theirs')).toBe(true);
  });
});

describe('a step that is removed or changed while its sequence goes on', () => {
  /** It keeps the sequence from being done. */
  const last = { kind: 'check', wave: 20, waitFor: { resourceType: 'sc', resourceName: 'ceph' } };
  const gone = { virtualization: { kind: 'object', object: 'other', wave: 5 } };
  const another = { ...cnv, metadata: { name: 'other', namespace: 'cnv' } };
  const edits = [
    ['is removed', { steps: { nodes: steps.nodes, last } }],
    ['is left out', { steps: { ...steps, operator: { ...steps.operator, disabled: true }, last } }],
    ['has another name', { steps: { cnv: steps.operator, nodes: steps.nodes, last } }],
    ['brings an object of another name', { extraObjects: { cnv: another } }],
    ['is no object any more', { steps: { ...steps, operator: { kind: 'application', name: 'nodes' }, last } }],
    [
      'makes place for another',
      { steps: { ...gone, nodes: steps.nodes, last }, extraObjects: { cnv, other: another } },
    ],
  ] as const;

  async function edited(change: Record<string, unknown>): Promise<SequenceLab> {
    const lab = await waiting();
    lab.configure(change);
    await ticks(3, lab);
    expect(lab.prod.objects.has(applied)).toBe(true);
    return lab;
  }

  test.each(edits)('[N-22] [S2-12] its object goes with an abort: it %s', async (_, change) => {
    const lab = await edited(change);
    rewrite(lab, (record) => ({ ...record, aborted: { who: 'anna', why: 'wrong', at: '2026-03-02T10:00:00.000Z' } }));
    await ticks(8, lab);

    expect(Object.keys(lab.state()).filter((path) => path.includes('/subscriptions/'))).toEqual([]);
    expect(lab.record()).toMatchObject({ cleanedAt: expect.any(String) });
    expect(lab.record()).not.toHaveProperty('former');
  });

  test.each(edits)('[N-22] [S2-12] its object goes with the sequence: it %s', async (_, change) => {
    const lab = await edited(change);
    lab.configureAll({});
    await ticks(35, lab);

    expect(Object.keys(lab.state()).filter((path) => path.includes('/subscriptions/'))).toEqual([]);
    expect(lab.prod.records.has(key)).toBe(false);
  });

  test('[N-22] is said, and stays with onAbort: keep, where somebody made it anew, and where nobody here may delete it', async () => {
    const change = { steps: { nodes: steps.nodes, last } };
    const aborted = { who: 'anna', why: 'wrong', at: '2026-03-02T10:00:00.000Z' };
    const [kept, remade, forbidden] = [
      await edited({ ...change, onAbort: 'keep' }),
      await edited(change),
      await edited(change),
    ];
    remade.prod.remade(applied);
    forbidden.prod.failing.set(applied, 'forbidden');
    for (const lab of [kept, remade, forbidden]) {
      rewrite(lab, (record) => ({ ...record, aborted }));
      await ticks(6, lab);
      expect([lab.prod.objects.has(applied), lab.record().cleanedAt]).toEqual([true, expect.any(String)]);
    }

    expect(await told(kept)).toContainEqual(
      expect.stringMatching(/operator@prod: no longer planned: \S+cnv stays until the sequence is aborted, or removed/),
    );
    expect(forbidden.record().log.at(-1)?.what).toMatch(/subscriptions\/cnv on prod stays: GET \S+: forbidden$/);
  });

  test('[N-22] goes with the next abort where the first was not done with it, or was to keep it', async () => {
    const said = { who: 'anna', why: 'wrong', at: '2026-03-02T10:00:00.000Z' };
    const asks = (lab: SequenceLab, kind: 'abort' | 'go-on') => {
      rewrite(lab, (record) => withRequest(record, { kind, said }));
    };
    const unreachable = await waiting();
    unreachable.prod.failing.set(applied, 'unreachable');
    const keeping = await waiting();
    keeping.configure({ onAbort: 'keep' });
    await ticks(1, keeping);

    for (const lab of [unreachable, keeping]) {
      asks(lab, 'abort');
      await ticks(2, lab);
    }
    asks(unreachable, 'go-on');
    for (const lab of [unreachable, keeping]) {
      lab.configure({ steps: { nodes: steps.nodes, last } });
      await ticks(2, lab);
      expect(lab.prod.objects.has(applied)).toBe(true);
      lab.prod.failing.clear();
      asks(lab, 'abort');
      await ticks(6, lab);
      expect([lab.prod.objects.has(applied), lab.record().cleanedAt]).toEqual([false, expect.any(String)]);
    }
  });

  const moves = [
    ['its step is gone', { steps: { nodes: steps.nodes, last } }],
    ['its step brings another object', { extraObjects: { cnv: another } }],
  ] as const;

  test.each(moves)('[N-22] [S2-12] stays with an abort once another sequence has it: %s', async (_, change) => {
    const lab = await waiting();
    const object = lab.prod.objects.get(applied);
    const platform = { steps: { operator: { kind: 'object', object: 'cnv' } }, ...more, after: [sequenceName] };
    lab.configureAll({ [sequenceName]: { steps, ...more, ...change }, platform });
    rewrite(lab, (record) => ({ ...record, aborted: { who: 'anna', why: 'wrong', at: '2026-03-02T10:00:00.000Z' } }));
    await ticks(8, lab);

    expect(lab.prod.objects.get(applied)).toBe(object);
    expect(lab.record()).toMatchObject({ cleanedAt: expect.any(String) });
    expect(lab.record()).not.toHaveProperty('former');
    const stays = lab.record().log.filter(({ what }) => what === `${applied} on prod stays: sequence platform has it`);
    expect(stays).toHaveLength(1);
  });

  test('[N-22] goes with an abort where another sequence only has another kind of that name', async () => {
    const lab = await waiting();
    const named = { apiVersion: 'v1', kind: 'ConfigMap', metadata: cnv.metadata };
    const platform = { steps: { settings: { kind: 'object', object: 'named' } }, extraObjects: { named } };
    lab.configureAll({ [sequenceName]: { steps, ...more }, platform });
    rewrite(lab, (record) => ({ ...record, aborted: { who: 'anna', why: 'wrong', at: '2026-03-02T10:00:00.000Z' } }));
    await ticks(8, lab);

    expect([lab.prod.objects.has(applied), lab.record().cleanedAt]).toEqual([false, expect.any(String)]);
  });

  test('[N-22] belongs to its step again once that is back', async () => {
    const lab = await edited({ steps: { nodes: steps.nodes, last } });
    expect(lab.record().former).toMatchObject([{ cluster: 'prod', path: applied }]);

    lab.configure({});
    await ticks(4, lab);

    expect(lab.record()).not.toHaveProperty('former');
    expect(lab.record().items['operator@prod']?.made?.path).toBe(applied);
  });
});
