import { describe, expect, test } from 'vitest';
import type { Operation } from '../../../functions/core/argocd/application.ts';
import { Approve } from '../../../functions/core/configuration/approve.ts';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { freezeManually } from '../../../functions/core/holds/manual-freeze.ts';
import { aMachineConfig, anApplication, anOperation } from '../../fakes/index.ts';
import { commitA, commitB, commitC, type KeepLab, keepLab } from './keep-lab.ts';

const people = ['slack:U0MALLORY github:mallory', 'slack:U00CAROL github:carol', 'slack:U000DAVE github:dave'];
const approve = Approve.parse({ by: people, needed: 1, excludePusher: true });
const next = { name: 'rendered-worker-bbb', sources: ['00-worker', '99-worker-ssh'] };

function lab(): KeepLab {
  return keepLab({ pools: { worker: { ...defaultPoolSettings, approve } } });
}

const renders = (of: KeepLab) => of.world.pools.change('worker', 'machine-config-controller', { target: next });

/** What the pool waits with. */
function noted(of: KeepLab) {
  const { release } = of.record() ?? {};
  return { pushers: release?.pushers, unpushed: release?.unpushed };
}

async function approvalGate({ world }: KeepLab) {
  const { pools = [] } = (await world.tables.views.load('prod')) ?? {};
  return pools.flatMap(({ closedGates }) => closedGates).find(({ gate }) => gate === 'approval');
}

const bobs = (of: KeepLab, commit = commitB) => of.deliver(of.pushOf(commit, { pusher: 'bob' }));
const byHand = { startedBy: 'mallory' };

const charted = [
  { repoURL: 'https://github.com/acme/platform.git', path: 'nodes', targetRevision: 'HEAD', chart: '' },
  { repoURL: 'https://charts.example.com', path: '', targetRevision: '1.x', chart: 'nodes' },
];
const began = '2026-03-02T09:00:00Z';

describe('with excludePusher, a sync by hand of which nobody knows who pushed it', () => {
  test('[N-17] stays so when somebody pushes while it runs', async () => {
    const of = lab();
    of.syncs(commitC, byHand);
    await of.deliver(of.operationOf('Running'));
    await bobs(of);
    of.ends('Succeeded');
    await of.pass(10);
    of.syncs(commitB);
    of.ends('Succeeded');
    renders(of);
    await of.pass(60);

    expect(noted(of)).toEqual({ pushers: ['', 'bob'], unpushed: ['openshift-gitops/nodes'] });
    expect(of.pool().paused).toBe(true);
  });

  test('[N-17] is none where what runs is what was pushed', async () => {
    const of = lab();
    of.syncs(commitB, byHand);
    await of.deliver(of.operationOf('Running'));
    await bobs(of);
    of.ends('Succeeded');
    renders(of);
    await of.pass(60);

    expect(noted(of)).toEqual({ pushers: ['bob'], unpushed: undefined });
  });

  test('[N-17] is noted where it is of another commit than the one that is awaited', async () => {
    const of = lab();
    await bobs(of);
    of.world.clock.advance(2);
    of.syncs(commitC, byHand);
    await of.deliver(of.operationOf('Running'));
    of.ends('Succeeded');
    await of.pass(10);
    of.syncs(commitB);
    of.ends('Succeeded');
    renders(of);
    await of.pass(60);

    expect(noted(of).pushers).toEqual(['bob', '']);
  });

  test('[N-17] and not where somebody syncs by hand what was pushed', async () => {
    const of = lab();
    await bobs(of);
    of.world.clock.advance(2);
    of.syncs(commitB, byHand);
    await of.deliver(of.operationOf('Running'));
    of.ends('Succeeded');
    renders(of);
    await of.pass(60);

    expect(noted(of).pushers).toEqual(['bob']);
  });

  test('[N-17] [N-21] is not forgotten with the end of a freeze that it came under', async () => {
    const of = lab();
    const ann = { who: 'ann', why: 'a sale', now: of.world.clock.now() };
    const until = new Date(ann.now.getTime() + 20 * 60_000);
    const { paused = false, record } = freezeManually(of.pool(), { scope: 'pool', until }, ann);
    if (record) of.world.pools.change('worker', 'poolkeeper', { paused, record: { kind: 'record', record } });
    await of.pass(60);
    renders(of);
    await of.pass(30 * 60);

    expect([of.pool().paused, noted(of).pushers]).toEqual([true, undefined]);
    expect((await approvalGate(of))?.threshold).toBe('2 approvals');
  });

  test('[N-8] [N-17] is noted where it was over two seconds before somebody else pushed', async () => {
    const of = lab();
    await of.tick();
    const at = () => `${of.world.clock.now().toISOString().slice(0, 19)}Z`;
    const sources = [{ repoURL: 'https://github.com/acme/other.git', path: '', targetRevision: 'HEAD', chart: '' }];
    of.world.argocd.put(anApplication({ name: 'other', uid: 'other', sources }));
    of.syncs(commitA, byHand, 'other');
    of.world.pools.putMachineConfig(aMachineConfig({ changedAt: at() }));
    const [result] = anOperation().results;
    const message = `machineconfig.machineconfiguration.openshift.io/${result?.name} configured`;
    of.ends('Succeeded', { results: result === undefined ? [] : [{ ...result, message }] }, 'other');
    of.world.clock.advance(2);
    await bobs(of);
    of.world.clock.advance(1);
    const seen = of.operationOf('Succeeded');
    await of.deliver({ ...seen, data: { ...seen.data, name: 'other' } });
    of.syncs(commitB);
    of.ends('Succeeded');
    renders(of);
    await of.pass(60);

    expect(noted(of).pushers?.toSorted()).toEqual(['', 'bob']);
  });

  test('[N-17] is noted where it is first seen with the push', async () => {
    const of = lab();
    await of.tick();
    of.syncs(commitC, byHand);
    of.world.clock.advance(2);
    await bobs(of);
    await of.deliver(of.operationOf('Running'));
    of.ends('Succeeded');
    await of.pass(10);
    of.syncs(commitB);
    of.ends('Succeeded');
    renders(of);
    await of.pass(60);

    expect(noted(of).pushers?.toSorted()).toEqual(['', 'bob']);
  });

  test('[N-17] is noted where one of several sources is at a commit that nobody pushed', async () => {
    const of = lab();
    await bobs(of);
    of.world.clock.advance(2);
    of.syncs(commitB, { ...byHand, revisions: [commitB, 'd'.repeat(40)] });
    await of.deliver(of.operationOf('Running'));
    of.ends('Succeeded');
    renders(of);
    await of.pass(60);

    expect(noted(of).pushers).toEqual(['bob', '']);
  });

  test.each(['poolkeeper', 'applicationset-controller', undefined])(
    '[N-17] is none where it is of what was pushed, and %s started it',
    async (startedBy) => {
      const of = lab();
      await bobs(of);
      of.world.clock.advance(2);
      of.syncs(commitB, { startedBy });
      await of.deliver(of.operationOf('Running'));
      of.ends('Succeeded');
      renders(of);
      await of.pass(60);

      expect(noted(of).pushers).toEqual(['bob']);
    },
  );

  test.each(['poolkeeper', 'applicationset-controller', undefined])(
    '[N-17] [N-30] is noted of another commit, or target revision, whoever started it: %s',
    async (startedBy) => {
      const of = lab();
      await bobs(of);
      of.world.clock.advance(2);
      of.syncs(commitC, { startedBy });
      await of.deliver(of.operationOf('Running'));
      of.ends('Succeeded');
      renders(of);
      await of.pass(60);

      expect(noted(of)).toEqual({ pushers: ['bob', ''], unpushed: ['openshift-gitops/nodes'] });
    },
  );

  test('[N-17] [N-30] is noted of an automated sync that ran before anybody saw it, when somebody else pushes', async () => {
    const of = lab();
    of.syncs(commitC);
    await bobs(of);
    of.world.pools.observe('worker');
    of.ends('Succeeded');
    await of.pass(5);
    of.syncs(commitB);
    of.ends('Succeeded');
    renders(of);
    await of.pass(60);

    expect(noted(of).pushers).toContain('');
  });

  test("[N-17] [N-30] is noted of a chart's new version beside somebody else's push", async () => {
    const of = lab();
    const shared = {
      repoURL: 'https://github.com/acme/platform.git',
      path: 'nodes',
      targetRevision: 'HEAD',
      chart: '',
    };
    const own = { repoURL: 'https://charts.example.com', path: '', targetRevision: '1.x', chart: 'mine' };
    const sync = { status: 'Synced' as const, revisions: [commitA, '1.0.0'] };
    of.world.argocd.put(anApplication({ name: 'mine', uid: 'mine', sources: [shared, own], sync }));
    await of.tick();
    await bobs(of);
    of.world.pools.observe('worker');
    of.world.clock.advance(2);
    of.syncs(commitB);
    of.syncs(commitB, { revisions: [commitB, '1.1.0'] }, 'mine');
    await of.deliver(of.operationOf('Running'));
    of.ends('Succeeded');
    of.ends('Succeeded', {}, 'mine');
    renders(of);
    await of.pass(60);

    expect(noted(of)).toEqual({ pushers: ['bob', ''], unpushed: ['openshift-gitops/mine'] });
  });

  test.each<['Synced' | 'OutOfSync', readonly string[]]>([
    ['OutOfSync', ['bob', '']],
    ['Synced', ['bob']],
  ])(
    "[N-17] [N-30] at a chart's version that Argo CD had found before it was pushed to, %s, is of %j",
    async (status, by) => {
      const of = lab();
      const at = '2026-03-02T09:00:00Z';
      const revisions = [commitA, status === 'Synced' ? '1.1.0' : '1.0.0'];
      const last = anOperation({ startedAt: at, finishedAt: at, revisions });
      const sync = { status, revisions: [commitA, '1.1.0'] };
      of.world.argocd.change('nodes', {
        sources: charted,
        sync,
        operation: last,
        succeeded: [{ startedAt: at, revisions }],
      });
      await of.tick();
      await bobs(of);
      of.world.pools.observe('worker');
      of.world.clock.advance(2);
      of.syncs(commitB, { revisions: [commitB, '1.1.0'] });
      await of.deliver(of.operationOf('Running'));
      of.ends('Succeeded');
      renders(of);
      await of.pass(60);

      expect(noted(of).pushers).toEqual(by);
    },
  );

  test('[N-17] [N-30] is noted of an automated sync that runs unseen, also once Argo CD says what it compared', async () => {
    const of = lab();
    of.world.argocd.change('nodes', { sync: { status: 'OutOfSync', revisions: [commitC] } });
    of.syncs(commitC);
    await bobs(of);
    of.world.pools.observe('worker');
    of.ends('Succeeded');
    await of.pass(5);
    of.syncs(commitB);
    of.ends('Succeeded');
    renders(of);
    await of.pass(60);

    expect(noted(of).pushers).toEqual(['bob', '']);
  });

  test.each(['github-merge-queue[bot]', 'github-actions[bot]', 'none'])(
    '[N-17] [N-30] is noted where %s pushed, for whomever',
    async (pusher) => {
      const of = lab();
      await of.deliver(of.pushOf(commitB, { pusher }));
      of.world.clock.advance(2);
      of.syncs(commitB);
      await of.deliver(of.operationOf('Running'));
      of.ends('Succeeded');
      renders(of);
      await of.pass(60);

      expect(noted(of).pushers).toEqual(['']);
    },
  );

  test('[N-17] [N-30] is believed of none that says it left all unchanged, as a retry of one that wrote it', async () => {
    const of = lab();
    await of.tick();
    const said = (word: string) =>
      anOperation().results.map((each) => ({ ...each, message: `machineconfig/x ${word}` }));
    of.syncs(commitC, byHand);
    await of.deliver(of.operationOf('Running'));
    of.ends('Failed', { results: said('configured') });
    renders(of);
    await of.pass(60);
    of.syncs(commitC, byHand);
    await of.deliver(of.operationOf('Running'));
    of.ends('Succeeded', { results: said('unchanged') });
    await of.pass(60);

    expect(noted(of)).toEqual({ pushers: [''], unpushed: ['openshift-gitops/nodes'] });
    expect((await approvalGate(of))?.opens).toBe(
      '2 more approvals (one more than usual, because it is not known who pushed what openshift-gitops/nodes has synced), in Slack or on the command line',
    );
  });
});

const eves = (of: KeepLab, commit = commitC) => of.deliver(of.pushOf(commit, { pusher: 'eve', before: commitB }));
const commitD = 'd'.repeat(40);

describe('with excludePusher, a sync of a commit whose push is delivered after it has begun', () => {
  test('[N-17] is of whoever made that push, where two push within seconds', async () => {
    const of = lab();
    await bobs(of);
    of.world.clock.advance(1);
    of.syncs(commitC);
    await of.deliver(of.operationOf('Running'));
    of.world.clock.advance(3);
    await eves(of);
    of.ends('Succeeded');
    renders(of);
    await of.pass(60);

    expect(noted(of)).toEqual({ pushers: ['bob', 'eve'], unpushed: undefined });
    expect((await approvalGate(of))?.threshold).toBe('1 approval');
  });

  test('[N-17] is of whoever made that push also where its delivery finds the sync ended', async () => {
    const of = lab();
    of.world.argocd.change('nodes', { selfHeal: false });
    await bobs(of);
    of.world.clock.advance(1);
    of.syncs(commitC);
    await of.deliver(of.operationOf('Running'));
    of.world.clock.advance(1);
    of.ends('Succeeded');
    await eves(of);
    renders(of);
    await of.pass(60);

    expect(noted(of)).toEqual({ pushers: ['bob', 'eve'], unpushed: undefined });
  });

  test('[N-17] [N-30] stays of somebody who is not known where another commit was synced, too', async () => {
    const of = lab();
    await bobs(of);
    of.world.clock.advance(1);
    of.syncs(commitD, byHand);
    await of.deliver(of.operationOf('Running'));
    of.ends('Succeeded');
    of.world.argocd.change('nodes', { sync: { status: 'OutOfSync', revisions: [commitD] } });
    of.world.clock.advance(1);
    of.syncs(commitC);
    await of.deliver(of.operationOf('Running'));
    of.world.clock.advance(3);
    await eves(of);
    of.ends('Succeeded');
    renders(of);
    await of.pass(60);

    expect(noted(of).pushers).toEqual(['bob', 'eve', '']);
  });

  test('[N-17] [N-30] stays of somebody who is not known where it has more sources than are kept', async () => {
    const of = lab();
    const others = Array.from({ length: 11 }, (_, index) => `${index}`.padStart(40, 'e'));
    await bobs(of);
    of.world.clock.advance(1);
    of.syncs(commitC, { revisions: [commitC, ...others] });
    await of.deliver(of.operationOf('Running'));
    await eves(of);
    of.ends('Succeeded');
    renders(of);
    await of.pass(60);

    expect(of.record()?.release?.pushers).toContain('');
  });
});

describe('with excludePusher, a sync of an annotated tag', () => {
  /** Bob pushes the tag object B, which names commit C. */
  async function tagged(revisions: readonly string[]): Promise<KeepLab> {
    const of = lab();
    const source = {
      repoURL: 'https://github.com/acme/platform.git',
      path: 'nodes',
      targetRevision: 'v1.*',
      chart: '',
    };
    of.world.argocd.change('nodes', { sources: [source] });
    const ref = 'refs/tags/v1.2.0';
    await of.deliver(
      of.pushOf(commitB, { pusher: 'bob', ref, created: true, before: '0'.repeat(40), commit: commitC }),
    );
    of.world.pools.observe('worker');
    of.world.clock.advance(2);
    of.syncs(commitC, { revisions: [...revisions] });
    await of.deliver(of.operationOf('Running'));
    of.ends('Succeeded');
    renders(of);
    await of.pass(60);
    return of;
  }

  test.each([
    ['commit', commitC],
    ['tag', commitB],
  ])('[N-17] is of whoever pushed the tag, where Argo CD names the %s', async (_, revision) => {
    const of = await tagged([revision]);

    expect(noted(of)).toEqual({ pushers: ['bob'], unpushed: undefined });
  });

  test('[N-17] [N-30] is of somebody who is not known at another commit', async () => {
    const of = await tagged(['d'.repeat(40)]);

    expect(noted(of).pushers).toEqual(['bob', '']);
  });
});

describe('with excludePusher, a sync of what somebody pushed to the writer of an Application', () => {
  const chart = { repoURL: 'https://charts.example.com', path: '', targetRevision: '1.0.0', chart: 'mine' };
  const tag = { repoURL: 'https://github.com/acme/nodes.git', path: 'nodes', targetRevision: 'v1.0.0', chart: '' };
  const [was, is] = ['e'.repeat(40), 'f'.repeat(40)];
  const child = { group: 'argoproj.io', kind: 'Application', namespace: 'openshift-gitops', name: 'nodes' };

  interface Play {
    readonly source: typeof chart;
    /** What it stood at. */
    readonly stood: string;
    /** Its spec, once the writer has synced. */
    readonly named: string;
    /** What it syncs. */
    readonly syncs: string;
    readonly child?: string;
    readonly writer?: string;
    /** GitHub delivers the push once more, after the writer has synced. */
    readonly isTwice?: boolean;
    readonly sync?: { readonly status: 'Synced'; readonly revisions: readonly string[] };
    /** Another source, of a range, that syncs the same. */
    readonly second?: { readonly stood: string };
  }

  /** Bob pushes to the repository of `root`, which writes the Application `nodes`. */
  async function rootIsPushed({ source, stood, named, syncs, writer = commitB, ...more }: Play): Promise<KeepLab> {
    const of = lab();
    const { argocd, pools } = of.world;
    const range = { ...chart, chart: 'more', targetRevision: '1.x' };
    const { sources } = argocd.get('nodes');
    const seconds = more.second === undefined ? [] : [range];
    const resources = [{ ...child, status: 'Synced' }];
    const sync = { status: 'Synced' as const, revisions: [commitA] };
    argocd.put(anApplication({ name: 'root', uid: 'root', sources, sync, resources }));
    const revisions = [stood, ...(more.second === undefined ? [] : [more.second.stood])];
    argocd.change('nodes', {
      sources: [source, ...seconds],
      sync: { ...sync, revisions },
      succeeded: [{ startedAt: began, revisions }],
    });
    await of.tick();
    const push = of.pushOf(commitB, { pusher: 'bob', files: { kind: 'known', paths: ['apps/nodes.yaml'] } });
    await of.deliver(push);
    await of.pass(1);
    pools.observe('worker');
    of.syncs(commitB, {}, 'root');
    await of.pass(2);
    of.ends('Succeeded', {}, 'root');
    argocd.change('root', {
      sync: { ...sync, revisions: [writer] },
      resources: [{ ...child, status: more.child ?? 'Synced' }],
    });
    argocd.change('nodes', { sources: [{ ...source, targetRevision: named }, ...seconds] });
    if (more.isTwice) await of.deliver(push);
    of.syncs(syncs, { revisions: [syncs, ...seconds.map(() => syncs)] });
    await of.deliver(of.operationOf('Running'));
    of.ends('Succeeded');
    if (more.sync !== undefined) argocd.change('nodes', { sync: more.sync });
    renders(of);
    await of.pass(60);
    return of;
  }

  const bumped = { source: tag, stood: was, named: 'v1.1.0', syncs: is };

  test.each<[string, Play]>([
    ["a chart's new version", { source: chart, stood: '1.0.0', named: '1.1.0', syncs: '1.1.0' }],
    ['a new tag', bumped],
    ['a tag by its whole name', { ...bumped, named: 'refs/tags/nodes-2' }],
    ['a commit', { ...bumped, named: is }],
    ['a new tag, and the push is delivered twice', { ...bumped, isTwice: true }],
    ['other values of the same version', { source: chart, stood: '1.0.0', named: '1.0.0', syncs: '1.0.0' }],
    [
      'a version that another source was at already',
      { source: chart, stood: '1.0.0', named: '1.1.0', syncs: '1.1.0', second: { stood: '1.1.0' } },
    ],
    ['other values at the same commit', { ...bumped, named: 'v1.0.0', syncs: was }],
  ])('[N-17] is of him, where that names %s', async (_, play) => {
    const of = await rootIsPushed(play);

    expect(noted(of)).toEqual({ pushers: ['bob'], unpushed: undefined });
  });

  const other = '9'.repeat(40);
  test.each<[string, Play]>([
    [
      'takes the version that is named for one source for another one',
      { source: chart, stood: '1.0.0', named: '1.1.0', syncs: '1.1.0', second: { stood: '1.0.0' } },
    ],
    ['takes another version from a range', { source: chart, stood: '1.0.0', named: '1.x', syncs: '1.2.0' }],
    ['takes another commit from a branch', { ...bumped, named: 'main' }],
    ['takes another commit from a tag that was named before, and was moved', { ...bumped, named: 'v1.0.0' }],
    ['takes a version from a spec that is not what its writer has', { ...bumped, child: 'OutOfSync' }],
    ['takes a version while its writer is at another commit', { ...bumped, writer: commitC }],
    [
      'is of another commit than that of the version',
      { ...bumped, syncs: other, sync: { status: 'Synced', revisions: [is] } },
    ],
  ])('[N-17] [N-30] is of somebody who is not known, where it %s', async (_, play) => {
    const of = await rootIsPushed(play);

    expect(noted(of).pushers).toEqual(['bob', '']);
  });
});

/** A sync that is seen from its beginning to its end, and what the pool renders for it. */
async function syncsSeen(of: KeepLab, revisions: readonly string[]): Promise<void> {
  of.world.pools.observe('worker');
  of.world.clock.advance(2);
  of.syncs(commitB, { revisions });
  await of.deliver(of.operationOf('Running'));
  of.ends('Succeeded');
  renders(of);
  await of.pass(60);
}

describe('with excludePusher, a sync of several sources', () => {
  const more = { repoURL: 'https://charts.example.com', path: '', targetRevision: '1.x', chart: 'more' };
  const stood = [commitA, '1.0.0', '1.1.0'];

  test.each<[string, readonly string[] | undefined, readonly string[], readonly string[]]>([
    ['one takes the version that another one has', stood, ['1.1.0', '1.1.0'], ['bob', '']],
    ['all but the pushed one stay where they were', stood, ['1.0.0', '1.1.0'], ['bob']],
    ['it is not known where they were', undefined, ['1.0.0', '1.1.0'], ['bob', '']],
    ['one is new', [commitA, '1.0.0'], ['1.1.0', '1.0.0'], ['bob', '']],
  ])('[N-17] [N-30] of which %s', async (_, before, versions, by) => {
    const of = lab();
    of.world.argocd.change('nodes', {
      sources: [...charted, more],
      sync: { status: 'Synced', revisions: stood },
      ...(before === undefined ? {} : { succeeded: [{ startedAt: began, revisions: before }] }),
    });
    await of.tick();
    await bobs(of);
    await syncsSeen(of, [commitB, ...versions]);

    expect(noted(of).pushers).toEqual(by);
  });

  test('[N-17] [N-30] of which one moves is noted also where there are more than are kept', async () => {
    const of = lab();
    const charts = Array.from({ length: 11 }, (_, index) => ({ ...more, chart: `chart-${index}` }));
    const versions = charts.map((_, index) => `1.0.${index}`);
    const revisions = [commitA, ...versions];
    of.world.argocd.change('nodes', {
      sources: [...charted.slice(0, 1), ...charts],
      sync: { status: 'Synced', revisions },
      succeeded: [{ startedAt: began, revisions }],
    });
    await bobs(of);
    of.world.pools.observe('worker');
    of.world.clock.advance(2);
    of.syncs(commitB, { revisions: [commitB, ...versions] });
    await of.deliver(of.operationOf('Running'));
    const [before] = of.record()?.holds ?? [];
    of.ends('Succeeded');
    of.syncs(commitB, { revisions: [commitB, ...versions.with(-1, '1.1.0')] });
    await of.deliver(of.operationOf('Running'));

    expect(before).toMatchObject({ from: ['*'], pushers: ['bob'] });
    expect(before).not.toHaveProperty('unpushed');
    expect(of.record()?.holds[0]?.unpushed).toEqual(['1.1.0']);
  });

  test.each<[string, readonly string[] | undefined, string, readonly string[]]>([
    ['brings a version besides', [commitA, '1.0.0'], '1.1.0', ['bob', '']],
    ['may bring a version besides', undefined, '1.0.0', ['bob', '']],
    ['brings nothing besides', [commitA, '1.0.0'], '1.0.0', ['bob']],
  ])('[N-8] [N-17] [N-30] that was over before its push was looked at, and %s', async (_, before, version, by) => {
    const of = lab();
    const { clock, argocd, pools } = of.world;
    argocd.change('nodes', { sources: charted, sync: { status: 'Synced', revisions: [commitA, '1.0.0'] } });
    await of.tick();
    const startedAt = `${clock.now().toISOString().slice(0, 19)}Z`;
    of.syncs(commitB, { revisions: [commitB, version] });
    of.ends('Succeeded');
    const earlier = before === undefined ? [] : [{ startedAt: began, revisions: before }];
    argocd.change('nodes', { succeeded: [...earlier, { startedAt, revisions: [commitB, version] }] });
    clock.advance(3);
    await bobs(of);
    const { length } = pools.patches;
    await bobs(of);

    expect(of.pool().paused).toBe(true);
    expect(noted(of).pushers).toEqual(by);
    expect(pools.patches).toHaveLength(length);
  });

  test('[N-17] [N-29] that began before its push was looked at is of the push alone where the other source stays at what it was', async () => {
    const of = lab();
    const succeeded = [{ startedAt: began, revisions: [commitA, '1.0.0'] }];
    of.world.argocd.change('nodes', {
      sources: charted,
      sync: { status: 'Synced', revisions: [commitA, '1.0.0'] },
      succeeded,
    });
    await of.tick();
    const pushed = of.pushOf(commitB, { pusher: 'bob' });
    of.world.clock.advance(3);
    of.syncs(commitB, { revisions: [commitB, '1.0.0'] });
    of.world.clock.advance(2);
    await of.deliver(pushed);
    await syncsSeen(of, [commitB, '1.0.0']);

    expect(noted(of).pushers).toEqual(['bob']);
  });

  test('[N-8] [N-17] [N-30] that was missed is noted also where the pool waits for what the same one has pushed', async () => {
    const of = lab();
    const revisions = [commitA, '1.0.0'];
    const succeeded = [{ startedAt: began, revisions }];
    of.world.argocd.change('nodes', { sources: charted, sync: { status: 'Synced', revisions }, succeeded });
    await bobs(of);
    await syncsSeen(of, [commitB, '1.0.0']);
    const before = noted(of).pushers;
    of.syncs(commitC, { revisions: [commitC, '1.1.0'] });
    of.ends('Succeeded');
    of.world.clock.advance(3);
    await of.deliver(of.pushOf(commitC, { pusher: 'bob', before: commitB }));

    expect([before, noted(of).pushers]).toEqual([['bob'], ['bob', '']]);
  });
});

describe('with excludePusher, a sync of what an earlier push left undone', () => {
  const at = '2026-03-02T09:30:00Z';
  const succeeded = [{ startedAt: began, revisions: [commitA] }];

  test.each<[string, Partial<Operation>, readonly string[]]>([
    ['has no author where a person had synced a part of it', { partial: true, startedBy: 'eve' }, ['bob', '']],
    ['is none where Argo CD had healed a part of it', { partial: true }, ['bob']],
    ['is none where that was synced', {}, ['bob']],
    [
      'is none where that was synced, and a part of it once more',
      { partial: true, startedBy: 'eve', revisions: [commitA] },
      ['bob'],
    ],
  ])('[N-17] [N-30] %s', async (_, change, by) => {
    const of = lab();
    const operation = anOperation({ startedAt: at, finishedAt: at, revisions: [commitC], ...change });
    const [before = ''] = operation.revisions;
    of.world.argocd.change('nodes', { sync: { status: 'OutOfSync', revisions: [before] }, operation, succeeded });
    await of.deliver(of.pushOf(commitB, { pusher: 'bob', before }));
    await syncsSeen(of, [commitB]);

    expect(noted(of).pushers).toEqual(by);
  });

  test.each([
    ['has no author where Argo CD could not compare it', commitC, ['bob', '']],
    ['is none where Argo CD cannot compare what it has synced', commitA, ['bob']],
  ])('[N-17] [N-30] %s', async (_, before, by) => {
    const of = lab();
    of.world.argocd.change('nodes', { sync: { status: 'Unknown', revisions: [] }, succeeded });
    await of.deliver(of.pushOf(commitB, { pusher: 'bob', before }));
    await syncsSeen(of, [commitB]);

    expect(noted(of).pushers).toEqual(by);
  });
});
