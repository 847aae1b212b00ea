import { describe, expect, test } from 'vitest';
import { noLocks } from '../../../../functions/core/fleet-lock/locks.ts';
import { whyNotFrozen } from '../../../../functions/core/requests/freeze-from-message.ts';
import { statusAnswer, whyAnswer } from '../../../../functions/core/requests/slack-answers.ts';
import type { ClusterView } from '../../../../functions/core/timeline/view.ts';
import { buildStatus } from '../../../../functions/status/build-status.ts';
import { samplesOf } from '../../../../functions/status/metrics/samples-of.ts';
import { renderPage } from '../../../../functions/status/page/page.ts';
import { gapsIn } from '../../../../local/cli/status/gaps-in.ts';
import { statusText } from '../../../../local/cli/status/status-text.ts';
import { aPoolView, aView } from '../../../fakes/index.ts';
import { commitB, keepLab } from '../../../functions/keep-pools/keep-lab.ts';
import { fc, runs } from '../../../property.ts';
import { ask, serveStatus } from './serve-status.ts';

const now = new Date('2026-03-02T10:24:30.000Z');
const readAt = '2026-03-02T10:24:20.000Z';
const until = '2026-03-02T14:24:30.000Z';

/** Pool worker, which cannot be parsed, and nothing beside it. */
const unparsed = aView({ readAt, pools: [], unreadablePools: [{ name: 'worker', since: readAt, wasOurs: true }] });

/** What would be said of a pool that is gone, or of a cluster that needs nobody. */
const untrue =
  /There is no pool|had no pool|knows no pool|nothing waits for approval|No pools\.|All clear|all updated|🟢/;

function statusOf(views: readonly ClusterView[]) {
  const parts = { incidents: [], timeline: [], reboots: { rollouts: [] }, sequences: [], runs: [], locks: noLocks };
  return buildStatus({ ...parts, views, configuration: undefined, now });
}

/** What each surface says that has nothing but the views to go by. */
function surfacesOf(views: readonly ClusterView[], pool: string): Readonly<Record<string, string>> {
  const status = statusOf(views);
  const nothing = { clusters: 0, pools: 0, incidents: 0 };
  const clusters = views.map(({ cluster }) => cluster);
  const known = { clusters, views, incidents: [], unheard: nothing, statusUrl: undefined, now };
  return {
    page: renderPage(status, { refreshing: false }),
    'poolkeeper status': statusText(status),
    'poolkeeper get pools': gapsIn(status, 'pools').join('\n'),
    'status in Slack': statusAnswer('prod', known),
    'why in Slack': whyAnswer({ cluster: '', pool: '' }, known),
    'why of the pool in Slack': whyAnswer({ cluster: 'prod', pool }, known),
    'freeze from a message': whyNotFrozen({ cluster: 'prod', pool, until }, views[0]) ?? '',
  };
}

describe('a pool that cannot be parsed any more', () => {
  test('[N-29] is kept in the view with since when, also while its cluster cannot be read, until it can be parsed', async () => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));
    lab.world.pools.observe('worker');
    await lab.pass(60);
    const seen = async () => {
      const [view] = await lab.ports.views.list();
      return [view?.pools.map(({ name }) => name), view?.unreadablePools, view?.blind !== undefined];
    };

    const before = await seen();
    lab.world.pools.spoil('worker');
    await lab.pass(600);
    const spoilt = await seen();
    const restore = lab.world.faults.failAll(['pools.list']);
    await lab.pass(120);
    const blind = await seen();
    restore();
    lab.world.pools.mend('worker');
    await lab.pass(120);

    expect(before).toEqual([['worker'], undefined, false]);
    const named = [{ name: 'worker', since: expect.stringMatching(/^2026-03-02T10:0[12]:/), wasOurs: true }];
    expect(spoilt).toEqual([[], named, false]);
    expect(blind).toEqual([[], named, true]);
    expect(await seen()).toEqual(before);
  });

  test('[N-29] is there on every surface, whose cluster is not calm, whatever else the view has', () => {
    const state = fc.constantFrom({}, { paused: true, pauseOf: 'ours' }, { degraded: true }, { pending: true });
    const views = fc.record({
      others: fc.uniqueArray(fc.tuple(fc.constantFrom('infra', 'gpu', 'master'), state), {
        selector: ([name]) => name,
      }),
      since: fc.constantFrom(undefined, readAt),
      wasOurs: fc.constantFrom(undefined, true as const),
      more: fc.boolean(),
      poolsLeftOut: fc.constantFrom(undefined, { all: 2, paused: 1, degraded: 0 }),
      clusters: fc.constantFrom(1, 2, 6),
    });

    fc.assert(
      fc.property(views, ({ others, since, wasOurs, more, poolsLeftOut, clusters }) => {
        const view = aView({
          readAt,
          pools: others.map(([name, change]) => aPoolView({ name, ...change })),
          poolsLeftOut,
          unreadablePools: [{ name: 'worker', since, wasOurs }, ...(more ? [{ name: 'edge' }] : [])],
        });
        const calm = Array.from({ length: clusters - 1 }, (_, nth) =>
          aView({ cluster: `calm-${nth}`, readAt, pools: [aPoolView({ name: 'master' })] }),
        );
        const surfaces = surfacesOf([view, ...calm], 'worker');

        for (const [surface, said] of Object.entries(surfaces)) {
          expect(said, surface).toMatch(/worker`?(?: of prod)? cannot be parsed/);
          // Clusters beside it may be folded, as all updated.
          expect(clusters > 1 ? said.replaceAll('all updated', '') : said, surface).not.toMatch(untrue);
        }
        const { summary } = statusOf([view, ...calm]);
        expect(summary.state).toBe(others.some(([, { degraded = false }]) => degraded) ? 'trouble' : 'unseen');
      }),
      { numRuns: runs(60) },
    );
  });

  test('[N-29] of one that is asked for beside it, what is not there is still not there', () => {
    const said = surfacesOf([unparsed], 'no-such');

    expect(said['why of the pool in Slack']).toBe('There is no pool `no-such` on `prod`. There is `worker`.');
    expect(said['freeze from a message']).toBe('prod had no pool no-such when it was last read, so nothing is frozen');
  });

  test('[N-21] [N-29] beside pools for which there is no room refuses no freeze of the cluster', () => {
    const pools = [aPoolView({ name: 'master', managed: false })];
    const poolsLeftOut = { all: 30, paused: 0, degraded: 0 };
    const view = aView({ readAt, pools, poolsLeftOut, unreadablePools: [{ name: 'edge' }] });

    expect(whyNotFrozen({ cluster: 'prod', pool: '*', until }, view)).toBeUndefined();
    expect(whyNotFrozen({ cluster: 'prod', pool: 'edge', until }, view)).toContain('edge of prod cannot be parsed');
  });

  test('[N-29] of a cluster that is in the configuration no more leaves nothing all clear', () => {
    const parts = { incidents: [], timeline: [], reboots: { rollouts: [] }, sequences: [], runs: [], locks: noLocks };
    const old = { ...unparsed, readAt: '2026-03-01T10:00:00.000Z' };
    const configuration = { clusters: [], sequences: {}, nodeTurns: undefined, fleetLock: undefined };

    const { summary } = buildStatus({ ...parts, views: [old], configuration, now });

    expect([summary.state, summary.poolsLeft]).toEqual(['unseen', 1]);
    expect(summary.sentence).toMatch(/^1 pool paused, degraded or unreadable when last read/);
  });

  test('[N-29] [N-33] fails what scripts ask, which never call it unknown', async () => {
    const url = await serveStatus({ views: [unparsed] });

    const asked = {
      status: await ask(url, ['status']),
      get: await ask(url, ['get', 'pools']),
      why: await ask(url, ['why', '--url', url]),
      'why worker': await ask(url, ['why', 'worker', '--url', url]),
      'wait for paused': await ask(url, ['wait', 'worker', '--for', 'paused', '--timeout', '30s']),
      'wait for resumed': await ask(url, ['wait', 'worker', '--for', 'resumed', '--timeout', '30s']),
    };

    for (const [command, { status, said, noted }] of Object.entries(asked)) {
      expect(`${said}${noted}`, command).toContain('pool worker of prod cannot be parsed, since');
      expect(`${said}${noted}`, command).not.toMatch(untrue);
      expect(status, command).toBe(command.startsWith('why') ? 2 : 1);
    }
  });

  test('[N-29] [N-33] changes no answer about something else, and none about a pool that does not exist', async () => {
    const views = [aView({ readAt, pools: [aPoolView()], unreadablePools: [{ name: 'gpu' }] })];
    const url = await serveStatus({ views });
    const statusAndNotes = async (...line: readonly string[]) => {
      const { status, noted } = await ask(url, line);
      return { status, isNamed: noted.includes('gpu') };
    };

    for (const listing of ['incidents', 'runs', 'windows', 'sequences'])
      expect(await statusAndNotes('get', listing), listing).toEqual({ status: 0, isNamed: false });
    for (const listing of ['pools', 'holds'])
      expect(await statusAndNotes('get', listing), listing).toEqual({ status: 1, isNamed: true });
    expect(await statusAndNotes('why', 'worker', '--url', url)).toEqual({ status: 0, isNamed: false });
    for (const asked of [['wroker'], ['gpu', 'wroker']])
      expect((await ask(url, ['why', ...asked, '--url', url])).noted).toMatch(/knows no pool wroker$/);
  });

  test('[N-16] [N-29] is told where a guard that is asked about waits for it, and only there', async () => {
    const guard = (about: string, ...pools: readonly string[]) => ({ about, why: 'not paused', pools });
    const guards = [guard('openshift-gitops/shop', 'worker'), guard('openshift-gitops/gpu-drivers', 'gpu')];
    const views = [aView({ readAt, guards, pools: [aPoolView()], unreadablePools: [{ name: 'gpu' }] })];
    const url = await serveStatus({ views });
    const statusOfWhy = async (application: string) => (await ask(url, ['why', application, '--url', url])).status;

    expect(await statusOfWhy('openshift-gitops/gpu-drivers')).toBe(2);
    expect(await statusOfWhy('openshift-gitops/shop')).toBe(0);
  });

  test('[N-29] [N-33] of whose name another cluster has one, too, is waited for only where it is said which', async () => {
    const other = aView({ cluster: 'dev', readAt, pools: [aPoolView({ name: 'worker' })] });

    const { status, noted } = await ask(await serveStatus({ views: [other, unparsed] }), ['wait', 'worker']);

    expect(status).toBe(2);
    expect(noted).toContain('--cluster is missing: prod and dev have a pool worker');
  });

  test('[N-35] has one metric, which says so', () => {
    const ofWorker = samplesOf(statusOf([unparsed])).filter(({ labels }) => labels['pool'] === 'worker');

    expect(ofWorker).toEqual([
      { metric: 'poolState', labels: { cluster: 'prod', pool: 'worker', state: 'unreadable' }, value: 1 },
    ]);
  });
});
