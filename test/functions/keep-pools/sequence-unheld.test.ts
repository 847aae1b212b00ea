import { describe, expect, it } from 'vitest';
import { memberOf } from '../../../functions/core/openshift/member.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import type { Watch } from '../failing-calls.ts';
import { configureClusters, only, ticks } from './moving-sequences.ts';
import { type SequenceLab, sequenceLab, sequenceName } from './sequence-lab.ts';

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

/** Writes of these AppProjects fail, each after so many seconds. */
function failingSlowly(
  { lab }: SequenceLab,
  {
    on = 'prod',
    projects,
    seconds,
    kind,
  }: {
    readonly on?: string;
    readonly projects: RegExp;
    readonly seconds: number;
    readonly kind: 'unreachable' | 'forbidden';
  },
): Watch {
  return ({ name, on: cluster, args: [path] }) => {
    if (name !== 'cluster.writer.patch' || cluster !== on || !projects.test(String(path))) return undefined;
    lab.world.clock.set(new Date(lab.world.clock.now().getTime() + seconds * 1000));
    return new Transient(`PATCH ${path}: refused`, { kind, isAnswered: true });
  };
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
    const slow = failingSlowly(all, { projects: /\/mine$/, seconds: 0.3, kind: 'forbidden' });
    let tries = 0;

    await all.tick((call) => {
      const failed = slow(call);
      if (failed !== undefined) tries += 1;
      return failed;
    });

    expect([tries, held(all.prod), all.prod.objects.has(applied)]).toEqual([1, ['nodes'], true]);
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

  it('[S2-15] [S2-18] [N-30] leave time for what begins, and for the others of their cluster by turns', async () => {
    const all = many(6, false);
    const slow = failingSlowly(all, { projects: /\/of-team-\d$/, seconds: 5, kind: 'unreachable' });

    await all.tick(slow);
    expect(all.prod.objects.has(applied)).toBe(true);
    for (let minute = 0; minute < 7; minute += 1) await all.tick(slow);
    expect(held(all.prod)).toEqual(['nodes']);
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

    await all.tick(failingSlowly(all, { on: 'edge', projects: /./, seconds: 5, kind: 'unreachable' }));

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
