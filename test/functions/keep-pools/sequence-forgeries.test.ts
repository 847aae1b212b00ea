import { describe, expect, it } from 'vitest';
import { sequenceRecordText, withRequest } from '../../../functions/core/sequences/record.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { type SequenceLab, sequenceLab, sequenceName } from './sequence-lab.ts';

const jobs = '/apis/batch/v1/namespaces/poolkeeper/jobs';
const key = `poolkeeper/${sequenceName}`;
const image = 'registry.example.com/team/check:v1';
const gate = 'check@prod/waitFor';

async function ticks(count: number, { tick }: SequenceLab): Promise<void> {
  for (let done = 0; done < count; done += 1) await tick();
}

function jobsOf({ prod }: SequenceLab): readonly string[] {
  return [...prod.objects.keys()].filter((path) => path.startsWith(jobs));
}

function checked(command: readonly string[] = ['/check']) {
  return { check: { kind: 'check', waitFor: { image, command } } };
}

const complete = { status: { conditions: [{ type: 'Complete', status: 'True' }] } };

/** A Job of a check that was begun, with its path. */
async function begun() {
  const lab = sequenceLab(checked());
  await lab.tick();
  const [path = ''] = jobsOf(lab);
  const ends = (at = path) => lab.prod.objects.set(at, { metadata: { name: at.slice(jobs.length + 1) }, ...complete });
  return { lab, path, ends };
}

function said(lab: SequenceLab, kind: 'abort' | 'go-on'): void {
  const by = { who: 'anna', why: 'wrong cluster', at: '2026-03-02T11:00:00.000Z' };
  const text = sequenceRecordText(withRequest(lab.record(), { kind, said: by }));
  lab.prod.records.set(key, { text, resourceVersion: lab.prod.records.get(key)?.resourceVersion });
}

describe('a Job that nobody but Poolkeeper is believed to have run', () => {
  it('[S2-6] [N-30] does not count where somebody else made one of its name, which is replaced', async () => {
    const { lab, path, ends } = await begun();
    ends();
    lab.prod.remade(path);

    await ticks(1, lab);
    expect(lab.record().items[gate]?.state).toBe('unhealthy');
    expect(jobsOf(lab)).toEqual([]);

    await ticks(1, lab);
    ends();
    await ticks(2, lab);
    expect(lab.record().done).toBeDefined();
  });

  it('[S2-6] [N-30] does not count where it was there before the first look', async () => {
    const { path, ends: __ } = await begun();
    const lab = sequenceLab(checked());
    lab.prod.objects.set(path, { metadata: { name: path.slice(jobs.length + 1) }, ...complete });

    await ticks(1, lab);

    expect(lab.record().items[gate]).toMatchObject({
      state: 'unhealthy',
      value: 'its check runs anew: the Job that is there is not of this run',
    });
  });

  it('[S2-6] a Job whose record was not saved is run again, not believed', async () => {
    const { lab, ends } = await begun();
    lab.prod.records.clear();
    ends();

    await ticks(1, lab);

    expect(lab.record().items[gate]?.state).toBe('unhealthy');
  });

  it('[S2-6] once it has succeeded, it stays so whatever is put in its place', async () => {
    const { lab, path, ends } = await begun();
    ends();
    await ticks(1, lab);

    lab.prod.remade(path);
    lab.prod.objects.set(path, {
      metadata: { name: 'x' },
      status: { conditions: [{ type: 'Failed', status: 'True' }] },
    });
    await ticks(6, lab);

    expect(lab.record().done).toBeDefined();
  });
});

describe('a check that is to run again', () => {
  async function succeeded() {
    const { lab, path, ends } = await begun();
    ends();
    await ticks(2, lab);
    expect(lab.record().done).toBeDefined();
    return { lab, path };
  }

  it.each([
    ['another command', { image, command: ['/check', '--all'] }],
    ['another image', { image: 'registry.example.com/team/check:v2', command: ['/check'] }],
    ['another service account', { image, command: ['/check'], serviceAccount: 'checker' }],
  ])('[S2-6] [N-30] with %s has not succeeded before its new Job has', async (_, waitFor) => {
    const { lab, path } = await succeeded();
    lab.prod.objects.delete(path);

    lab.configure({ steps: { check: { kind: 'check', waitFor } } });
    await ticks(6, lab);

    expect(lab.record().items[gate]?.state).toBe('unhealthy');
    expect(lab.record().done).toBeUndefined();
    expect(jobsOf(lab)).toHaveLength(1);
  });

  it('[S2-6] [N-30] after an abort has not succeeded before its new Job has', async () => {
    const { lab } = await succeeded();
    said(lab, 'abort');
    await ticks(6, lab);
    expect(jobsOf(lab)).toEqual([]);

    said(lab, 'go-on');
    await ticks(6, lab);

    expect(lab.record().items[gate]?.state).toBe('unhealthy');
    expect(jobsOf(lab)).toHaveLength(1);
  });

  it('[S2-6] is not run again by an update of Poolkeeper from a version that recorded no Jobs', async () => {
    const { lab, path } = await succeeded();
    const { [gate]: item } = lab.record().items;
    const { runs: _, ...old } = item ?? { state: 'healthy', since: '2026-03-02T11:00:00.000Z', value: '' };
    const text = sequenceRecordText({ ...lab.record(), items: { ...lab.record().items, [gate]: old } });
    lab.prod.records.set(key, { text, resourceVersion: lab.prod.records.get(key)?.resourceVersion });
    lab.prod.objects.delete(path);

    await ticks(6, lab);

    expect(jobsOf(lab)).toEqual([]);
    expect(lab.record().done).toBeDefined();
  });
});

describe('an object whose labels say that it was applied', () => {
  const manifest = {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'Subscription',
    metadata: { name: 'cnv', namespace: 'cnv' },
    spec: { channel: 'stable' },
  };
  const path = '/apis/operators.coreos.com/v1alpha1/namespaces/cnv/subscriptions/cnv';
  const id = 'operator@prod';
  const sequence = () =>
    sequenceLab({ operator: { kind: 'object', object: 'cnv' } }, { extraObjects: { cnv: manifest } });

  it('[S2-12] [N-30] is not healthy before Poolkeeper has applied it', async () => {
    const real = sequence();
    await ticks(1, real);
    const lab = sequence();
    lab.prod.objects.set(path, { ...Object(real.prod.objects.get(path)), spec: { channel: 'evil' } });

    await ticks(1, lab);
    expect(lab.record().items[id]).toMatchObject({
      state: 'unhealthy',
      value: 'it says that it is applied, and the record does not',
    });
    await ticks(1, lab);

    expect(lab.prod.objects.get(path)).toMatchObject({ spec: { channel: 'stable' } });
    expect(lab.record().items[id]?.state).toBe('healthy');
  });

  it('[S2-12] [N-30] is applied again when somebody has made it anew with the same labels', async () => {
    const lab = sequence();
    await ticks(2, lab);
    lab.prod.remade(path);
    lab.prod.objects.set(path, { ...Object(lab.prod.objects.get(path)), spec: { channel: 'evil' } });

    await ticks(7, lab);

    expect(lab.prod.objects.get(path)).toMatchObject({ spec: { channel: 'stable' } });
    expect(lab.record().items[id]?.state).toBe('healthy');
  });

  it('[S2-12] stays healthy when Poolkeeper is updated from a version that did not record it', async () => {
    const lab = sequence();
    await ticks(2, lab);
    const { made: _, ...old } = lab.record().items[id] ?? {
      state: 'healthy',
      since: '2026-03-02T11:00:00.000Z',
      value: '',
    };
    const text = sequenceRecordText({ ...lab.record(), items: { [id]: old } });
    lab.prod.records.set(key, { text, resourceVersion: lab.prod.records.get(key)?.resourceVersion });

    await ticks(7, lab);

    expect(lab.lab.troubles()).toEqual([]);
    expect(lab.record().items[id]).toMatchObject({ state: 'healthy', made: { uid: expect.any(String) } });
  });

  it('[S2-12] [N-22] [N-30] is not deleted by an abort where somebody has made it anew', async () => {
    const lab = sequence();
    await ticks(2, lab);
    lab.prod.remade(path);
    said(lab, 'abort');

    await ticks(7, lab);

    expect(lab.prod.objects.has(path)).toBe(true);
    expect(lab.record().cleanedAt).toBeDefined();
  });

  it('[S2-12] [N-22] [N-30] is not deleted by an abort before anything of it was applied', async () => {
    const lab = sequence();
    await ticks(1, lab);
    lab.prod.remade(path);
    const { made: _, ...old } = lab.record().items[id] ?? { state: 'healthy', since: '', value: '' };
    const items = { [id]: { ...old, state: 'unhealthy' as const } };
    const text = sequenceRecordText({ ...lab.record(), items });
    lab.prod.records.set(key, { text, resourceVersion: lab.prod.records.get(key)?.resourceVersion });
    said(lab, 'abort');

    await ticks(7, lab);

    expect(lab.prod.objects.has(path)).toBe(true);
    expect(lab.record().cleanedAt).toBeDefined();
  });

  it('[S2-12] [N-22] is deleted by the abort although that failed at first', async () => {
    const lab = sequence();
    await ticks(2, lab);
    said(lab, 'abort');
    const { writer } = lab.prod.ports;
    const remove = writer?.remove;
    let tried = 0;
    Object.assign(writer ?? {}, {
      remove: async () => {
        tried += 1;
        throw new Transient('DELETE: 403', { kind: 'forbidden' });
      },
    });
    while (tried < 2) await ticks(1, lab);
    expect(lab.prod.objects.has(path)).toBe(true);

    Object.assign(writer ?? {}, { remove });
    await ticks(7, lab);

    expect(lab.prod.objects.has(path)).toBe(false);
    expect(lab.record().cleanedAt).toBeDefined();
  });

  it('[S2-12] [N-22] is applied again by go-on, also where the abort has only just deleted it', async () => {
    const lab = sequence();
    await ticks(2, lab);
    said(lab, 'abort');
    while (lab.prod.objects.has(path)) await ticks(1, lab);
    expect(lab.record().cleanedAt).toBeUndefined();

    said(lab, 'go-on');
    await ticks(7, lab);

    expect(lab.record().items[id]?.state).toBe('healthy');
    expect(lab.lab.troubles()).toEqual([]);
  });

  it('[S2-12] [N-30] is not believed to be of an earlier version after an abort', async () => {
    const lab = sequence();
    await ticks(2, lab);
    const forged = { ...Object(lab.prod.objects.get(path)), spec: { channel: 'evil' } };
    const { made: _, ...old } = lab.record().items[id] ?? { state: 'healthy', since: '', value: '' };
    const at = '2026-03-02T11:00:00.000Z';
    const text = sequenceRecordText({ ...lab.record(), items: { [id]: old }, cleanedAt: at });
    lab.prod.records.set(key, { text, resourceVersion: lab.prod.records.get(key)?.resourceVersion });
    said(lab, 'abort');
    lab.prod.remade(path);
    lab.prod.objects.set(path, forged);
    await ticks(6, lab);

    said(lab, 'go-on');
    await ticks(7, lab);

    expect(lab.prod.objects.get(path)).toMatchObject({ spec: { channel: 'stable' } });
    expect(lab.record().items[id]?.state).toBe('healthy');
  });
});
