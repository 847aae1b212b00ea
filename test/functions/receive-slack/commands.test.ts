import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { AttentionAsked, RequestAsked } from '../../../events/index.ts';
import type { AlertTarget } from '../../../functions/core/configuration/alerts.ts';
import { ClusterSettings } from '../../../functions/core/configuration/cluster.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { receiveSlack } from '../../../functions/receive-slack/receive-slack.ts';
import { fakeTables } from '../../fakes/index.ts';
import { answerOf, post, receiverPorts } from '../receiving.ts';

const target: AlertTarget = {
  kind: 'slack',
  name: 'ops',
  channel: 'C0123456789',
  tokenSecret: 'slack',
  apiUrl: 'https://slack.com/api/',
  filter: { clusters: [], pools: [], severities: [], causes: [] },
};
const anna = 'U0123456789';

function clusterNamed(name: string, excludePusher: boolean): ClusterSettings {
  return ClusterSettings.parse({
    name,
    api: { server: `https://api.${name}.example.com`, tokenSecret: name },
    policy: {},
    pools: { worker: { approve: { by: [`slack:${anna} github:anna`], needed: 1, excludePusher } } },
  });
}

interface LabOptions {
  readonly clusters?: readonly string[];
  readonly users?: readonly string[];
  readonly mayFreeze?: readonly string[];
  readonly mayResume?: readonly string[];
  readonly maySteer?: readonly string[];
  readonly storingFails?: boolean;
  readonly excludePusher?: boolean;
  /** What the target that posts to the channel hears of. */
  readonly filter?: Partial<AlertTarget['filter']>;
}

function lab({
  clusters = ['prod'],
  storingFails = false,
  excludePusher = false,
  filter = {},
  ...lists
}: LabOptions = {}) {
  const { work: _work, ...ports } = receiverPorts();
  const attention: AttentionAsked[] = [];
  const queued: RequestAsked[] = [];
  const noted = new Set<string>();
  const tables = fakeTables();
  const handle = receiveSlack({
    ...ports,
    configuration: {
      clusters: clusters.map((name) => clusterNamed(name, excludePusher)),
      alerts: {
        targets: [{ ...target, filter: { ...target.filter, ...filter } }],
        slackButtons: {
          signingSecret: 'the-secret',
          team: 'T0123456789',
          users: [],
          mayFreeze: [],
          mayResume: [],
          maySteer: [],
          acknowledgeForSeconds: 14_400,
          ...lists,
        },
      },
    },
    attention: { send: async (event) => void attention.push(event) },
    requests: { send: async (event) => void queued.push(event) },
    askedRequests: {
      save: async (asked) => {
        if (storingFails) throw new Transient('the table does not answer');
        return tables.askedRequests.save(asked);
      },
    },
    approvals: tables.approvals,
    incidents: tables.incidents,
    sequenceRequests: tables.sequenceRequests,
    timeline: tables.timeline,
    replays: { isFirst: async (id) => !noted.has(id) && noted.add(id).size > 0 },
  });
  const nowSeconds = Math.floor(ports.clock().getTime() / 1000);
  const say = async (text: string, change: Readonly<Record<string, string>> = {}, at = nowSeconds) => {
    const answer = await answerOf(await handle(signed(slash(text, change), at)));
    return { ...answer, words: wordsIn(answer.body) };
  };
  const stored = async () =>
    (await Promise.all(queued.map(({ data }) => tables.askedRequests.load(data.id)))).flatMap((each) => each ?? []);
  return { handle, say, stored, queued, attention, tables, nowSeconds, logger: ports.logger };
}

/** As Slack's documentation of slash commands has it. */
function slash(text: string, change: Readonly<Record<string, string>> = {}): string {
  return new URLSearchParams({
    token: 'gIkuvaNzQIHg97ATvDxqgjtO',
    team_id: 'T0123456789',
    team_domain: 'example',
    channel_id: 'C0123456789',
    channel_name: 'ops',
    user_id: anna,
    user_name: 'anna',
    command: '/poolkeeper',
    text,
    api_app_id: 'A123456',
    is_enterprise_install: 'false',
    response_url: 'https://hooks.slack.com/commands/1234/5678',
    trigger_id: '13345224609.738474920.8088930838d88f008e0',
    ...change,
  }).toString();
}

function signed(body: string, at: number, secret = 'new-secret'): Request {
  return post('/slack', body, {
    'content-type': 'application/x-www-form-urlencoded',
    'x-slack-request-timestamp': String(at),
    'x-slack-signature': `v0=${createHmac('sha256', secret).update(`v0:${at}:${body}`).digest('hex')}`,
  });
}

/** What the caller reads: the text of all sections. */
function wordsIn(body: unknown): string {
  const { blocks = [] } = body as { readonly blocks?: readonly { readonly text: { readonly text: string } }[] };
  return blocks.map(({ text }) => text.text).join('\n');
}

describe('[N-34] POST /slack with a command', () => {
  test('[C-6] answers the caller alone within the answer, and what reaches a cluster is stored under its signature', async () => {
    const { say, stored, queued } = lab({ mayFreeze: [anna] });

    const { status, body, words } = await say('hold worker 2h database migration');

    expect(status).toBe(200);
    expect(body).toMatchObject({ response_type: 'ephemeral', text: words });
    expect(words).toBe('⏳ Asked: `prod` hold worker for 2 h: database migration\nWhat comes of it follows here.');
    expect(queued.map(({ data }) => data)).toEqual([{ id: expect.stringMatching(/^[0-9a-f]{32}$/), cluster: 'prod' }]);
    expect(await stored()).toMatchObject([
      {
        cluster: 'prod',
        request: { kind: 'hold', pool: 'worker', forSeconds: 7200, reason: 'database migration' },
        who: 'anna (Slack U0123456789)',
        at: '2026-03-02T10:00:00.250Z',
        answer: { channel: 'C0123456789', user: anna },
        state: 'asked',
      },
    ]);
  });

  test('[C-13] one that Slack did not sign is refused before anything of it is read', async () => {
    const { handle, queued, nowSeconds } = lab({ mayFreeze: [anna] });

    const answer = await answerOf(await handle(signed(slash('freeze worker 2h x'), nowSeconds, 'guessed')));

    expect(answer.status).toBe(401);
    expect(queued).toEqual([]);
  });

  test.each([
    ['status', {}, { kind: 'look', about: 'status', name: '' }],
    ['why worker', {}, { kind: 'look', about: 'why', name: 'worker' }],
    ['approve worker', {}, { kind: 'look', about: 'approval', name: 'worker' }],
    ['freeze prod/* 4h “end of year”', { mayFreeze: [anna] }, { kind: 'freeze', pool: '*', reason: 'end of year' }],
    [
      'resume worker CVE &lt;2026&gt; &amp; more',
      { mayResume: [anna] },
      { kind: 'resume', reason: 'CVE <2026> & more' },
    ],
    ['THAW worker "it is over"', { mayResume: [anna] }, { kind: 'thaw', pool: 'worker', reason: 'it is over' }],
  ] as const)('/poolkeeper %s is queued as what was asked', async (text, lists, request) => {
    const { say, stored } = lab(lists);

    await say(text);

    expect((await stored()).map((each) => each.request)).toMatchObject([request]);
  });

  test.each([
    ['hold', 'mayFreeze'],
    ['freeze', 'mayFreeze'],
    ['resume', 'mayResume'],
    ['thaw', 'mayResume'],
  ])('[C-6] %s by somebody whom %s does not list is refused, and says which list', async (word, list) => {
    const { say, queued } = lab({ mayFreeze: ['U9'], mayResume: ['U9'], maySteer: [anna] });

    const { status, words } = await say(
      `${word} worker ${['hold', 'freeze'].includes(word) ? '2h ' : ''}because of it`,
    );

    expect([status, queued.length]).toEqual([200, 0]);
    expect(words).toContain(`🚫 Not done: this person is not listed for that (alerts.slackButtons.${list})`);
  });

  test.each([
    ['another workspace', { team_id: 'T9999999999' }, 403, ''],
    [
      'a channel without messages of Poolkeeper',
      { channel_id: 'C9999999999' },
      200,
      'Ask in a channel that gets its messages',
    ],
  ])('[C-6] even a question from %s gets nothing', async (_, change, status, hint) => {
    const { say, queued } = lab();

    const answer = await say('status', change);

    expect([answer.status, queued.length]).toEqual([status, 0]);
    expect(answer.words).toContain(hint);
  });

  test.each([
    ['statsu', 'there is no command "statsu"; did you mean status?'],
    ['hold', 'POOL is missing: which pool? Write: hold'],
    ['hold worker', 'TIME is missing: for how long?'],
    ['hold worker tomorrow because', 'TIME: "tomorrow" is not a time like 30m, 2h or 1h30m'],
    ['hold worker 48h because', 'TIME: at most 24h from Slack'],
    ['hold worker 2h', 'REASON is missing: why?'],
    ['hold worker 2h --reason because', 'there are no flags in Slack'],
    ['hold Worker! 2h because', 'POOL: "Worker!" is not the name of a pool'],
    ['hold prdo/worker 2h because', 'CLUSTER: there is no cluster "prdo"; did you mean prod?'],
    ['freeze * 2h because', 'CLUSTER is missing'],
    ['thaw worker no', 'REASON is too short: at least 3 characters'],
    ['snooze worker 2h', 'which incident? Like PK-7'],
    ['revoke worker', 'CONFIG is missing'],
    ['revoke worker please wait', 'CONFIG: "please" is no rendered config of that pool, as rendered-worker-0a1b2c3d'],
    ['revoke worker rendered-worker-gpu-5f3c', 'CONFIG: "rendered-worker-gpu-5f3c" is no rendered config of that pool'],
    ['approve worker reviewed in CHG-4711', 'CONFIG: "reviewed" is no rendered config of that pool'],
    ['approve worker rendered-infra-5f3c', 'CONFIG: "rendered-infra-5f3c" is no rendered config of that pool'],
    ['run dance', 'there is no word "dance"'],
    ['run pause upgrade because', 'RUN: there is no run "upgrade"'],
    ['recheck PK-7 now', '"now" is not understood'],
  ])('%s names the argument that is wrong', async (text, why) => {
    const { say, queued } = lab({ mayFreeze: [anna], mayResume: [anna], maySteer: [anna] });

    const { status, words } = await say(text);

    expect([status, queued.length]).toEqual([200, 0]);
    expect(words).toContain(why);
  });

  test('with several clusters it asks which, and a question may be about all', async () => {
    const { say, stored } = lab({ clusters: ['prod', 'test'], mayFreeze: [anna] });

    const { words } = await say('hold worker 2h because');
    await say('why worker');

    expect(words).toContain('CLUSTER is missing: prod/worker, or on which other?');
    expect(await stored()).toMatchObject([{ cluster: '', request: { about: 'why', name: 'worker' } }]);
  });

  test('one that Slack sends again is stored and acknowledged once', async () => {
    const { say, stored, attention, nowSeconds } = lab({ mayFreeze: [anna] });

    for (const at of [nowSeconds, nowSeconds + 2]) {
      await say('hold worker 2h because', {}, at);
      await say('ack PK-7 2h on it', { trigger_id: '2.2.2' }, at);
    }

    expect(new Set((await stored()).map(({ id, version }) => `${id} ${version}`)).size).toBe(1);
    expect(attention.map(({ data }) => data)).toMatchObject([
      { wish: 'acknowledge', number: 7, by: 'anna', reason: 'on it', forSeconds: 7200 },
    ]);
  });

  test('[N-17] an approval names the rendered config, counts for who is listed, and says how to take it back', async () => {
    const { say, tables } = lab();

    const { words } = await say('approve worker rendered-worker-5f3c reviewed in CHG-4711');
    const other = await say('approve worker rendered-worker-5f3c', { user_id: 'U9999999999', user_name: 'eve' });

    expect(words).toContain('prod/worker: rendered-worker-5f3c is approved');
    expect(words).toContain(
      'for that config alone, and in image mode for none: there CONFIG has the digest of its image: `/poolkeeper approve prod/worker` shows which one waits',
    );
    expect(words).toContain('Undo: `/poolkeeper revoke prod/worker rendered-worker-5f3c`');
    expect(other.words).toContain('🚫 Not done: not on the list of the pool');
    expect(await tables.approvals.list('prod', 'worker')).toMatchObject([
      { who: `slack:${anna}`, verb: 'approve', reason: 'reviewed in CHG-4711' },
    ]);
    expect(tables.timeline.all().map(({ text }) => text)).toEqual([
      expect.stringContaining('approve rendered-worker-5f3c by slack:U9999999999 was refused'),
      expect.stringContaining('approved by slack:U0123456789 (anna): reviewed in CHG-4711'),
    ]);
  });

  test('[N-17] [N-30] without an image it is compared with what waits, once, and its answer follows', async () => {
    const { say, stored } = lab();

    for (let times = 0; times < 2; times += 1) await say('approve worker rendered-worker-5f3c reviewed');
    await say('revoke worker rendered-worker-5f3c', { trigger_id: 'another' });

    const request = { kind: 'look', about: 'approval', name: 'worker', approved: 'rendered-worker-5f3c' };
    const [asked, ...others] = await stored();
    expect(asked).toMatchObject({ cluster: 'prod', state: 'asked', request, answer: { user: anna } });
    expect(new Set(others.map(({ id }) => id))).toEqual(new Set([asked?.id]));
  });

  test('[N-17] [N-29] where whoever pushed does not count, nobody is told for sure that their approval does', async () => {
    const { say, stored } = lab({ excludePusher: true });
    const config = `rendered-worker-5f3c@sha256:${'a'.repeat(64)}`;

    const { words } = await say(`approve worker ${config} reviewed`);

    expect(words).toContain(
      'It counts with the next look, within a minute, unless you pushed it, which is told here, and',
    );
    expect(await stored()).toMatchObject([{ request: { kind: 'look', about: 'approval', approved: config } }]);
  });

  test('[N-17] [N-30] it is stored also where what waits cannot be asked for', async () => {
    const { say, tables } = lab({ storingFails: true });

    const { words } = await say('approve worker rendered-worker-5f3c reviewed');

    expect(words).toContain('prod/worker: rendered-worker-5f3c is approved');
    expect(await tables.approvals.list('prod', 'worker')).toHaveLength(1);
  });

  test('[N-17] [N-30] in image mode it names the image, whole', async () => {
    const { say, stored, tables } = lab();
    const named = `rendered-worker-5f3c@sha256:${'0b'.repeat(32)}`;

    const { words } = await say(`approve worker ${named} reviewed`);
    const half = await say(`approve worker ${named.slice(0, -20)} reviewed`);

    expect(words).toContain(`Undo: \`/poolkeeper revoke prod/worker ${named}\``);
    expect(words).toContain('for that config alone: `/poolkeeper approve prod/worker` shows which one waits');
    expect(await stored()).toEqual([]);
    expect(half.words).toContain('CONFIG is missing, or not a rendered config, with the whole digest of its image');
    expect(await tables.approvals.list('prod', 'worker')).toMatchObject([{ config: named, verb: 'approve' }]);
  });

  test.each([
    '<!channel> <@U0123456789> *bold* `code` <https://evil.example|a link>',
    '&lt;!channel&gt; ‮ look: http://evil.example',
    `${'a <!here> '.repeat(1000)}`,
    '😀'.repeat(5000),
  ])('[S4-9] hostile text %# mentions nobody, links nothing and stays short', async (text) => {
    const { say } = lab({ mayFreeze: [anna] });

    for (const typed of [text, `hold ${text}`, `hold worker 2h ${text.slice(0, 250)}`, `why ${text}`]) {
      const { status, body, words } = await say(typed, { trigger_id: typed.slice(0, 60) });

      expect(status).toBe(200);
      expect(words).not.toMatch(/<[!@#h]|‮/);
      expect(JSON.stringify(body).length).toBeLessThan(3000);
      expect(JSON.stringify(body)).not.toContain('"verbatim":false');
    }
  });

  test('[C-6] help lists every command, and one that cannot be stored says that nothing was done', async () => {
    const { words } = await lab().say('');
    const failing = await lab({ mayFreeze: [anna], storingFails: true }).say('hold worker 2h because');

    for (const word of ['status', 'why', 'hold', 'resume', 'freeze', 'thaw', 'approve', 'ack', 'run', 'help'])
      expect(words).toContain(`/poolkeeper ${word}`);
    expect(failing.words).toContain('nothing was done');
  });

  const everything = { mayFreeze: [anna], mayResume: [anna] };

  test.each([
    ['status test', 'test'],
    ['why test/worker', 'test'],
    ['why prod/infra', 'prod/infra'],
    ['hold test/worker 2h because', 'test'],
    ['resume test/worker because', 'test'],
    ['resume prod/infra because', 'prod/infra'],
    ['freeze prod/* 2h because', 'all pools of prod'],
    ['thaw prod/* because', 'all pools of prod'],
    ['approve test/worker rendered-worker-1 because', 'test'],
    ['approve prod/infra', 'prod/infra'],
  ])('[N-30] %s is refused where the channel does not hear of it, whoever asks', async (text, what) => {
    const filter = { clusters: ['prod'], pools: ['worker'] };
    const { say, queued, tables } = lab({ ...everything, clusters: ['prod', 'test'], filter });

    const { words } = await say(text);

    expect(words).toMatch(/^🚫 Not done: /);
    if (!text.startsWith('approve prod')) expect(words).toContain(`messages about ${what} do not come to this channel`);
    expect(queued).toEqual([]);
    expect(await tables.approvals.list('test', 'worker')).toEqual([]);
  });

  test('[N-30] what the channel hears of is done, and CLUSTER/ may be left out where it hears of one', async () => {
    const filter = { clusters: ['prod'], pools: ['worker'] };
    const { say, stored } = lab({ ...everything, clusters: ['prod', 'test'], filter });

    const said = [];
    for (const text of ['resume worker because', 'freeze prod/worker 2h because', 'status', 'why worker', 'status prd'])
      said.push((await say(text, { trigger_id: text })).words);

    expect((await stored()).map(({ cluster, request }) => `${cluster} ${request.kind}`)).toEqual([
      'prod resume',
      'prod freeze',
      ' look',
      'prod look',
    ]);
    expect(said.at(-1)).toContain('did you mean prod');
  });

  test("Slack's check of the certificate is answered", async () => {
    const { handle, nowSeconds } = lab();

    const answer = await answerOf(await handle(signed('ssl_check=1&token=x', nowSeconds)));

    expect(answer.status).toBe(200);
  });
});

describe('an approval or revocation that is older than what the same person said elsewhere', () => {
  test.each([
    ['approve', 'revoke'],
    ['revoke', 'approve'],
  ] as const)('[N-17] [N-29] to %s changes nothing, and is not called done', async (kind, verb) => {
    const { say, tables } = lab();
    const config = 'rendered-worker-bbb';
    const newer = {
      cluster: 'prod',
      pool: 'worker',
      config,
      who: `slack:${anna}`,
      name: '',
      verb,
      reason: '',
    } as const;
    await tables.approvals.save({ ...newer, at: '2026-03-02T10:00:00.500Z' });

    const { words } = await say(`${kind} prod/worker ${config}`);

    expect(words).toContain(`Not done: what you said of prod/worker: ${config} elsewhere is newer`);
    expect(words).not.toContain('Undo');
    expect((await tables.approvals.list('prod', 'worker')).map((each) => each.verb)).toEqual([verb]);
  });
});
