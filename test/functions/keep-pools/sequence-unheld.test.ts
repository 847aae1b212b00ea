import { describe, expect, it } from 'vitest';
import { memberOf } from '../../../functions/core/openshift/member.ts';
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

describe('an Argo CD of a sequence that is away', () => {
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
