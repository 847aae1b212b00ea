import { describe, expect, it } from 'vitest';
import { memberOf } from '../../../functions/core/openshift/member.ts';
import { sequenceRecordText, withRequest } from '../../../functions/core/sequences/record.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { anApplication } from '../../fakes/index.ts';
import { sequenceLab, sequenceName } from './sequence-lab.ts';

type Data = Readonly<Record<string, unknown>>;

const home = '/apis/argoproj.io/v1alpha1/namespaces/openshift-gitops';
const classOf = (resourceName: string, more: Data = {}) => ({ resourceType: 'sc', resourceName, ...more });
const first = (gates: readonly Data[]) => ({ kind: 'check', wave: 1, waitFor: { all: gates } });
const application = (name: string, wave: number) => ({ kind: 'application', name, wave });

function lab(steps: Data) {
  const all = sequenceLab(steps);
  const { prod } = all;
  prod.objects.set(`${home}/appprojects/platform`, { metadata: { name: 'platform', resourceVersion: '7' }, spec: {} });
  const add = (name: string) => {
    prod.objects.set(`${home}/applications/${name}`, { metadata: { name }, spec: { project: 'platform' } });
    all.lab.world.argocd.put(anApplication({ name, uid: `uid-${name}`, resources: [] }));
  };
  for (const name of ['early', 'late', 'other']) add(name);
  const held = () => {
    const windows = memberOf(memberOf(prod.objects.get(`${home}/appprojects/platform`), 'spec'), 'syncWindows');
    return (Array.isArray(windows) ? windows : []).flatMap((each) => memberOf(each, 'applications')).toSorted();
  };
  const minutes = async (count: number) => {
    for (let done = 0; done < count; done += 1) await all.tick();
  };
  return { ...all, held, minutes, add };
}

describe('a sequence whose configuration changes while it goes on', () => {
  it('[S2-9] [S2-11] a gate that was passed passes no other gate in its place', async () => {
    const gone = classOf('gone', { timeoutSeconds: 600, onTimeout: 'proceed' });
    const { configure, minutes, held, record } = lab({ a: first([gone, classOf('b')]), z: application('late', 2) });
    await minutes(15);
    expect(record().items['a@prod/all/0']?.passedAt).toBeDefined();

    configure({ steps: { a: first([classOf('b')]), z: application('late', 2) } });
    await minutes(7);

    expect(held()).toEqual(['late']);
    expect(record().items['z@prod']?.begunAt).toBeUndefined();
    expect(record().log.map(({ what }) => what)).toContainEqual(expect.stringMatching(/configured as something else/));
  });

  it.each([
    ['takes its place', { a: first([classOf('b')]), z: application('late', 2) }],
    ['comes into its place later', { z: application('late', 2), y: first([classOf('y')]) }],
  ])('[S2-11] what people have skipped is not skipped as the gate that %s', async (_, meanwhile) => {
    const { configure, minutes, held, prod, record } = lab({ a: first([classOf('a')]), z: application('late', 2) });
    await minutes(2);
    const said = { who: 'jane', why: 'there is none', at: '2026-03-02T10:02:00.000Z' };
    const text = sequenceRecordText(withRequest(record(), { kind: 'skip', item: 'a@prod/all/0', said }));
    const key = `poolkeeper/${sequenceName}`;
    prod.records.set(key, { text, resourceVersion: prod.records.get(key)?.resourceVersion });

    configure({ steps: meanwhile });
    await minutes(2);
    configure({ steps: { a: first([classOf('b')]), z: application('late', 2) } });
    await minutes(7);

    expect(held()).toEqual(['late']);
    expect(record().skipped).toEqual({});
  });

  it('[S2-9] a gate that takes the place of one that was late has its whole time', async () => {
    const { configure, minutes, record } = lab({ a: first([classOf('x')]), z: application('late', 2) });
    await minutes(300);

    configure({
      steps: { a: first([classOf('y', { timeoutSeconds: 3600, onTimeout: 'abort' })]), z: application('late', 2) },
    });
    await minutes(30);

    expect(record().aborted).toBeUndefined();

    await minutes(40);

    expect(record().aborted?.why).toBe('a@prod/all/0 was not open in time');
  });

  it('[S2-11] [S2-15] another Application in the place of one that has begun waits for its turn', async () => {
    const { configure, minutes, held, record } = lab({ a: application('early', 1), z: application('late', 2) });
    await minutes(3);
    expect(record().done).toBeDefined();

    configure({ steps: { a: application('missing', 1), z: application('other', 2) } });
    await minutes(7);

    expect(held()).toEqual(['other']);
    expect(record().done).toBeUndefined();
  });

  it('[S2-15] [N-30] another Application in the place of one that is held back is held back in its stead', async () => {
    const all = lab({ a: first([classOf('x')]), z: application('late', 2) });
    await all.minutes(3);
    expect(all.held()).toEqual(['late']);

    all.configure({ steps: { a: first([classOf('x')]), z: application('other', 2) } });
    await all.minutes(3);

    expect(all.held()).toEqual(['other']);
    expect(all.lab.troubles()).toEqual([]);
  });

  it('[S2-11] it is not done again before every step of it was looked at', async () => {
    const manifest = (value: string) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'b' },
      data: { value },
    });
    const steps = { a: { kind: 'object', object: 'a' } };
    const all = lab(steps);
    all.configure({ steps, extraObjects: { a: manifest('1') } });
    await all.minutes(3);
    const before = all.record().done;
    all.prod.failing.set('applying ', 'forbidden');

    all.configure({ steps, extraObjects: { a: manifest('2') } });
    await all.tick();

    expect(before).toBeDefined();
    expect(all.record().done).toBeUndefined();
  });

  it('[S2-9] [S2-18] an Application that was held back is let go once a step becomes another one, though not at once', async () => {
    const gated = (name: string) => ({ a: first([classOf('a')]), b: application('other', 2), z: application(name, 3) });
    const { configure, minutes, held, prod, record, add } = lab(gated('late'));
    await minutes(2);
    expect(held()).toEqual(['late', 'other']);

    // Argo CD does not have it yet, and the AppProject cannot be written just now.
    configure({ steps: gated('next') });
    prod.failing.set(`${home}/appprojects`, 'unreachable');
    await minutes(1);
    prod.failing.clear();
    add('next');
    await minutes(2);

    expect(held()).toEqual(['next', 'other']);

    prod.objects.set('/apis/storage.k8s.io/v1/storageclasses/a', { metadata: { name: 'a' } });
    await minutes(15);

    expect(held()).toEqual([]);
    expect(record().held).toBeUndefined();
    expect(record().done).toBeDefined();
  });
});

describe('an Argo CD that has been away', () => {
  it('[S2-11] [S2-18] is asked to compare a step before what it showed then lets the next one go', async () => {
    const { lab: keepers, minutes, held, record } = lab({ a: application('early', 1), z: application('late', 2) });
    const { argocd, clock } = keepers.world;
    argocd.change('early', { reconciledAt: '2026-03-02T09:20:00Z' });

    await minutes(15);

    expect(held()).toEqual(['late']);
    expect(argocd.get('early').annotations).toHaveProperty(['argocd.argoproj.io/refresh']);
    expect(record().items['a@prod']?.value).toMatch(/too long ago/);

    // Back again: a commit came meanwhile, and its sync takes a while.
    const reconciledAt = clock.now().toISOString();
    argocd.change('early', { reconciledAt, sync: { status: 'OutOfSync', revisions: [] } });
    await minutes(7);
    expect(held()).toEqual(['late']);

    argocd.change('early', { sync: { status: 'Synced', revisions: [] } });
    await minutes(15);

    expect(held()).toEqual([]);
    expect(record().done).toBeDefined();
  });

  it.each([
    ['does not compare it', async () => undefined],
    [
      'may not be asked',
      async () => {
        throw new Transient('PATCH applications: forbidden', { kind: 'forbidden' });
      },
    ],
  ])('[S2-11] [N-29] people are told where it %s, and of no step whose turn has not come', async (_, refresh) => {
    const { lab: keepers, minutes, held, record } = lab({ a: application('early', 1), z: application('late', 2) });
    const { argocd } = keepers.world;
    Object.assign(argocd, { refresh });
    argocd.change('early', { reconciledAt: '2026-03-02T09:20:00Z' });
    for (let hours = 0; hours < 2; hours += 1) {
      await minutes(14);
      argocd.change('late', { reconciledAt: keepers.world.clock.now().toISOString() });
      await minutes(14);
      expect(keepers.troubles()).toEqual(hours === 0 ? [] : ['sequence-stuck']);
    }

    expect(held()).toEqual(['late']);
    const told = keepers.world.tables.incidents.all().find(({ key }) => key.kind === 'sequence-stuck')?.trouble;
    expect(JSON.stringify(told)).toContain('may Poolkeeper patch the Application');
    expect(record().log.filter(({ item }) => item === 'z@prod')).toEqual([]);

    argocd.change('early', { reconciledAt: keepers.world.clock.now().toISOString() });
    await minutes(15);

    expect(keepers.troubles()).toEqual([]);
    expect(held()).toEqual([]);
  });
});
