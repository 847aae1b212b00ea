import { describe, expect, test } from 'vitest';
import { shortId } from '../../../functions/core/timeline/few-holds.ts';
import type { ClusterView } from '../../../functions/core/timeline/view.ts';
import { clusterStatus } from '../../../functions/status/cluster-status.ts';
import { Status } from '../../../functions/status/status.ts';
import { statusOf } from '../../../functions/status/status-of.ts';
import { aPoolView, aView, fakeClock, fakeIds, fakeTables } from '../../fakes/index.ts';

const since = '2026-03-02T09:30:00.000Z';
const until = '2026-03-02T11:00:00.000Z';

function holding(name: string, ...ids: readonly string[]) {
  const holds = ids.map((id) => {
    const [kind = ''] = id.split('/');
    return { id, kind, who: id.split('/').slice(-2).join('/'), why: 'syncs', phase: 'syncing', since, until };
  });
  return aPoolView({ name, paused: true, pauseOf: 'ours', pausedSince: since, holds });
}

async function shown(view: Partial<ClusterView>) {
  const tables = fakeTables();
  await tables.views.save(aView(view));
  const read = statusOf({ newId: fakeIds(), ...tables, clock: fakeClock().now });
  const ask = async (accept: string) =>
    (await read(new Request('http://localhost/status', { headers: { accept } }))).text();
  const page = (await ask('text/html')).replace(/<style>[\s\S]*?<\/style>/, '').replace(/<[^>]+>/g, ' ');
  return {
    cluster: Status.parse(JSON.parse(await ask('application/json'))).clusters[0],
    words: page.replace(/\s+/g, ' '),
  };
}

describe('who holds which pools', () => {
  test('[N-30] is shown by holder, people before Applications', async () => {
    const pools = [
      holding('worker', 'manual/anna', 'sync/hub/team-a/nodes'),
      holding('infra', 'sync/hub/team-a/nodes'),
    ];

    const { cluster, words } = await shown({ pools });

    expect(cluster?.holders).toMatchObject([
      { kind: 'manual', pools: ['worker'] },
      { who: 'team-a/nodes', kind: 'sync', pools: ['worker', 'infra'], since, ageSeconds: 1800 },
    ]);
    expect(words).toContain('Who holds which pools');
    expect(words).toContain('team-a/nodes sync 2 : worker, infra');
  });

  test('[N-29] names nobody whose hold a person has overruled, or whose freeze an emergency lane passes', async () => {
    const emergency = { who: 'eve', why: 'CVE', since, until };
    const hold = { kind: 'sync', who: 'nodes', why: 'syncs', phase: 'syncing', since, until };
    const overruled = { ...hold, id: 'sync/hub/nodes', overruled: { at: since, by: 'bob' } };
    const frozen = { ...hold, id: 'freeze/pool/ann', kind: 'freeze', who: 'ann', passed: true as const };

    const { cluster, words } = await shown({ pools: [aPoolView({ holds: [overruled, frozen], emergency })] });

    expect(cluster?.pools[0]?.holds).toHaveLength(2);
    expect(cluster?.holders).toBeUndefined();
    expect(words).not.toContain('Who holds');
  });

  test('[N-30] hides neither people nor other namespaces behind those who hold more, and says how many are not there', async () => {
    const many = Array.from({ length: 40 }, (_, nth) => `sync/hub/tenant/x${nth}`);
    const pools = Array.from({ length: 21 }, (_, nth) => holding(`p${nth}`, ...many));
    const held = holding('held', 'freeze/*/anna', 'sync/hub/other/nodes');

    const { cluster, words } = await shown({ pools: [...pools, held] });

    const who = cluster?.holders?.map(({ who: each }) => each) ?? [];
    expect([who.length, ...who.slice(0, 3)]).toEqual([20, '*/anna', 'tenant/x0', 'other/nodes']);
    expect(cluster?.holdersLeftOut).toEqual({ holders: 22, holds: 0 });
    expect(words).toContain('Not listed: 22 more holders.');
  });

  test("[N-30] hides none of another AppProject in Argo CD's own namespace either", async () => {
    const ofProject = (project: string, ...names: readonly string[]) =>
      holding('worker', ...names.map((name) => `sync/hub/openshift-gitops/${name}`)).holds.map((hold) => {
        return { ...hold, project };
      });
    const own = ofProject('team-a', ...Array.from({ length: 40 }, (_, nth) => `a${nth}`));

    const { cluster } = await shown({
      pools: [aPoolView({ paused: true, holds: [...own, ...ofProject('team-b', 'nodes')] })],
    });

    expect(cluster?.holders?.[1]?.who).toBe('openshift-gitops/nodes');
  });

  test('[N-29] what stands for several holds is no holder, and nobody is linked by a part of a name', async () => {
    const more = { id: 'more', kind: 'sync', who: '60 more', why: '', phase: 'syncing', since, until, more: 60 };
    const pools = ['one', 'two'].map((name) => aPoolView({ name, paused: true, holds: [more] }));

    const { cluster, words } = await shown({ pools });
    const argocd = [{ name: 'hub', namespaces: ['tenant'], url: 'https://argocd.example', commitsUrl: undefined }];
    const named = ['sync/hub/tenant/nodes', shortId('sync/hub/tenant/nodes-of-all', 21)];
    const { holders } = clusterStatus('prod', {
      view: aView({ pools: [holding('worker', ...named)] }),
      configured: true,
      places: { clusters: [], argocd },
      now: new Date(until),
    });

    expect([cluster?.holders, cluster?.holdersLeftOut]).toEqual([undefined, { holders: 0, holds: 120 }]);
    expect(words).toContain('Not listed: the holders of 120 holds that no pool has room to name.');
    expect(holders?.map(({ link }) => link)).toEqual(['https://argocd.example/applications/tenant/nodes', undefined]);
  });

  test('is left out where nobody holds any', async () => {
    const { cluster, words } = await shown({});

    expect(cluster?.holders).toBeUndefined();
    expect(words).not.toContain('Who holds');
    expect(words).not.toContain('without effect');
  });

  test('[N-30] an annotation without effect is shown with the reason, as text', async () => {
    const ignoredAnnotations = [{ application: 'team-a/<b>nodes', why: 'its annotation is ignored' }];

    const { cluster, words } = await shown({ ignoredAnnotations });

    expect(cluster?.ignoredAnnotations).toEqual(ignoredAnnotations);
    expect(words).toContain('Annotations without effect');
    expect(words).toContain('team-a/&lt;b&gt;nodes : its annotation is ignored');
  });
});
