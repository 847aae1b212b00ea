import { describe, expect, it } from 'vitest';
import { memberOf } from '../../../functions/core/openshift/member.ts';
import { configureClusters, only, ticks } from './moving-sequences.ts';
import { type SequenceLab, sequenceLab, sequenceName } from './sequence-lab.ts';
import { slowCalls } from './slow-calls.ts';

const argo = '/apis/argoproj.io/v1alpha1/namespaces';
const home = `${argo}/openshift-gitops`;
const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'shop' } };
const applied = '/api/v1/namespaces/shop/configmaps/settings';
const ceph = '/apis/storage.k8s.io/v1/storageclasses/ceph';
const first = { kind: 'object', object: 'settings', wave: 0, waitFor: { resourceType: 'sc', resourceName: 'ceph' } };

function held({ objects }: SequenceLab['prod'], project = 'platform'): readonly string[] {
  const windows = memberOf(memberOf(objects.get(`${home}/appprojects/${project}`), 'spec'), 'syncWindows');
  return (Array.isArray(windows) ? windows : []).map((each) => String(memberOf(each, 'applications')));
}

function isIn({ objects }: SequenceLab['prod'], project: string, application = `${home}/applications/nodes`) {
  objects.set(application, { metadata: { name: application.split('/').at(-1) }, spec: { project } });
}

/** Applications shop, of a tenant, and nodes come after an object and a storage class. */
function beside() {
  const step = { kind: 'application', wave: 10 };
  const all = sequenceLab(
    { first, shop: { ...step, name: 'shop', namespace: 'tenant' }, nodes: { ...step, name: 'nodes' } },
    { extraObjects: { settings } },
  );
  isIn(all.prod, 'mine', `${argo}/tenant/applications/shop`);
  isIn(all.prod, 'platform');
  for (const name of ['mine', 'platform', 'other'])
    all.prod.objects.set(`${home}/appprojects/${name}`, { metadata: { name }, spec: {} });
  return all;
}

function toldOf({ lab }: SequenceLab): readonly string[] {
  const found = lab.world.tables.incidents.all().find(({ key }) => key.kind === 'sequence-stuck');
  return found?.trouble?.findings.map(({ sentence }) => sentence) ?? [];
}

describe('one Application of a sequence that cannot be held back', () => {
  it.each([
    ['forbidden', `${home}/appprojects/mine`],
    [500, `${home}/appprojects/mine`],
    [500, `${argo}/tenant/applications/shop`],
    ['forbidden', `${argo}/tenant/applications/shop`],
    [500, `${home}/applications/shop`],
  ] as const)(
    '[S2-15] [S2-19] [N-30] keeps no other from being held back, and nothing from beginning: %s at %s',
    async (answer, path) => {
      const all = beside();
      all.prod.failing.set(path, answer);

      await ticks(1, all);
      expect([held(all.prod), all.prod.objects.has(applied)]).toEqual([['nodes'], true]);
      expect(all.lab.troubles()).toEqual(answer === 'forbidden' ? ['sequence-stuck'] : []);

      await ticks(6, all);
      expect(toldOf(all)).toHaveLength(1);
      expect(toldOf(all)[0]).toMatch(
        /^Sequence virt: shop@prod .*(AppProject openshift-gitops\/mine|Application tenant\/shop) of cluster prod: /,
      );

      all.prod.failing.clear();
      await ticks(1, all);
      expect([held(all.prod, 'mine'), all.record().items['shop@prod']?.begunAt]).toEqual([['shop'], undefined]);
      await ticks(1, all);
      expect(all.lab.troubles()).toEqual([]);
    },
  );

  it('[S2-15] [N-30] keeps its window while it is in an AppProject that may not be written', async () => {
    const all = beside();
    await ticks(1, all);
    isIn(all.prod, 'other', `${argo}/tenant/applications/shop`);
    all.prod.failing.set(`${home}/appprojects/other`, 'forbidden');

    await ticks(2, all);
    expect([held(all.prod), held(all.prod, 'mine')]).toEqual([['nodes'], ['shop']]);
    expect(toldOf(all)[0]).toContain('shop@prod');

    all.prod.failing.clear();
    await ticks(1, all);
    expect([held(all.prod, 'mine'), held(all.prod, 'other')]).toEqual([[], ['shop']]);
  });

  it('[S2-1] [S2-15] is let go once its AppProject can be written again, however the sequence stands then', async () => {
    const all = beside();
    all.configure({ steps: { first, nodes: { kind: 'application', name: 'nodes', wave: 10 } } });
    await ticks(1, all);
    all.prod.failing.set(`${home}/appprojects/platform`, 500);
    all.prod.objects.set(ceph, { metadata: { name: 'ceph' } });

    await ticks(3, all);
    expect([held(all.prod), all.record().done === undefined]).toEqual([['nodes'], false]);

    all.prod.failing.clear();
    await ticks(1, all);
    expect([held(all.prod), all.record().held]).toEqual([[], undefined]);
  });
});

/** Each cluster has one: settings and storage first, then Application nodes of each. */
function ofTwo() {
  const all = sequenceLab({});
  only(all, 'prod', 'edge');
  configureClusters(all, ({ argocd }) => ({
    argocd: [...argocd, ...argocd.map((each) => ({ ...each, name: 'of-edge', cluster: 'edge' }))],
  }));
  const nodes = { kind: 'application', name: 'nodes' };
  const steps = {
    first: { ...first, clusters: ['prod'] },
    here: { ...nodes, wave: 10, clusters: ['prod'] },
    never: { kind: 'check', wave: 15, clusters: ['prod'], waitFor: { resourceType: 'sc', resourceName: 'never' } },
    there: { ...nodes, wave: 20, argocd: 'of-edge', clusters: ['edge'] },
  };
  all.configureAll({ [sequenceName]: { clusters: ['prod', 'edge'], extraObjects: { settings }, steps } });
  for (const cluster of [all.prod, all.edge]) {
    isIn(cluster, 'platform');
    cluster.objects.set(`${home}/appprojects/platform`, { metadata: { name: 'platform' }, spec: {} });
  }
  return all;
}

/** Writes of these AppProjects fail, each after so many seconds. Returns how many there were. */
function failingSlowly(
  all: SequenceLab,
  { projects, seconds, kind, on = 'prod' }: SlowFailures,
): { readonly tries: () => number; readonly most: () => number } {
  let tries = 0;
  const most = slowCalls(all, (call) => {
    if (!call.isWrite || call.on !== on || !projects.test(call.project)) return { seconds: 0 };
    tries += 1;
    return { seconds, fails: kind };
  });
  return { tries: () => tries, most };
}

interface SlowFailures {
  readonly on?: 'prod' | 'edge';
  readonly projects: RegExp;
  readonly seconds: number;
  readonly kind: 'unreachable' | 'forbidden';
}

/** So many Applications, each in an AppProject of its own, or all in one. */
function many(count: number, isOneProject: boolean) {
  const names = Array.from({ length: count }, (_, index) => `team-${index}`);
  const step = { kind: 'application', wave: 10 };
  const steps = Object.fromEntries(names.map((name) => [name, { ...step, name }]));
  const all = sequenceLab({ first, ...steps, nodes: { ...step, name: 'nodes' } }, { extraObjects: { settings } });
  isIn(all.prod, 'platform');
  for (const name of names) isIn(all.prod, isOneProject ? 'mine' : `of-${name}`, `${home}/applications/${name}`);
  for (const name of ['mine', 'platform', ...names.map((each) => `of-${each}`)])
    all.prod.objects.set(`${home}/appprojects/${name}`, { metadata: { name }, spec: {} });
  return all;
}

describe('AppProjects of a sequence that fail slowly', () => {
  it('[S2-15] [S2-18] are tried once a look, whatever is in them', async () => {
    const all = many(60, true);
    const { tries } = failingSlowly(all, { projects: /^mine$/, seconds: 0.3, kind: 'forbidden' });

    await all.tick();

    expect([tries(), held(all.prod), all.prod.objects.has(applied)]).toEqual([1, ['nodes'], true]);
    expect(toldOf(all).length).toBeGreaterThan(1);
  });

  it('[S2-15] are written once a look, however many Applications are in them', async () => {
    const all = many(60, true);
    let patches = 0;

    await all.tick(({ name }) => {
      if (name === 'cluster.writer.patch') patches += 1;
      return undefined;
    });

    expect([patches, held(all.prod, 'mine').length, held(all.prod)]).toEqual([2, 60, ['nodes']]);
  });

  it.each([
    [1, 9.5],
    [7, 9.5],
    [12, 5.1],
    [20, 6.9],
    [20, 9.5],
  ])('[S2-15] [S2-18] [N-30] leave time for what begins: %i of them, %d s', async (count, seconds) => {
    const all = many(count, false);
    failingSlowly(all, { projects: /^of-team-\d+$/, seconds, kind: 'unreachable' });

    await all.tick();

    expect(all.prod.objects.has(applied)).toBe(true);
  });

  it.each([
    [1, 9.5],
    [7, 9.5],
    [12, 5.1],
  ])('[S2-15] [S2-18] [N-30] take only their own time: %i of them, %d s', async (count, seconds) => {
    const all = many(count, false);
    const { most } = failingSlowly(all, { projects: /^of-team-\d+$/, seconds, kind: 'unreachable' });

    await all.tick();
    expect(held(all.prod)).toEqual(['nodes']);

    all.prod.objects.set(ceph, { metadata: { name: 'ceph' } });
    await ticks(2, all);
    expect([held(all.prod), most() <= 8]).toEqual([[], true]);
  });

  it('[S2-15] [S2-18] [N-30] are not always the first: what a look had no time for is held, and let go, by a later one', async () => {
    const all = many(20, false);
    failingSlowly(all, { projects: /^of-team-\d+$/, seconds: 9.5, kind: 'unreachable' });

    await ticks(6, all);
    expect(held(all.prod)).toEqual(['nodes']);

    all.prod.objects.set(ceph, { metadata: { name: 'ceph' } });
    await ticks(6, all);
    expect(held(all.prod)).toEqual([]);
  });

  it('[S2-15] [S2-18] [N-30] take no time from another cluster', async () => {
    const all = ofTwo();
    const step = { kind: 'application', wave: 10, argocd: 'of-edge', clusters: ['edge'] };
    const names = ['a', 'b', 'c'];
    const there = Object.fromEntries(names.map((name) => [name, { ...step, name }]));
    const nodes = { kind: 'application', name: 'nodes', wave: 10, clusters: ['prod'] };
    const steps = { first: { ...first, clusters: ['prod'] }, ...there, nodes };
    all.configureAll({ [sequenceName]: { clusters: ['prod', 'edge'], extraObjects: { settings }, steps } });
    for (const name of names) {
      isIn(all.edge, name, `${home}/applications/${name}`);
      all.edge.objects.set(`${home}/appprojects/${name}`, { metadata: { name }, spec: {} });
    }

    failingSlowly(all, { on: 'edge', projects: /./, seconds: 5, kind: 'unreachable' });
    await all.tick();

    expect([held(all.prod), all.prod.objects.has(applied)]).toEqual([['nodes'], true]);
  });

  it('[S2-18] [N-30] are remembered by few of their Applications, and other sequences by theirs', async () => {
    const names = Array.from({ length: 500 }, (_, index) => `team-${index}`);
    const all = sequenceLab({});
    const steps = Object.fromEntries(names.map((name) => [name, { kind: 'application', name, wave: 10 }]));
    const extraObjects = { settings };
    const other = { first, nodes: { kind: 'application', name: 'nodes', wave: 10 } };
    all.configureAll({ many: { extraObjects, steps: { first, ...steps } }, other: { extraObjects, steps: other } });
    all.prod.failing.set(`${home}/applications`, 500);

    await ticks(2, all);

    const { sequencesUnseen = {} } = (await all.lab.ports.checkpoints.load('prod')) ?? {};
    expect(Object.keys(sequencesUnseen)).toHaveLength(200);
    expect(Object.keys(sequencesUnseen)).toContain('other/nodes@prod');
    expect(new Set(Object.values(sequencesUnseen)).size).toBe(1);
  });
});

/** So many Applications after Application nodes, each in an AppProject of its own. */
function afterNodes(count: number) {
  const names = Array.from({ length: count }, (_, index) => `team-${index}`);
  const all = sequenceLab({
    gate: { kind: 'check', wave: 0, waitFor: { resourceType: 'sc', resourceName: 'ceph' } },
    nodes: { kind: 'application', name: 'nodes', wave: 10 },
    ...Object.fromEntries(names.map((name) => [name, { kind: 'application', name, wave: 20 }])),
  });
  isIn(all.prod, 'platform');
  for (const name of names) isIn(all.prod, `of-${name}`, `${home}/applications/${name}`);
  for (const name of ['platform', ...names.map((each) => `of-${each}`)])
    all.prod.objects.set(`${home}/appprojects/${name}`, { metadata: { name }, spec: {} });
  const heldOf = () => names.filter((name) => held(all.prod, `of-${name}`).length > 0).length;
  return { all, heldOf };
}

describe('AppProjects of a sequence that are slow, and do not fail', () => {
  it.each([
    [60, 0.1],
    [60, 0.2],
    [120, 0.2],
  ])('[S2-15] [S2-18] [N-30] are all written in one look, few at once: %i of them, %d s', async (count, seconds) => {
    const { all, heldOf } = afterNodes(count);
    const most = slowCalls(all, () => ({ seconds }));

    await ticks(1, all);
    expect([held(all.prod), heldOf(), most()]).toEqual([['nodes'], count, 8]);

    for (let minute = 0; minute < 9; minute += 1) {
      await all.tick();
      expect([toldOf(all), all.lab.troubles()]).toEqual([[], []]);
    }

    all.prod.objects.set(ceph, { metadata: { name: 'ceph' } });
    // All are healthy: once the gate has opened, it is the turn of each.
    await ticks(1, all);
    expect([held(all.prod), heldOf()]).toEqual([[], 0]);
  });

  it('[S2-18] [N-30] are not told where a look had no time for a window that stood', async () => {
    const { all, heldOf } = afterNodes(40);
    let seconds = 0;
    slowCalls(all, () => ({ seconds }));
    await ticks(1, all);
    seconds = 5;

    await ticks(9, all);

    expect([held(all.prod), heldOf(), toldOf(all)]).toEqual([['nodes'], 40, []]);
  });
});

describe('two Applications of one name on one cluster', () => {
  it('[S2-15] [N-30] one goes in its turn while the AppProject of the other may not be written', async () => {
    const all = sequenceLab({
      gate: { kind: 'check', wave: 0, waitFor: { resourceType: 'sc', resourceName: 'ceph' } },
      nodes: { kind: 'application', name: 'nodes', wave: 10 },
      never: { kind: 'check', wave: 15, waitFor: { resourceType: 'sc', resourceName: 'never' } },
      theirs: { kind: 'application', name: 'nodes', namespace: 'tenant', wave: 20 },
    });
    isIn(all.prod, 'platform');
    isIn(all.prod, 'mine', `${argo}/tenant/applications/nodes`);
    for (const name of ['mine', 'platform'])
      all.prod.objects.set(`${home}/appprojects/${name}`, { metadata: { name }, spec: {} });
    all.prod.failing.set(`${home}/appprojects/mine`, 'forbidden');
    await ticks(1, all);
    expect(held(all.prod)).toEqual(['nodes']);
    all.prod.objects.set(ceph, { metadata: { name: 'ceph' } });

    await ticks(2, all);

    expect([held(all.prod), Object.keys(all.record().held ?? {})]).toEqual([[], ['theirs@prod']]);
  });
});

describe('an Argo CD of a sequence that is away', () => {
  it.each(['/api', '/'])(
    '[S2-15] [S2-18] [N-30] keeps nothing from being held back elsewhere while its sequence begins: %s',
    async (away) => {
      const all = ofTwo();
      all.edge.failing.set(away, 'unreachable');

      await ticks(7, all);
      expect([held(all.prod), held(all.edge), all.prod.objects.has(applied)]).toEqual([['nodes'], [], true]);
      expect(toldOf(all).filter((each) => each.includes('it is not held back'))).toHaveLength(1);
      expect(toldOf(all).join()).not.toContain('nothing of it goes on');

      all.edge.failing.clear();
      await ticks(1, all);
      expect([held(all.prod), held(all.edge)]).toEqual([['nodes'], ['nodes']]);
    },
  );

  it.each(['/api', `${home}/appprojects`])(
    '[S2-15] [S2-18] [N-30] keeps none of its name that is elsewhere from its turn: %s',
    async (away) => {
      const all = ofTwo();
      await ticks(1, all);
      expect([held(all.prod), held(all.edge)]).toEqual([['nodes'], ['nodes']]);
      all.edge.failing.set(away, 'unreachable');
      all.prod.objects.set(ceph, { metadata: { name: 'ceph' } });

      await ticks(3, all);

      expect([held(all.prod), held(all.edge)]).toEqual([[], ['nodes']]);
    },
  );
});
