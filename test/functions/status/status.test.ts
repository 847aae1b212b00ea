import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { fittingBody, largestBodyBytes } from '../../../functions/adapters/aws/body.ts';
import { StoredView } from '../../../functions/adapters/aws/stored/view.ts';
import type { Incident } from '../../../functions/core/alerts/incident.ts';
import { defaultPolicy } from '../../../functions/core/configuration/policy.ts';
import type { GateView } from '../../../functions/core/gates/gate-view.ts';
import type { ClusterView, HoldView, PoolView, TimelineEntry } from '../../../functions/core/timeline/view.ts';
import { viewCuts } from '../../../functions/core/timeline/view-cuts.ts';
import { liveScript } from '../../../functions/status/page/live.ts';
import type { StatusPorts } from '../../../functions/status/read-status.ts';
import { Status } from '../../../functions/status/status.ts';
import { statusOf } from '../../../functions/status/status-of.ts';
import {
  aDelivery,
  aGateView,
  anIncident,
  aPoolView,
  aRace,
  aTimelineEntry,
  aTrouble,
  aView,
} from '../../fakes/builders.ts';
import { fakeClock } from '../../fakes/fake-clock.ts';
import { fakeIds } from '../../fakes/index.ts';
import { fullView } from '../core/timeline/full-view.ts';
import { sampleStatus } from './status-sample.ts';

const now = '2026-03-02T10:30:00.000Z';

interface World {
  readonly views?: readonly ClusterView[];
  readonly incidents?: readonly Incident[];
  readonly timeline?: readonly TimelineEntry[];
  readonly ports?: Partial<StatusPorts>;
}

function handler({ views = [], incidents = [], timeline = [], ports = {} }: World) {
  return statusOf({
    views: { list: async () => views },
    incidents: { list: async () => incidents },
    timeline: { latest: async (limit) => timeline.slice(0, limit) },
    nodeRollouts: { ended: async () => ({ rollouts: [] }) },
    clock: fakeClock(now).now,
    newId: fakeIds(),
    ...ports,
  });
}

function get(accept: string, path = '/status'): Request {
  return new Request(`http://localhost${path}`, { headers: { accept } });
}

async function pageOf(world: World): Promise<string> {
  const response = await handler(world)(get('text/html'));
  return response.text();
}

async function jsonOf(world: World): Promise<Status> {
  const response = await handler(world)(get('application/json'));
  return Status.parse(await response.json());
}

/** What a person reads: no tags, entities decoded, white space joined. */
function readable(page: string): string {
  const text = page
    .replace(/<style>[\s\S]*?<\/style>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
  return text.replace(/\s+/g, ' ');
}

function pausedPool(change: Partial<PoolView> = {}): PoolView {
  return aPoolView({
    paused: true,
    pauseOf: 'ours',
    pausedSince: '2026-03-02T10:00:00.000Z',
    pausedBy: 'poolkeeper',
    currentConfig: 'rendered-worker-aaa',
    targetConfig: 'rendered-worker-bbb',
    pending: true,
    updated: false,
    counts: { machines: 3, updated: 0, ready: 3, unavailable: 0, degraded: 0 },
    ...change,
  });
}

function aHoldView(change: Partial<HoldView> = {}): HoldView {
  return {
    id: 'sync/hub/openshift-gitops/nodes',
    kind: 'sync',
    who: 'openshift-gitops/nodes',
    why: 'push of bbbbbbb to acme/platform',
    phase: 'syncing',
    since: '2026-03-02T10:00:00.000Z',
    until: '2026-03-02T11:00:00.000Z',
    ...change,
  };
}

function unrendered(change: Partial<GateView> = {}): GateView {
  return aGateView({
    gate: 'rendered',
    why: 'the render has not settled',
    since: '2026-03-02T10:20:00.000Z',
    opens: '15 s without a new render',
    ...change,
  });
}

function seen(...pools: readonly PoolView[]): World {
  return { views: [aView({ readAt: '2026-03-02T10:29:40.000Z', pools })] };
}

describe('what the page and the JSON show of a pool', () => {
  it('[S1-1] config, Updated, Updating, Degraded, machine, ready, updated and degraded counts, and age', async () => {
    const world = seen(
      aPoolView({
        name: 'worker-gpu',
        createdAt: '2026-02-10T10:30:00.000Z',
        currentConfig: 'rendered-worker-gpu-0123456789abcdef0123456789abcdef',
        targetConfig: 'rendered-worker-gpu-fedcba9876543210fedcba9876543210',
        pending: true,
        updated: false,
        updating: true,
        degraded: true,
        counts: { machines: 8, ready: 6, updated: 5, unavailable: 2, degraded: 1 },
        message: 'Node gpu-2 is reporting: "failed to drain"',
      }),
    );

    const [page, status] = await Promise.all([pageOf(world), jsonOf(world)]);

    expect(readable(page)).toContain(
      'worker-gpu react Degraded 01234567… → fedcba98… No Yes Yes 8 6 5 1 20 d Node gpu-2 is reporting: "failed to drain"',
    );
    expect(page).toContain('title="rendered-worker-gpu-fedcba9876543210fedcba9876543210"');
    expect(status.clusters[0]?.pools[0]).toMatchObject({
      state: 'degraded',
      currentConfig: 'rendered-worker-gpu-0123456789abcdef0123456789abcdef',
      targetConfig: 'rendered-worker-gpu-fedcba9876543210fedcba9876543210',
      updated: false,
      updating: true,
      degraded: true,
      counts: { machines: 8, ready: 6, updated: 5, unavailable: 2, degraded: 1 },
      ageSeconds: 20 * 86_400,
    });
  });

  it.each<[string, Partial<PoolView>]>([
    ['Degraded', { degraded: true, updating: true }],
    ['No machines', { counts: { machines: 0, ready: 0, updated: 0, unavailable: 0, degraded: 0 } }],
    ['Updating', { updated: false, updating: true, pending: true }],
    ['Change pending', { updated: false, pending: true }],
    ['Updated', {}],
    ['Unclear', { updated: false }],
  ])('[S1-1] the state is one word: %s', async (word, change) => {
    const page = await pageOf(seen(aPoolView(change)));

    expect(readable(page)).toContain(`worker react ${word} `);
  });

  it('[S3-10] a pause shows its age and the change that waits behind it', async () => {
    const world = seen(
      pausedPool({ pendingSources: { added: ['99-chrony'], removed: ['99-old'] }, holds: [aHoldView()] }),
    );

    const [page, status] = await Promise.all([pageOf(world), jsonOf(world)]);

    expect(readable(page)).toContain(
      'worker Paused by Poolkeeper for 30 min, since 10:00:00 UTC Pending change: rendered-worker-aaa → rendered-worker-bbb , adds 99-chrony , removes 99-old .',
    );
    expect(status.clusters[0]?.pools[0]).toMatchObject({
      pending: true,
      targetConfig: 'rendered-worker-bbb',
      pendingSources: { added: ['99-chrony'], removed: ['99-old'] },
      pause: { whose: 'ours', ageSeconds: 1800, since: '2026-03-02T10:00:00.000Z', confirmed: true },
    });
  });

  it('[S3-10] a pause without a change, and one whose age is unknown, say so', async () => {
    const quiet = pausedPool({ name: 'a', pending: false, targetConfig: 'rendered-worker-aaa' });
    const foreign = pausedPool({ name: 'b', pauseOf: 'foreign', pausedSince: undefined, pausedBy: 'kubectl-edit' });

    const text = readable(await pageOf(seen(quiet, foreign)));

    expect(text).toContain('a Paused by Poolkeeper for 30 min, since 10:00:00 UTC No change is pending.');
    expect(text).toContain('b Paused by kubectl-edit since an unknown time Pending change');
    expect(text).toContain(
      'Pause by kubectl-edit Poolkeeper did not set this pause and never undoes it Found paused by kubectl-edit',
    );
  });

  it('[S0-20] a held pool shows who holds it, why, in which phase, for how long and until when', async () => {
    const manual = aHoldView({ id: 'manual/anna', kind: 'manual', who: 'anna', why: 'storage migration', phase: '' });
    const overdue = aHoldView({ who: 'team-a/gpu', phase: 'failed', until: '2026-03-02T10:15:00.000Z' });

    const text = readable(await pageOf(seen(pausedPool({ holds: [aHoldView(), manual, overdue] }))));

    expect(text).toContain('openshift-gitops/nodes sync push of bbbbbbb to acme/platform Syncing 30 min 11:00:00 UTC');
    expect(text).toContain('anna manual storage migration none 30 min 11:00:00 UTC');
    expect(text).toContain('team-a/gpu sync push of bbbbbbb to acme/platform Sync failed 30 min 10:15:00 UTC past');
  });

  it('[N-21] an open emergency lane stands beside its pool with who, why and until when, and no longer past its end', async () => {
    const emergency = {
      who: 'anna',
      why: 'CVE <b>now</b>',
      since: '2026-03-02T10:00:00.000Z',
      until: '2026-03-02T11:00:00.000Z',
    };
    const open = seen(aPoolView({ emergency }));
    const over = seen(aPoolView({ emergency: { ...emergency, until: '2026-03-02T10:29:59.000Z' } }));

    const [page, status, later] = await Promise.all([pageOf(open), jsonOf(open), pageOf(over)]);

    expect(readable(page)).toContain('Emergency lane of anna until 11:00:00 UTC because: CVE <b>now</b>');
    expect(page).not.toContain('<b>now</b>');
    expect(status.clusters[0]?.pools[0]?.emergency).toEqual(emergency);
    expect(readable(later)).not.toContain('Emergency');
  });

  it('[S0-20] pause and resume stand on the timeline with their reasons', async () => {
    const paused = aTimelineEntry({ id: '1', at: '2026-03-02T10:00:00.400Z', text: 'paused: push of bbbbbbb' });
    const resumed = aTimelineEntry({
      id: '2',
      at: '2026-03-02T10:12:00.000Z',
      type: 'poolkeeper.pool.resumed.v1',
      text: 'resumed: every gate is open',
    });

    const text = readable(await pageOf({ timeline: [resumed, paused] }));

    expect(text).toContain('10:12:00 UTC resumed prod / worker resumed: every gate is open');
    expect(text).toContain('10:00:00 UTC paused prod / worker paused: push of bbbbbbb');
  });

  it('a pool whose holds are over shows every closed gate, why, since when and what opens it', async () => {
    const text = readable(
      await pageOf(seen(pausedPool({ closedGates: [unrendered(), unrendered({ gate: 'wave' })] }))),
    );

    expect(text).toContain(
      'What keeps it paused Gate rendered the render has not settled Found no allow window open Needed an allow window open Since 10:20:00 UTC Opens 15 s without a new render Who can open it whoever',
    );
    expect(text).toContain('Gate wave the render has not settled');
  });

  it('[N-29] that the image alone is pending, and no config goes to itself', async () => {
    const image = 'registry.example.com/os@sha256:abc';
    const same = { targetConfig: 'rendered-worker-aaa', pendingSources: undefined };
    const words = async (change: Partial<PoolView>) => readable(await pageOf(seen(pausedPool({ ...same, ...change }))));

    const [text, unnamed] = [await words({ pendingImage: image }), await words({})];

    expect(text).toContain(`Pending: image ${image} , with the config as it is, rendered-worker-aaa .`);
    expect(unnamed).toContain('Pending: another image, with the config as it is, rendered-worker-aaa .');
    expect(text).not.toContain('→');
  });

  it('a pause that the MCO has not noted, and a person who resumed a held pool, are said', async () => {
    const text = readable(
      await pageOf(seen(pausedPool({ confirmed: false }), aPoolView({ name: 'infra', pauseOf: 'overridden' }))),
    );

    expect(text).toContain('Not confirmed The Machine Config Operator has not observed the pause yet.');
    expect(text).toContain('infra react Updated Overridden');
  });

  it('[N-29] all is not clear while a pool rolls out unpaused, though nothing waits for anybody', async () => {
    const { summary } = await jsonOf(seen(aPoolView({ pending: true })));

    expect(summary).toMatchObject({ state: 'calm', poolsRolling: 1, sentence: '1 pool rolling out.' });
  });

  it.each([
    ['nodes go back to the former config', { updated: 2, unavailable: 1 }, { poolsRolling: 1 }, '1 pool rolling out.'],
    [
      'a node is only cordoned',
      { unavailable: 1 },
      { poolsLackingNodes: 1 },
      '1 pool with nodes cordoned or not ready.',
    ],
  ])('[N-29] all is not clear while %s, which the MCO calls updating', async (_, counts, expected, sentence) => {
    const pool = aPoolView({ updated: false, updating: true });

    const { summary } = await jsonOf(seen({ ...pool, counts: { ...pool.counts, ready: 2, ...counts } }));

    expect(summary).toMatchObject({ state: 'calm', ...expected, sentence });
  });

  it('[S0-15] [N-29] all is not clear while a hold that a person has overruled lasts, and it is said whose it is', async () => {
    const overruled = { at: '2026-03-02T10:01:00.000Z', by: 'ann' };
    const hold = { id: 'sync/hub/a/b', kind: 'sync', who: 'a/b', why: 'a push', phase: 'syncing' } as const;
    const times = { since: '2026-03-02T10:00:00.000Z', until: '2026-03-02T11:00:00.000Z' };
    const pool = aPoolView({ pauseOf: 'overridden', holds: [{ ...hold, ...times, overruled }] });
    const { summary, clusters } = await jsonOf(seen(pool));

    expect(summary).toMatchObject({ state: 'holding', poolsOverridden: 1, sentence: '1 pool resumed past a hold.' });
    expect(clusters[0]?.pools[0]).toMatchObject({ overridden: true, holds: [{ overruled }] });
  });

  it('[N-28] every race shows its verdict in words and when push, pause, confirmation, change and node came', async () => {
    const early = aRace({
      hold: 'sync/hub/a/early',
      verdict: 'early',
      confirmedAt: '2026-03-02T10:00:02.000Z',
      appliedAt: '2026-03-02T10:00:05.000Z',
    });
    const inTime = aRace({ hold: 'sync/hub/a/intime' });
    const late = aRace({
      hold: 'sync/hub/a/late',
      verdict: 'late',
      firstTargetedAt: '2026-03-02T10:00:02.000Z',
      missedNodes: ['worker-1', 'worker-2'],
    });
    const unprotected = aRace({ hold: 'sync/hub/a/unprotected', verdict: 'unprotected', confirmedAt: undefined });
    const running = aRace({
      hold: 'sync/hub/a/running',
      verdict: undefined,
      confirmedAt: undefined,
      pushedAt: undefined,
    });
    const world = seen(pausedPool({ races: [early, inTime, late, unprotected, running] }));

    const [page, status] = await Promise.all([pageOf(world), jsonOf(world)]);
    const text = readable(page);

    expect(text).toContain('Early 3.0 s before the change worker hub/a/early 10:00:00 UTC +0.4 s +2.0 s +5.0 s –');
    expect(text).toContain(
      'In time 2.0 s after it, no node targeted worker hub/a/intime 10:00:00 UTC +0.4 s +3.0 s +1.0 s –',
    );
    expect(text).toContain('Late 2 nodes missed worker hub/a/late 10:00:00 UTC +0.4 s +3.0 s +1.0 s +2.0 s');
    expect(text).toContain('Targeted before the pause was confirmed: worker-1, worker-2.');
    expect(text).toContain('Unprotected never confirmed worker hub/a/unprotected 10:00:00 UTC +0.4 s – +1.0 s –');
    expect(text).toContain(
      'Running not confirmed yet worker hub/a/running no push, held 10:00:00 UTC +0.4 s – +1.0 s –',
    );
    expect(status.clusters[0]?.pools[0]?.races[2]).toEqual({
      hold: 'sync/hub/a/late',
      verdict: 'late',
      since: '2026-03-02T10:00:00.000Z',
      pushedAt: '2026-03-02T10:00:00.000Z',
      pausedAt: '2026-03-02T10:00:00.400Z',
      confirmedAt: '2026-03-02T10:00:03.000Z',
      appliedAt: '2026-03-02T10:00:01.000Z',
      firstTargetedAt: '2026-03-02T10:00:02.000Z',
      missedNodes: ['worker-1', 'worker-2'],
    });
    expect(status.summary).toMatchObject({ latePauses: 1, unprotectedPauses: 1 });
  });

  it('what was lost within a day is counted, listed or not, and what was lost before is not [N-29]', async () => {
    const lost = [
      { verdict: 'late', count: 7, lastAt: '2026-03-02T09:00:00.000Z' },
      { verdict: 'unprotected', count: 2, lastAt: '2026-02-20T09:00:00.000Z' },
    ] as const;
    const old = aRace({ verdict: 'late', judgedAt: '2026-02-20T09:00:00.000Z' });
    const counted = await jsonOf(seen(pausedPool({ races: [old], lostRaces: lost })));
    const before = await jsonOf(seen(pausedPool({ races: [old] })));

    expect([counted.summary.latePauses, counted.summary.unprotectedPauses]).toEqual([7, undefined]);
    expect([before.summary.latePauses, before.summary.unprotectedPauses]).toEqual([0, undefined]);
  });

  it('an early pause whose sync changed nothing is no loss', async () => {
    const text = readable(
      await pageOf(seen(pausedPool({ races: [aRace({ verdict: 'early', appliedAt: undefined })] }))),
    );

    expect(text).toContain('Early before anything was applied');
  });
});

describe('what the page says of a cluster', () => {
  it('[N-29] its own events, also where those of others are newer, and how far it was searched for them', async () => {
    const other = (count: number) =>
      Array.from({ length: count }, (_, nth) => aTimelineEntry({ id: `o${nth}`, cluster: 'other', text: 'elsewhere' }));
    const own = aTimelineEntry({ id: 'own', cluster: 'prod', text: 'paused at last' });
    const ask = async (timeline: readonly TimelineEntry[]) => {
      const answer = await handler({ ...seen(aPoolView()), timeline })(get('text/html', '/status?cluster=prod'));
      return readable(await answer.text());
    };

    expect(await ask([...other(1_500), own])).toContain('paused at last');
    expect(await ask(other(1_500))).toContain('No events yet.');
    expect(await ask([...other(2_000), own])).toContain('None among the last 2000 events of all clusters.');
  });

  it('when it was read last', async () => {
    const text = readable(await pageOf(seen(aPoolView())));

    expect(text).toContain('prod last successful read 10:29:40 UTC , 20 s ago');
    expect(text).toContain('All clear: no pool is paused or degraded.');
  });

  it('that it is out of sight, why, and that what stands there is old', async () => {
    const blind = { why: 'connect ETIMEDOUT', since: '2026-03-02T10:25:00.000Z', misses: 5 };
    const world = { views: [aView({ readAt: '2026-03-02T10:24:00.000Z', blind })] };

    const [text, status] = [readable(await pageOf(world)), await jsonOf(world)];

    expect(text).toContain('Unreadable, 5 failed reads last successful read 10:24:00 UTC , 6 min ago');
    expect(text).toContain('This cluster cannot be read: connect ETIMEDOUT. Poolkeeper changes nothing until it can');
    expect(status.clusters[0]).toMatchObject({ sight: 'blind', blind });
    expect(status.summary).toMatchObject({ state: 'unseen', clustersUnseen: 1 });
  });

  it('[N-29] that a pool of a cluster that cannot be read is changed by nobody until it can', async () => {
    const blind = { why: 'connect ETIMEDOUT', since: '2026-03-02T10:25:00.000Z', misses: 5 };
    const pools = [pausedPool({ holds: [], closedGates: [] })];
    const words = async (view: Partial<ClusterView>) => readable(await pageOf({ views: [aView({ pools, ...view })] }));

    const waits = [await words({ blind }), await words({ readAt: '2026-03-02T10:24:00.000Z' })];

    for (const text of waits) {
      expect(text).not.toContain('the next pass resumes it');
      expect(text).toContain(
        'No holds and no closed gates when it was last read. Nothing is changed until the cluster can be read again.',
      );
    }
    expect(await words({ readAt: '2026-03-02T10:29:40.000Z' })).toContain(
      'No holds and no closed gates: the next pass resumes it.',
    );
  });

  it('[N-21] [N-29] that a freeze keeps a pool since its emergency lane is over, also where no pass has seen that', async () => {
    const times = { since: '2026-03-02T09:00:00.000Z', until: '2026-03-02T12:00:00.000Z' };
    const frozen = { id: 'freeze/pool/ann', kind: 'freeze', who: 'ann', why: 'trading', phase: '', ...times };
    const emergency = { who: 'eve', why: 'CVE', since: times.since, until: '2026-03-02T10:28:00.000Z' };
    const pool = pausedPool({ holds: [{ ...frozen, passed: true }], closedGates: [], emergency });
    const blind = { why: 'connect ETIMEDOUT', since: '2026-03-02T10:25:00.000Z', misses: 5 };
    const world = { views: [aView({ pools: [pool], blind })] };

    const [text, status] = [readable(await pageOf(world)), await jsonOf(world)];

    expect(text).not.toContain('No holds and no closed gates');
    expect(status.clusters[0]?.holders).toMatchObject([{ who: 'ann' }]);
    expect(status.clusters[0]?.pools[0]).not.toHaveProperty('emergency');
    expect(status.clusters[0]?.pools[0]?.why).toMatchObject({
      now: [{ name: 'ann', value: 'frozen' }],
      override: expect.stringContaining('poolkeeper emergency'),
    });
  });

  it('that nobody has looked lately, which is not the same as fine', async () => {
    const world = { views: [aView({ readAt: '2026-03-02T10:26:59.000Z' })] };

    const status = await jsonOf(world);

    expect(status.clusters[0]?.sight).toBe('stale');
    expect(readable(await pageOf(world))).toContain('1 cluster without current data.');
  });

  it('that it is configured and was never read, or seen and no longer configured', async () => {
    const cluster = (name: string) => ({
      name,
      api: { server: 'https://x', ca: undefined, tokenSecret: 't', skipTLSVerify: false },
      policy: defaultPolicy,
      pools: {},
    });
    const world = { ...seen(aPoolView()), ports: { configuration: { clusters: [cluster('new')] } } };

    const [text, status] = [readable(await pageOf(world)), await jsonOf(world)];

    expect(text).toContain('new Never read Not read yet.');
    expect(text).toContain('not in the configuration');
    expect(status.clusters.map(({ name, sight, configured }) => [name, sight, configured])).toEqual([
      ['new', 'never', true],
      ['prod', 'seen', false],
    ]);
  });

  it('[N-29] one that was taken out of the configuration is shown as it was, and nobody is to wait for its data', async () => {
    const api = { server: 'https://x', ca: undefined, tokenSecret: 't', skipTLSVerify: false };
    const { summary, clusters } = await jsonOf({
      views: [aView({ cluster: 'gone', readAt: '2026-02-01T10:00:00.000Z' }), aView({ cluster: 'prod', readAt: now })],
      ports: { configuration: { clusters: [{ name: 'prod', api, policy: defaultPolicy, pools: {} }] } },
    });

    expect(summary).toMatchObject({ state: 'calm', clustersUnseen: 0 });
    expect(clusters.map(({ name, sight, configured }) => [name, sight, configured])).toEqual([
      ['gone', 'stale', false],
      ['prod', 'seen', true],
    ]);
  });

  it('[N-29] what such a one was when last read is not told as what is now, and over none but such ones all is not clear', async () => {
    const api = { server: 'https://x', ca: undefined, tokenSecret: 't', skipTLSVerify: false };
    const ports = { configuration: { clusters: [{ name: 'prod', api, policy: defaultPolicy, pools: {} }] } };
    const gone = aView({
      cluster: 'gone',
      readAt: '2026-02-26T10:00:00.000Z',
      pools: [pausedPool(), aPoolView({ name: 'infra', degraded: true }), aPoolView({ name: 'master' })],
    });
    const none = { ports: { configuration: { clusters: [] } } };

    const beside = await jsonOf({ views: [gone, aView({ cluster: 'prod', readAt: now })], ports });
    const alone = await jsonOf({ views: [gone], ...none });
    const calm = await jsonOf({ views: [aView({ cluster: 'gone', readAt: '2026-02-26T10:00:00.000Z' })], ...none });

    expect(beside.summary).toMatchObject({
      state: 'holding',
      poolsPaused: 0,
      poolsDegraded: 0,
      poolsLeft: 2,
      pools: 1,
    });
    expect(beside.summary.sentence).toBe(
      '2 pools paused, degraded or unreadable when last read, of clusters that are not in the configuration.',
    );
    expect(alone.summary).toMatchObject({ state: 'unseen', poolsPaused: 0, poolsDegraded: 0, poolsLeft: 2 });
    expect(calm.summary).toMatchObject({
      state: 'unseen',
      sentence: 'No cluster of the configuration is shown: what is here is as it was when last read.',
    });
  });

  it.each(['2026-03-02T15:00:00.000Z', '2026-03-02T10:31:01.000Z', ''])(
    '[N-29] a read at %j, which is no time before now, is not a recent one',
    async (readAt) => {
      const world = { views: [aView({ readAt })] };

      const { clusters, summary } = await jsonOf(world);

      expect(clusters[0]?.sight).toBe('stale');
      expect(summary).toMatchObject({ state: 'unseen', sentence: '1 cluster without current data.' });
    },
  );

  it('[N-29] says that the clock was ahead, and not that it was just now', async () => {
    const text = readable(await pageOf({ views: [aView({ readAt: '2026-03-02T15:00:00.000Z' })] }));

    expect(text).toMatch(/last successful read \S+ UTC ?, by a clock that is ahead/);
  });

  it('[N-29] a clock that is a few seconds ahead does not make a read stale', async () => {
    const { clusters } = await jsonOf({ views: [aView({ readAt: '2026-03-02T10:30:59.000Z' })] });

    expect(clusters[0]).toMatchObject({ sight: 'seen', readAgeSeconds: 0 });
  });

  it('[N-29] all is not clear while a guard stays closed, and its cluster is not folded', async () => {
    const guards = [{ about: 'openshift-gitops/nodes', why: 'Argo CD did not sync these commits', pools: ['worker'] }];
    const views = ['a', 'b', 'c', 'd', 'e'].map((cluster) =>
      aView({ cluster, readAt: now, ...(cluster === 'e' ? { guards } : {}) }),
    );

    const [page, { summary }] = [await pageOf({ views }), await jsonOf({ views })];

    expect(summary).toMatchObject({ state: 'holding', guardsClosed: 1, sentence: '1 guard stays closed.' });
    expect(page).toMatch(/<section class="card cluster">\s*<header><h3><span class="name">e</);
    expect(page.match(/<details class="card cluster">/g)).toHaveLength(4);
  });

  it('clusters with trouble stand first, and in a fleet those at rest are folded', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const views = names.map((cluster) =>
      aView({ cluster, readAt: now, pools: [cluster === 'd' ? pausedPool() : aPoolView()] }),
    );

    const page = await pageOf({ views });

    expect([...page.matchAll(/<h3><span class="name">(\w)</g)].map(([, name]) => name)).toEqual([
      'd',
      'a',
      'b',
      'c',
      'e',
    ]);
    expect(page.match(/<details class="card cluster">/g)).toHaveLength(4);
  });
});

describe('what the page says of incidents', () => {
  it.each([
    ['resolving', '1 incident recovering.'],
    ['pending', '1 incident not alerted yet.'],
  ] as const)('[N-29] all is not clear while one is %s', async (state, sentence) => {
    const { summary } = await jsonOf({ ports: { incidents: { list: async () => [anIncident({ state })] } } });

    expect(summary).toMatchObject({ state: 'holding', sentence });
  });

  it('number, state, headline, since when, cause, remedy and who was told; its number is a link to it', async () => {
    const finding = {
      code: 'P1',
      subject: { kind: 'PodDisruptionBudget', namespace: 'shop', name: 'web' },
      sentence: 'The budget shop/web needs 2 healthy pods and has 1.',
      confidence: 'strong',
      class: 'structural',
      evidence: [],
      because: [],
      remedies: [
        {
          title: 'Label a node',
          command: 'oc label node x a=b',
          risk: 'none',
          undo: 'oc label node x a-',
          who: 'platform',
        },
      ],
    } as const;
    const incident = anIncident({
      trouble: aTrouble({
        findings: [{ ...finding, sentence: 'worker-2 cannot be drained.', because: [finding], remedies: [] }],
      }),
      deliveries: {
        ops: aDelivery({ wantedSeq: 2, deliveredSeq: 2 }),
        mail: aDelivery(),
        gone: aDelivery({ dead: true }),
      },
    });
    const entry = aTimelineEntry({ type: 'poolkeeper.incident.opened.v1', text: 'PK-7 opened, unlike PK-8' });

    const page = await pageOf({ incidents: [incident], timeline: [entry] });
    const text = readable(page);

    expect(text).toContain('Firing high PK-7 prod / worker for 10 min, since 10:20:00 UTC drain of worker-2 blocked');
    expect(text).toContain(
      'worker-2 cannot be drained. (confidence strong) About P1 Chain of causes The budget shop/web needs 2',
    );
    expect(text).toContain('Do this Label a node no risk, platform oc label node x a=b Undo: oc label node x a-');
    expect(text).toContain('Sent to: ops; not yet sent to: mail; cannot reach: gone');
    expect(page).toContain('id="PK-7"');
    expect(page).toContain('<a href="#PK-7">PK-7</a> opened, unlike PK-8');
  });

  it('the worst stands first, what is over last; what nobody was told has no number', async () => {
    const key = (pool: string) => ({ cluster: 'prod', pool, kind: 'drain-blocked' }) as const;
    const incidents = [
      anIncident({
        key: key('over'),
        number: 1,
        state: 'ok',
        resolvedAt: '2026-03-02T10:25:00.000Z',
        outcome: 'fixed',
      }),
      anIncident({ key: key('never'), number: 0, state: 'ok' }),
      anIncident({ key: key('pending'), number: 0, state: 'pending' }),
      anIncident({ key: key('recovering'), number: 3, state: 'resolving' }),
      anIncident({ key: key('warning'), number: 4, trouble: aTrouble({ severity: 'warning' }) }),
      anIncident({ key: key('critical'), number: 5, trouble: aTrouble({ severity: 'critical' }) }),
    ];

    const status = await jsonOf({ incidents });

    expect(status.incidents.map(({ name, state, pool }) => [name, state, pool])).toEqual([
      ['PK-5', 'firing', 'critical'],
      ['PK-4', 'firing', 'warning'],
      ['PK-3', 'recovering', 'recovering'],
      [undefined, 'pending', 'pending'],
      ['PK-1', 'resolved', 'over'],
    ]);
    expect(readable(await pageOf({ incidents }))).toContain('1 recently resolved');
    expect(status.summary.sentence).toBe(
      'critical of prod: drain of worker-2 blocked by PDB shop/web. 2 incidents firing, 1 incident recovering, 1 incident not alerted yet.',
    );
  });

  it('[N-33] every time in its texts and on the timeline is one for machines too, in the form of all others', async () => {
    const since = '2026-03-02T10:12:04Z';
    const trouble = aTrouble({ facts: [{ label: 'Stuck for', value: `2 min, since ${since}; drain` }] });
    const page = await pageOf({
      incidents: [anIncident({ trouble })],
      timeline: [aTimelineEntry({ text: `PK-7 waits until ${since}` })],
    });

    const moment = `<time datetime="${since}">10:12:04 UTC</time>`;
    expect(page).toContain(`<dd>2 min, since ${moment}; drain</dd>`);
    expect(page).toContain(`waits until ${moment}`);
  });

  it('an incident that is not seen any more says that it may have changed', async () => {
    const incident = anIncident({ staleSince: '2026-03-02T10:28:00.000Z', flapping: true, inhibitedBy: 'PK-3' });

    const text = readable(await pageOf({ incidents: [incident] }));

    expect(text).toContain('No successful read since 10:28:00 UTC ; the state may have changed.');
    expect(text).toContain('flapping');
    expect(text).toContain('No alert of its own: PK-3.');
  });

  it('[S1-13] says who has taken an incident, until when and why, as long as that holds', async () => {
    const attention = {
      kind: 'acknowledged' as const,
      by: 'anna',
      reason: 'label comes',
      at: '2026-03-02T10:25:00.000Z',
      until: '2026-03-02T12:25:00.000Z',
      severity: 'high' as const,
      digest: anIncident().trouble?.digest ?? '',
      warned: false,
    };
    const pages = [attention, { ...attention, until: '2026-03-02T10:26:00.000Z' }].map((each) =>
      pageOf({ incidents: [anIncident({ attention: each })] }),
    );

    const [taken = '', over = ''] = (await Promise.all(pages)).map(readable);

    expect(taken).toContain('acknowledged by anna until 12:25:00 UTC: label comes');
    expect(over).not.toContain('anna');
  });
});

describe('timeline and policy', () => {
  it('the last hundred entries are shown, and no more are asked for', async () => {
    const asked: number[] = [];
    const entries = Array.from({ length: 300 }, (_, index) =>
      aTimelineEntry({ id: `${index}`, text: `happening ${index}.` }),
    );
    const timeline = {
      latest: async (limit: number) => {
        asked.push(limit);
        return entries;
      },
    };

    const page = await pageOf({ ports: { timeline } });

    expect(asked).toEqual([100]);
    expect(page.match(/happening \d+\./g)).toHaveLength(100);
  });

  it('every default of the policy is shown as the configuration writes it, and what a cluster changes', async () => {
    const configuration = {
      clusters: [
        {
          name: 'test',
          api: { server: 'https://x', ca: undefined, tokenSecret: 't', skipTLSVerify: false },
          policy: { ...defaultPolicy, pausedAtMostSeconds: 5400 },
          pools: {},
        },
      ],
    };

    const [text, status] = [
      readable(await pageOf({ ports: { configuration } })),
      await jsonOf({ ports: { configuration } }),
    ];

    expect(text).toContain('pausedAtMost 4h 1h30m on test');
    expect(text).toContain('expectSyncWithin 15m –');
    expect(status.policy.changes).toEqual({ test: { pausedAtMost: '1h30m' } });
  });
});

describe('how the page is made', () => {
  it('it is whole without its script, refreshes itself every 15 s, and stops when asked to', async () => {
    const handle = handler({});

    const page = await (await handle(get('text/html'))).text();
    const still = await (await handle(get('text/html', '/status?refresh=off'))).text();

    expect(page.replace(`<script>${liveScript}</script>`, '')).not.toMatch(/<script|\son\w+=|javascript:|style="/i);
    expect(page).toContain('<noscript><meta http-equiv="refresh" content="15"></noscript>');
    expect(page).toContain('data-refresh="15"');
    expect(still).toContain('data-refresh="0"');
    expect(page).toContain('<a href="?refresh=off">');
    expect(still).not.toContain('http-equiv="refresh"');
  });

  it('its policy lets in its own style sheet and script, and nothing else, and it is never stored', async () => {
    const response = await sampleStatus(get('text/html'));
    const page = await response.text();
    const hashOf = (element: string) => {
      const [, text = ''] = new RegExp(`<${element}>([\\s\\S]*?)</${element}>`).exec(page) ?? [];
      return `sha256-${createHash('sha256').update(text).digest('base64')}`;
    };

    expect(Object.fromEntries(response.headers)).toEqual({
      'cache-control': 'no-store',
      'content-security-policy': `default-src 'none'; style-src '${hashOf('style')}'; img-src data:; script-src '${hashOf('script')}'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'content-type': 'text/html; charset=utf-8',
      'referrer-policy': 'no-referrer',
      vary: 'accept, authorization',
      'x-content-type-options': 'nosniff',
    });
  });

  it('it is well-formed: every element is closed in order and every id stands once', async () => {
    const page = await (await sampleStatus(get('text/html'))).text();
    const open: string[] = [];
    const voids = new Set(['meta', 'link', 'col', 'rect', 'path', 'circle', '!doctype']);

    for (const [, slash, name = ''] of page.matchAll(/<(\/?)([a-z!][a-z0-9]*)(?:\s(?:[^<>"]|"[^"]*")*)?>/gi)) {
      if (voids.has(name.toLowerCase())) continue;
      if (slash === '') open.push(name);
      else expect(open.pop()).toBe(name);
    }
    const ids = [...page.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);

    expect(open).toEqual([]);
    expect(ids).toEqual([...new Set(ids)]);
  });

  it('tables are tables: a caption, heads for columns and rows, and roles that survive the phone layout', async () => {
    const page = await (await sampleStatus(get('text/html'))).text();

    const tables = page.match(/<table[\s\S]*?<\/table>/g) ?? [];

    expect(tables.length).toBeGreaterThan(6);
    for (const table of tables) {
      expect(table).toMatch(/^<table role="table" class="\w+">\s*<caption/);
      expect(table).toContain('scope="col" role="columnheader"');
      expect(table).toContain('scope="row" role="rowheader"');
    }
    expect(page).toContain('<html lang="en">');
    expect(page).toContain('name="viewport" content="width=device-width, initial-scale=1"');
  });

  it('every colour state is a word too', async () => {
    const page = await (await sampleStatus(get('text/html'))).text();

    const pills = [...page.matchAll(/<span class="(?:pill|dot-tag) \w+">([^<]*)</g)].map(([, word = '']) => word);

    expect(pills.length).toBeGreaterThan(20);
    expect(pills.filter((word) => !/[A-Za-z]{3}/.test(word))).toEqual([]);
  });
});

describe('a large fleet', () => {
  const views = Array.from({ length: 60 }, (_, index) =>
    aView({
      cluster: `c${String(index).padStart(2, '0')}`,
      readAt: now,
      pools: [index === 57 ? pausedPool() : aPoolView()],
    }),
  );

  it('[N-30] clusters that hundreds of Applications hold have room in an answer of Lambda, and hide no other', async () => {
    const holdsOf = (count: number) =>
      Array.from({ length: count }, (_, nth) => aHoldView({ id: `sync/hub/tenant/x${nth}`, who: `tenant/x${nth}` }));
    const held = (cluster: string): ClusterView => {
      const pools = Array.from({ length: 5 }, (_, nth) => pausedPool({ name: `p-${nth}`, holds: holdsOf(270) }));
      return aView({ cluster, readAt: '2026-03-02T10:29:50.000Z', pools });
    };
    const other = aView({
      cluster: 'other',
      readAt: '2026-03-02T10:29:50.000Z',
      pools: [pausedPool({ holds: holdsOf(1) })],
    });
    const world = { views: [...['a', 'b', 'c', 'd', 'e', 'f'].map(held), other] };

    const [page, status] = await Promise.all([pageOf(world), jsonOf(world)]);
    const one = await (await handler(world)(get('application/json', '/status?cluster=f'))).json();

    expect(Buffer.byteLength(page)).toBeLessThan(5_000_000);
    expect(status.clusters.find(({ name }) => name === 'other')?.inShort).toBeUndefined();
    expect(status.clusters.some(({ inShort }) => inShort)).toBe(true);
    expect(status.clusters.map(({ pools }) => pools.length)).toEqual([5, 5, 5, 5, 5, 5, 1]);
    expect(readable(page)).toContain('Not all of it has room beside other clusters: its own page says more.');
    expect([status.summary.poolsPaused, Status.parse(one).clusters[0]?.pools[0]?.holds.length]).toEqual([31, 270]);
  });

  it('[N-30] the holds of one tenant in two clusters push no freeze of another cluster off the page of all', async () => {
    const held = (cluster: string, count: number): ClusterView => {
      const holds = Array.from({ length: count }, (_, nth) =>
        aHoldView({ id: `sync/hub/t/x${nth}`, who: `t/x${nth}` }),
      );
      const pools = Array.from({ length: 20 }, (_, nth) => pausedPool({ name: `p-${nth}`, holds }));
      return aView({ cluster, readAt: now, pools });
    };
    const freeze = aHoldView({ id: 'freeze/*/anna', kind: 'freeze', who: 'anna', phase: '' });
    const frozen = Array.from({ length: 10 }, (_, nth) =>
      aView({ cluster: `b${nth}`, readAt: now, pools: [pausedPool({ holds: [freeze] })] }),
    );
    const world = { views: [held('aaa', 75), held('aab', 25), ...frozen] };

    const [page, status] = await Promise.all([pageOf(world), jsonOf(world)]);

    expect(status.clusters.every(({ whole }) => whole)).toBe(true);
    for (const { name, inShort, pools } of status.clusters.slice(2)) {
      expect([name, inShort, pools[0]?.holds[0]?.who]).toEqual([name, undefined, 'anna']);
    }
    expect(Buffer.byteLength(page)).toBeLessThan(5_000_000);
    expect(status.clusters[0]?.pools[0]?.holds.reduce((sum, { more = 1 }) => sum + more, 0)).toBe(75);
  });

  it.each([
    ['everything at once', { letter: '<', name: 100, text: 300, items: 6, holds: 30, pools: 30 }],
    ['short words in many pools', { letter: 'x', name: 2, text: 2, items: 0, holds: 12, pools: 200 }],
  ])('[N-30] fifty clusters have room in an answer of Lambda with %s, and nothing goes unsaid', async (_, size) => {
    const worst = fullView({ ...size, poolName: 20, isEmergency: true });
    const stored = StoredView.parse(JSON.parse(fittingBody(worst, viewCuts(largestBodyBytes))));
    const world = { views: Array.from({ length: 51 }, (_each, nth) => ({ ...stored, cluster: `c${nth}` })) };

    const [page, status] = await Promise.all([pageOf(world), jsonOf(world)]);

    expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(6_000_000);
    const whole = status.clusters.filter((each) => each.whole);
    expect(whole).toHaveLength(50);
    for (const { pools, poolCounts, poolsLeftOut = 0 } of whole) {
      expect(pools.length + poolsLeftOut).toBe(poolCounts.all);
      expect(pools.length).toBeGreaterThan(5);
    }
  });

  it('[N-29] [N-30] pools for which a view has no room are counted, and told of', async () => {
    const view = aView({ readAt: now, poolsLeftOut: { all: 11, paused: 2, degraded: 1 } });
    const world = { views: [view, ...views.slice(0, 5)] };

    const [page, status] = await Promise.all([pageOf(world), jsonOf(world)]);

    expect(status.clusters[0]).toMatchObject({
      name: 'prod',
      poolCounts: { all: 12, paused: 2, degraded: 1 },
      poolsLeftOut: 11,
    });
    expect(status.summary).toMatchObject({ state: 'trouble', pools: 17, poolsPaused: 2, poolsDegraded: 1 });
    expect(readable(page)).toContain(
      '11 more pools are not shown, because there is no room for so many: 2 paused, 1 degraded.',
    );
  });

  it('shows the fifty clusters that need it most with their pools, and a way to each of the others', async () => {
    const [page, status] = await Promise.all([pageOf({ views }), jsonOf({ views })]);

    expect(
      status.clusters
        .filter(({ whole }) => whole)
        .map(({ name }) => name)
        .slice(0, 2),
    ).toEqual(['c57', 'c00']);
    expect(status.clusters.filter(({ whole, pools }) => !whole && pools.length === 0)).toHaveLength(10);
    expect(status.summary).toMatchObject({ clusters: 60, pools: 60, poolsPaused: 1 });
    expect(readable(page)).toContain('10 more clusters c49 1 pool c50 1 pool');
    expect(page).toContain('<a href="?cluster=c59">c59</a>');
  });

  it('one cluster is shown when it is asked for by name, with its incidents and its timeline only', async () => {
    const incidents = [
      anIncident(),
      anIncident({ key: { cluster: 'c59', pool: 'worker', kind: 'node-lost' }, number: 9 }),
    ];
    const timeline = [aTimelineEntry(), aTimelineEntry({ id: '2', cluster: 'c59' })];
    const handle = handler({ views, incidents, timeline });

    const status = Status.parse(await (await handle(get('application/json', '/status?cluster=c59'))).json());
    const page = await (await handle(get('text/html', '/status?cluster=c59'))).text();

    expect(status.only).toBe('c59');
    expect(status.clusters.map(({ name, pools }) => [name, pools.length])).toEqual([['c59', 1]]);
    expect(status.incidents.map(({ name }) => name)).toEqual(['PK-9']);
    expect(status.timeline.map(({ cluster }) => cluster)).toEqual(['c59']);
    expect(readable(page)).toContain('Only c59 · All clusters');
    expect(page).toContain('href="?cluster=c59&amp;refresh=off"');
  });

  it('a cluster that nobody knows is a 404', async () => {
    const response = await handler({ views })(get('text/html', '/status?cluster=nowhere'));

    expect(response.status).toBe(404);
  });

  it('a thousand clusters of twenty pools stay well below what a function may answer', async () => {
    const fleet = Array.from({ length: 1000 }, (_, index) =>
      aView({
        cluster: `cluster-${index}`,
        readAt: now,
        pools: Array.from({ length: 20 }, (__, pool) => pausedPool({ name: `pool-${pool}`, holds: [aHoldView()] })),
      }),
    );
    const incidents = fleet.map(({ cluster }, index) =>
      anIncident({ key: { cluster, pool: 'worker', kind: 'drain-blocked' }, number: index + 1 }),
    );
    const handle = handler({ views: fleet, incidents });

    const [page = '', json = ''] = await Promise.all(
      ['text/html', 'application/json'].map(async (accept) => (await handle(get(accept))).text()),
    );

    for (const { length } of [page, json]) expect(length).toBeLessThan(4_000_000);
    expect(readable(page)).toContain('900 more incidents are firing.');
  });
});
