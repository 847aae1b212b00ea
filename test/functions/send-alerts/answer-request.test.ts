import { afterEach, describe, expect, test } from 'vitest';
import { cloudEvent, type WorkEvent } from '../../../events/index.ts';
import type { AlertTarget } from '../../../functions/core/configuration/alerts.ts';
import { ClusterSettings } from '../../../functions/core/configuration/cluster.ts';
import type { AskedRequest, ClusterRequest } from '../../../functions/core/requests/asked-request.ts';
import type { ClusterView } from '../../../functions/core/timeline/view.ts';
import { workOff } from '../../../functions/send-alerts/work-off.ts';
import { aGateView, aPoolView, aView } from '../../fakes/builders.ts';
import { drainBlocked } from '../core/alerts/samples.ts';
import { openSendLab, type SendLab, slackTarget } from './send-alerts-lab.ts';

let opened: SendLab | undefined;
afterEach(async () => {
  await opened?.close();
  opened = undefined;
});

const readAt = '2026-03-02T14:02:00.000Z';

const paused = aPoolView({
  paused: true,
  pauseOf: 'ours',
  pausedBy: 'poolkeeper',
  pausedSince: '2026-03-02T13:50:00.000Z',
  pending: true,
  targetConfig: 'rendered-worker-5f3c',
  closedGates: [
    aGateView({
      gate: 'approval',
      why: 'rendered-worker-5f3c needs 1 approval: nobody has approved',
      approves: 'rendered-worker-5f3c',
    }),
  ],
});

async function lab(
  views: readonly ClusterView[] = [aView({ readAt, pools: [paused] })],
  filter: Partial<AlertTarget['filter']> = {},
) {
  const lab = await openSendLab({ targets: [{ ...slackTarget, filter: { ...slackTarget.filter, ...filter } }] });
  opened = lab;
  lab.clock.set('2026-03-02T14:02:30.000Z');
  for (const view of views) await lab.tables.views.save(view);
  const work: WorkEvent[] = [];
  const clusters = ['prod', 'test'].map((name) =>
    ClusterSettings.parse({
      name,
      api: { server: `https://${name}.example.com`, tokenSecret: name },
      policy: {},
      pools: {},
    }),
  );
  const { alerts } = lab.ports.configuration;
  const ports = {
    ...lab.ports,
    configuration: {
      ...lab.ports.configuration,
      clusters,
      alerts: { ...alerts, statusUrl: 'https://pk.example.com/status' },
    },
    approvals: lab.tables.approvals,
    askedRequests: lab.tables.askedRequests,
    views: lab.tables.views,
    timeline: lab.tables.timeline,
    work: { send: async (event: WorkEvent) => void work.push(event) },
  };
  async function ask(request: ClusterRequest, change: Partial<AskedRequest> = {}): Promise<string> {
    const id = `command-${work.length}`;
    const at = lab.clock.now().toISOString();
    const answer = { channel: 'C1', user: 'U1' };
    await lab.tables.askedRequests.save({
      id,
      version: 0,
      cluster: '',
      request,
      who: 'anna',
      at,
      answer,
      state: 'asked',
      ...change,
    });
    const event = cloudEvent({
      type: 'poolkeeper.request.asked.v1',
      id: `slack/${id}`,
      source: '/poolkeeper/receive-slack',
      subject: 'x',
      time: lab.clock.now(),
      correlation: id,
      data: { id, cluster: '' },
    });
    await workOff(event, ports);
    const [call, ...more] = lab.slack.calls.filter(({ method }) => method === 'chat.postEphemeral');
    expect(more).toEqual([]);
    if (call === undefined) return '';
    expect(call.body).toMatchObject({ channel: 'C1', user: 'U1', link_names: false });
    expect(JSON.stringify(call.body)).not.toContain('"verbatim":false');
    return String(call.body['text']);
  }
  return { lab, ask, work };
}

const look = (about: 'status' | 'why' | 'approval', name = '') => ({ kind: 'look', about, name }) as const;

describe('[N-34] what is asked by a command', () => {
  test('[S0-20] status has the worst first, and never calls calm what was not read, waits or recovers', async () => {
    const { lab: opened, ask } = await lab();
    await opened.see({ kind: 'true', trouble: drainBlocked });

    const text = await ask(look('status'));

    expect(text.split('\n')).toEqual([
      expect.stringMatching(/^🔴 (?:FIRING `PK-\d+`|PENDING) `prod-eu-1\/worker-gpu`: /),
      '🟠 `prod`: `worker` paused for 12 min: gate approval, a change is pending',
      '⚪ `test`: never read',
      '<https://pk.example.com/status|Status page>',
    ]);
  });

  test('where all was read lately and nothing waits, it says so', async () => {
    const { ask } = await lab(['prod', 'test'].map((cluster) => aView({ cluster, readAt })));

    expect(await ask(look('status'))).toContain(
      '🟢 All 2 clusters: read lately; no pool is paused, waits or rolls out',
    );
  });

  test('[N-16] why has every gate with what was found, what is needed, who can open it and the command', async () => {
    const { ask } = await lab();

    const text = await ask(look('why', 'worker'));

    expect(text).toContain('*`prod/worker` is paused for 12 min* (read 14:02:00 UTC)');
    expect(text).toContain('• *Gate approval*: rendered-worker-5f3c needs 1 approval: nobody has approved');
    expect(text).toContain('Found: no allow window open · Needed: an allow window open');
    expect(text).toContain('Past all of this: `poolkeeper resume --cluster prod --pool worker --reason "..."`');
  });

  test('[N-17] approve without a config shows what waits, and the command that approves exactly that', async () => {
    const { ask } = await lab();

    const text = await ask(look('approval', 'worker'), { cluster: 'prod' });

    expect(text).toContain('`/poolkeeper approve prod/worker rendered-worker-5f3c REASON`');
  });

  const unbuilt = aGateView({
    gate: 'approval',
    why: 'nobody is asked to approve rendered-worker-5f3c before its image is there',
  });

  test('[N-17] [N-30] approve without a config shows no command while there is no image to approve', async () => {
    const { ask } = await lab([aView({ readAt, pools: [{ ...paused, closedGates: [unbuilt] }] })]);

    const text = await ask(look('approval', 'worker'), { cluster: 'prod' });

    expect(text).toContain(unbuilt.why);
    expect(text).not.toContain('/poolkeeper approve');
  });

  const config = 'rendered-worker-5f3c';
  const image = `${config}@sha256:${'0b'.repeat(32)}`;
  const asking = (approves: string) => aGateView({ gate: 'approval', why: `${approves} needs 1 approval`, approves });
  test('[N-29] what was read by a clock that was set back since is not called calm, nor what waits now', async () => {
    const ahead = aView({ readAt: '2026-03-02T14:52:00.000Z', pools: [aPoolView({})] });
    const stale = 'last read 14:52:00 UTC, by a clock that was set back since';

    const answers = [];
    for (const request of [look('status'), look('why', 'worker'), look('approval', 'worker')]) {
      const { ask } = await lab([ahead]);
      answers.push(await ask(request, { cluster: request.about === 'status' ? '' : 'prod' }));
      await opened?.close();
    }

    expect(answers).toEqual([
      expect.stringContaining(stale),
      expect.stringContaining(stale),
      expect.stringContaining(`What waits in \`prod/worker\` is not known.\n⚪ \`prod\`: ${stale}`),
    ]);
    expect(answers.join()).not.toContain('🟢');
  });

  const justApproved = { ...look('approval', 'worker'), approved: config };

  test.each([
    [['slack:U1 github:anna'], '⚠ Your approval of `rendered-worker-5f3c` counts for nothing'],
    [['slack:U2 github:bob'], undefined],
  ])('[N-17] [N-29] whoever approved what they pushed is told that it does not count: %j', async (excludes, words) => {
    const gate = { ...asking(config), excludes };
    const { ask } = await lab([aView({ readAt, pools: [{ ...paused, closedGates: [gate] }] })]);

    const text = await ask(justApproved, { cluster: 'prod' });

    if (words === undefined) expect(text).toBe('');
    else
      expect(text).toContain(
        `${words} that waits in \`prod/worker\`: you pushed it, and the pool excludes whoever did`,
      );
  });

  test.each([
    [
      'that names no image',
      [asking(image)],
      'it does not name the image, and the pool has one of its own (image mode)',
      `\`/poolkeeper approve prod/worker ${image} REASON\``,
    ],
    ['before there is an image', [unbuilt], 'nothing can be approved there now', unbuilt.why],
    [
      'of a former config',
      [asking('rendered-worker-77aa')],
      'another config waits',
      '`/poolkeeper approve prod/worker rendered-worker-77aa REASON`',
    ],
  ])(
    '[N-17] [N-30] whoever gave an approval %s is told that it counts for nothing',
    async (_, closedGates, why, what) => {
      const { ask } = await lab([aView({ readAt, pools: [{ ...paused, closedGates }] })]);

      const text = await ask(justApproved, { cluster: 'prod' });

      expect(text).toContain(
        `⚠ Your approval of \`${config}\` counts for nothing that waits in \`prod/worker\`: ${why}.`,
      );
      expect(text).toContain(what);
    },
  );

  test.each([
    ['for what waits', paused.closedGates],
    ['where nothing waits any more', []],
  ])('[decoy] [N-17] whoever gave an approval %s is told nothing more', async (_, closedGates) => {
    const { ask } = await lab([aView({ readAt, pools: [{ ...paused, closedGates }] })]);

    expect(await ask(justApproved, { cluster: 'prod' })).toBe('');
  });

  test.each([
    ['nothing did', [], 'What waits in `prod/worker` is not known.'],
    ['an image is built for what did', [unbuilt], unbuilt.why],
    ['something did', paused.closedGates, '`/poolkeeper approve prod/worker rendered-worker-5f3c REASON`'],
  ])(
    '[N-17] [N-29] where the cluster has not been read for long and %s wait then, approve says since when',
    async (_, closedGates, said) => {
      const { lab: opened, ask } = await lab([aView({ readAt, pools: [{ ...paused, closedGates }] })]);
      opened.clock.advance(600);

      const text = await ask(look('approval', 'worker'), { cluster: 'prod' });

      expect(text).toContain(said);
      expect(text).not.toContain('Nothing waits');
      expect(text.split('\n').at(-1)).toBe('⚪ `prod`: not read since 14:02:00 UTC');
    },
  );

  test('[N-30] it is told of the clusters, pools and incidents that the channel hears of, and that there are others', async () => {
    const views = [
      aView({ readAt, pools: [paused, aPoolView({ ...paused, name: 'infra' })] }),
      aView({ readAt, cluster: 'test', pools: [paused] }),
    ];
    const { lab: opened, ask } = await lab(views, { clusters: ['prod'], pools: ['worker'] });
    await opened.see({ kind: 'true', trouble: drainBlocked });

    expect((await ask(look('status'))).split('\n')).toEqual([
      '🟠 `prod`: `worker` paused for 12 min: gate approval, a change is pending',
      '_Not shown, because their messages do not come to this channel: 1 cluster and 1 pool._',
      '<https://pk.example.com/status|Status page>',
    ]);
  });

  test('[N-30] [N-29] status counts the incidents that the severities of the channel leave out', async () => {
    const { lab: opened, ask } = await lab([aView({ readAt })], { clusters: ['prod'], severities: ['critical'] });
    await opened.see({
      kind: 'true',
      trouble: { ...drainBlocked, key: { ...drainBlocked.key, cluster: 'prod' }, severity: 'high' },
    });

    expect(await ask(look('status'))).toContain(
      '_Not shown, because their messages do not come to this channel: 1 cluster and 1 incident._',
    );
  });

  test('[N-30] why is answered for what the channel hears of', async () => {
    const views = [aView({ readAt, cluster: 'test', pools: [paused] })];
    const { ask } = await lab(views, { clusters: ['prod'] });

    const text = await ask(look('why'));

    expect(text).toContain('No pool that was read is paused.');
    expect(text).toContain('_Not shown, because their messages do not come to this channel: 1 cluster._');
  });

  test('a pool that is not there is said, with those that are', async () => {
    const { ask } = await lab();

    expect(await ask(look('why', 'wroker'))).toContain('There is no pool `wroker`. There is `worker`.');
  });

  test('[N-29] a pool for which there was no room is not said to be missing, nor its cluster to be calm', async () => {
    const left = { all: 11, paused: 2, degraded: 1 };
    const views = [aView({ readAt, pools: [aPoolView()], poolsLeftOut: left })];
    const answered = async (...asked: Parameters<typeof look>) => (await lab(views)).ask(look(...asked));
    const words = '`prod`: 11 pools not shown for lack of room, of them 2 paused and 1 degraded';

    expect(await answered('why', 'p45')).toContain(`Pool \`p45\` is not among those shown.\n⚪ ${words}`);
    expect(await answered('why')).toContain(`No pool that was read is paused.\n⚪ ${words}`);
    expect(await answered('status')).toContain(`🟠 ${words}`);
  });

  test('[N-29] a pool that cannot be parsed is named, where the channel hears of it, and its cluster is not calm', async () => {
    const unreadablePools = [{ name: 'infra', since: '2026-03-02T13:50:00.000Z', wasOurs: true as const }];
    const views = [aView({ readAt, pools: [aPoolView()], unreadablePools }), aView({ readAt, cluster: 'test' })];
    const answered = async (pools: readonly string[], ...asked: Parameters<typeof look>) =>
      (await lab(views, { pools: [...pools] })).ask(look(...asked));
    const words =
      '`prod`: `infra` cannot be parsed, since 13:50:00 UTC: whether it is paused is not known; Poolkeeper had paused it when it was last read';

    expect(await answered([], 'why', 'infra')).toBe(`⚪ ${words}`);
    expect(await answered([], 'why')).toBe(`No pool that was read is paused.\n⚪ ${words}`);
    expect(await answered([], 'approval', 'infra')).toContain(words);
    expect(await answered([], 'status')).toContain(`🟠 ${words}\n🟢 The other cluster: read lately`);
    expect(await answered(['worker'], 'status')).toContain(
      '_Not shown, because their messages do not come to this channel: 1 pool._',
    );
  });

  test('[S4-9] what tenants and people write mentions nobody and links nothing', async () => {
    const hostile = '<!channel> <https://evil.example|x> *b* `c`';
    const hold = {
      id: 'sync/a/b/c',
      kind: 'sync',
      who: hostile,
      why: hostile,
      phase: 'syncing',
      since: readAt,
      until: readAt,
    };
    const pool = { ...paused, closedGates: [aGateView({ why: hostile, value: hostile, how: hostile })], holds: [hold] };
    const { ask } = await lab([aView({ readAt, pools: [pool] })]);

    const text = await ask(look('why', 'worker'));

    expect(text).toContain('&lt;!channel&gt;');
    expect(text).not.toMatch(/<[!@#h]/);
    expect(text.split('`').length % 2).toBe(1);
  });

  test('what is to reach a cluster is handed to keep-pools, by its number alone', async () => {
    const { ask, work } = await lab();

    const text = await ask({ kind: 'hold', pool: 'worker', forSeconds: 7200, reason: 'because' }, { cluster: 'prod' });

    expect(text).toBe('');
    expect(work.map(({ type, data }) => [type, data])).toEqual([
      ['poolkeeper.request.asked.v1', { id: 'command-0', cluster: 'prod' }],
    ]);
  });

  test('what came of it is told with its undo', async () => {
    const { ask } = await lab();
    const outcome = { said: 'prod/worker is <b>paused</b>', undo: '/poolkeeper resume prod/worker REASON' };

    const text = await ask(
      { kind: 'hold', pool: 'worker', forSeconds: 7200, reason: 'because' },
      { state: 'done', outcome },
    );

    expect(text).toBe('prod/worker is &lt;b&gt;paused&lt;/b&gt;\nUndo: `/poolkeeper resume prod/worker REASON`');
  });

  test('[S1-12] of an undo on the command line the answer says on which cluster', async () => {
    const { ask } = await lab();
    const undo = 'poolkeeper hold --cluster prod --pool worker --for 4000m --reason "..."';
    const change = { state: 'done', cluster: 'prod', outcome: { said: 'prod/worker is resumed', undo } } as const;

    const text = await ask({ kind: 'resume', pool: 'worker', reason: 'because' }, change);

    expect(text).toBe(`prod/worker is resumed\nUndo, in your context of \`prod\`: \`${undo}\``);
  });
});
