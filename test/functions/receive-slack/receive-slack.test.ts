import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { AttentionAsked, type RequestAsked } from '../../../events/index.ts';
import type { Incident } from '../../../functions/core/alerts/incident.ts';
import { episodeOf } from '../../../functions/core/alerts/slack-buttons.ts';
import type { AlertTarget } from '../../../functions/core/configuration/alerts.ts';
import { ClusterSettings } from '../../../functions/core/configuration/cluster.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { receiveSlack } from '../../../functions/receive-slack/receive-slack.ts';
import { requireSignature } from '../../../functions/receive-slack/require-signature.ts';
import { liveSecret } from '../../../functions/shell/live-secret.ts';
import { anIncident, aTrouble, fakeTables } from '../../fakes/index.ts';
import { answerOf, fakeSecrets, post, receiverPorts } from '../receiving.ts';

const filter = { clusters: [], pools: [], severities: [], causes: [] };
const target: AlertTarget = {
  kind: 'slack',
  name: 'ops',
  channel: 'C0123456789',
  tokenSecret: 'slack',
  apiUrl: 'https://slack.com/api/',
  filter,
};
const buttons = {
  signingSecret: 'the-secret',
  team: 'T0123456789',
  users: [],
  mayFreeze: [],
  mayResume: [],
  maySteer: [],
  acknowledgeForSeconds: 14_400,
};

/** What Slack sends when somebody presses: more than is read, the message among it. */
function payload(change: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return {
    type: 'block_actions',
    api_app_id: 'A0123456789',
    token: 'legacy-verification-token',
    team: { id: 'T0123456789', domain: 'acme' },
    user: { id: 'U0123456789', username: 'anna', name: 'anna', team_id: 'T0123456789' },
    channel: { id: 'C0123456789', name: 'ops' },
    container: { type: 'message', message_ts: '1772445600.000100' },
    message: { text: 'größe & <script>', blocks: [] },
    response_url: 'https://hooks.slack.com/actions/T0/1/secret',
    actions: [
      { action_id: 'acknowledge', block_id: 'b', type: 'button', value: '7.12.0a1b2c3d', action_ts: '1772445600.1' },
    ],
    ...change,
  };
}

function pressed(action_id: string, value: string) {
  return payload({ actions: [{ action_id, type: 'button', value }] });
}

/** Anna and Bob approve what pool worker of prod rolls out. */
const clusters = [
  ClusterSettings.parse({
    name: 'prod',
    api: { server: 'https://api.example.com', tokenSecret: 'prod' },
    policy: {},
    pools: {
      worker: { approve: { by: ['slack:U0123456789 aws:AIDAANNA12345678', 'slack:U9876543210'], needed: 2 } },
      infra: {},
    },
  }),
];

interface LabOptions {
  readonly users?: readonly string[];
  readonly mayFreeze?: readonly string[];
  readonly maySteer?: readonly string[];
  readonly team?: string;
  readonly queueFails?: boolean;
  readonly filter?: AlertTarget['filter'];
}

function lab(options: LabOptions = {}) {
  const { work: _work, ...ports } = receiverPorts();
  const sent: AttentionAsked[] = [];
  const asked: RequestAsked[] = [];
  const taken = new Set<string>();
  const tables = fakeTables(ports.faults);
  const handle = receiveSlack({
    ...ports,
    configuration: {
      clusters,
      alerts: {
        targets: [{ ...target, filter: options.filter ?? filter }],
        slackButtons: {
          ...buttons,
          users: options.users ?? [],
          mayFreeze: options.mayFreeze ?? [],
          maySteer: options.maySteer ?? [],
          team: options.team ?? buttons.team,
        },
      },
    },
    attention: {
      send: async (event) => {
        if (options.queueFails === true) throw new Transient('no answer');
        sent.push(event);
      },
    },
    requests: { send: async (event) => void asked.push(event) },
    askedRequests: tables.askedRequests,
    approvals: tables.approvals,
    incidents: tables.incidents,
    sequenceRequests: tables.sequenceRequests,
    timeline: tables.timeline,
    replays: {
      isFirst: async (id) => {
        const isFirst = !taken.has(id);
        taken.add(id);
        return isFirst;
      },
    },
  });
  const nowSeconds = Math.floor(ports.clock().getTime() / 1000);
  return { ...ports, sent, asked, handle, nowSeconds, tables };
}

interface Signing {
  readonly secret?: string;
  readonly at: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signed?: string;
}

function request(body: string, { secret = 'new-secret', at, headers = {}, signed = body }: Signing): Request {
  return post('/slack', body, {
    'content-type': 'application/x-www-form-urlencoded',
    'x-slack-request-timestamp': String(at),
    'x-slack-signature': `v0=${createHmac('sha256', secret).update(`v0:${at}:${signed}`).digest('hex')}`,
    ...headers,
  });
}

function form(from: Readonly<Record<string, unknown>> = payload()): string {
  return new URLSearchParams({ payload: JSON.stringify(from) }).toString();
}

describe('POST /slack', () => {
  test.each(['new-secret', 'old-secret'])(
    '[C-13] a press signed with %s is queued as what was asked',
    async (secret) => {
      const { handle, sent, nowSeconds, clock } = lab();

      const answer = await answerOf(await handle(request(form(), { at: nowSeconds, secret })));

      expect(answer.status).toBe(200);
      expect(sent).toHaveLength(1);
      expect(AttentionAsked.parse(sent[0]).data).toEqual({
        wish: 'acknowledge',
        number: 7,
        seenSeq: 12,
        episode: '0a1b2c3d',
        by: 'anna',
        reason: '',
        forSeconds: 14_400,
        askedAt: clock().toISOString(),
        answer: { channel: 'C0123456789', user: 'U0123456789' },
      });
    },
  );

  test('a snooze holds as long as was chosen, and a re-check needs no time', async () => {
    const { handle, sent, nowSeconds } = lab();
    const snooze = payload({ actions: [{ action_id: 'snooze', selected_option: { value: '7.12.0a1b2c3d.7200' } }] });

    await handle(request(form(snooze), { at: nowSeconds }));
    await handle(request(form(pressed('recheck', '7.12.0a1b2c3d')), { at: nowSeconds }));

    expect(sent.map(({ data }) => [data.wish, data.forSeconds])).toEqual([
      ['snooze', 7200],
      ['recheck', 0],
    ]);
  });

  test('[N-21] a freeze by somebody who is listed for it is queued with what it covers and for how long', async () => {
    const { handle, sent, nowSeconds } = lab({ mayFreeze: ['U0123456789'] });
    const value = { selected_option: { value: '7.12.0a1b2c3d.cluster.14400' } };

    const answer = await answerOf(
      await handle(request(form(payload({ actions: [{ action_id: 'freeze-here', ...value }] })), { at: nowSeconds })),
    );

    expect(answer.status).toBe(200);
    expect(AttentionAsked.parse(sent[0]).data).toMatchObject({
      wish: 'freeze-here',
      number: 7,
      scope: 'cluster',
      forSeconds: 14_400,
      by: 'anna',
    });
  });

  test.each([
    ['nobody is', [], '7.12.0a1b2c3d.pool.14400', 403],
    ['only others are', ['U9999999999'], '7.12.0a1b2c3d.pool.14400', 403],
    ['the time was made up', ['U0123456789'], '7.12.0a1b2c3d.pool.99999', 200],
  ])('[N-21] a freeze where %s listed for it queues nothing', async (_, mayFreeze, value, status) => {
    const { handle, sent, nowSeconds } = lab({ mayFreeze });
    const actions = [{ action_id: 'freeze-here', selected_option: { value } }];

    const answer = await answerOf(await handle(request(form(payload({ actions })), { at: nowSeconds })));

    expect(answer.status).toBe(status);
    expect(sent).toEqual([]);
  });

  const stuck = anIncident({ key: { cluster: 'prod', pool: '*', kind: 'sequence-stuck' } });
  const steers = (value: string, menu = `steer-sequence.${episodeOf(stuck)}.prod`) =>
    payload({ actions: [{ action_id: menu, selected_option: { value } }] });

  test('[S2-10] a sequence is steered by somebody who is listed for it, once however often it is delivered', async () => {
    const { handle, sent, nowSeconds, tables } = lab({ maySteer: ['U0123456789'] });
    await tables.incidents.save(stuck);
    const press = form(steers('7.unneeded.virt/storage@prod/waitFor'));

    for (let times = 0; times < 2; times += 1) await handle(request(press, { at: nowSeconds }));

    expect(await tables.sequenceRequests.list('virt')).toEqual([
      {
        id: expect.stringMatching(/^slack\/[0-9a-f]{32}$/),
        sequence: 'virt',
        request: {
          kind: 'skip',
          item: 'storage@prod/waitFor',
          said: {
            who: 'anna (Slack U0123456789)',
            why: 'not needed here (from the message of PK-7)',
            at: new Date(nowSeconds * 1000).toISOString(),
          },
        },
      },
    ]);
    expect(sent.map(({ data }) => [data.wish, data.number, data.steered])).toEqual([
      ['recheck', 7, { sequence: 'virt', cluster: 'prod' }],
    ]);
  });

  const abort = steers('7.abort.virt');
  test.each<[string, object, Partial<Incident> | undefined, string]>([
    ['of an earlier version', steers('7.abort.virt', 'steer-sequence'), {}, 'earlier-version'],
    ['whose incident is no more', abort, undefined, 'no-incident'],
    ['of an incident before the one that is open', abort, { number: 9 }, 'no-incident'],
    ['of another episode of that number', abort, { openedAt: '2026-02-01T09:00:00.000Z' }, 'other-episode'],
    ['that the channel hears nothing of', abort, { trouble: aTrouble({ severity: 'info' }) }, 'unheard'],
    ['of an incident that is over', abort, { state: 'ok', resolvedAt: '2026-03-02T10:40:00.000Z' }, 'resolved'],
  ])(
    '[S2-10] [N-29] a sequence is not steered below a message %s, and what is told is that it was not',
    async (_, press, row, refused) => {
      const heard = { ...filter, severities: ['warning', 'high', 'critical'] as const };
      const { handle, sent, nowSeconds, tables } = lab({ maySteer: ['U0123456789'], filter: heard });
      if (row !== undefined) await tables.incidents.save({ ...stuck, ...row });

      const answer = await answerOf(await handle(request(form({ ...press }), { at: nowSeconds })));

      expect(answer.status).toBe(200);
      expect(await tables.sequenceRequests.list('virt')).toEqual([]);
      expect(sent.map(({ data }) => data.steered)).toMatchObject([{ sequence: 'virt', refused }]);
    },
  );

  test('[S2-10] [N-29] a sequence whose incident cannot be read is not steered, and Slack says so', async () => {
    const { handle, sent, nowSeconds, tables, faults } = lab({ maySteer: ['U0123456789'] });
    await tables.incidents.save(stuck);
    faults.failAll(['incidents.loadOne']);

    expect((await handle(request(form(abort), { at: nowSeconds }))).status).toBe(503);
    expect([await tables.sequenceRequests.list('virt'), sent]).toEqual([[], []]);
  });

  test.each([
    ['nobody is', [], '7.pause.virt', 403],
    ['only others are', ['U9999999999'], '7.abort.virt', 403],
    ['the act was made up', ['U0123456789'], '7.delete.virt', 200],
    ['a skip names nothing', ['U0123456789'], '7.unneeded.virt', 200],
  ])('[S2-10] [C-6] a sequence where %s listed for it is not steered', async (_, maySteer, value, status) => {
    const { handle, sent, nowSeconds, tables } = lab({ maySteer });

    const answer = await answerOf(await handle(request(form(steers(value)), { at: nowSeconds })));

    expect(answer.status).toBe(status);
    expect(await tables.sequenceRequests.list('virt')).toEqual([]);
    expect(sent).toEqual([]);
  });

  test('[N-21] what Slack signed is nothing without listing, however the press is written', async () => {
    const { handle, sent, nowSeconds } = lab({ mayFreeze: ['U0123456789'] });
    const actions = ['thaw', 'emergency', 'freeze'].map((action_id) => ({
      action_id,
      value: '7.12.0a1b2c3d.pool.14400',
    }));

    for (const action of actions) await handle(request(form(payload({ actions: [action] })), { at: nowSeconds }));

    expect(sent).toEqual([]);
  });

  test('the signature is the one that Slack documents', async () => {
    const secret = '8f742231b10e8888abcd99yyyzzz85a5';
    const body =
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';
    const signature = 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503';
    const headers = new Headers({ 'x-slack-request-timestamp': '1531420618', 'x-slack-signature': signature });
    const now = new Date(1_531_420_618_000);
    const live = liveSecret({ secrets: fakeSecrets({ slack: [secret] }), secret: 'slack', clock: () => now });

    await expect(requireSignature(body, headers, live, now)).resolves.toEqual({ signature, at: now });
    await expect(requireSignature(`${body}&`, headers, live, now)).rejects.toThrow('old or wrong');
  });

  test.each<[string, (at: number) => Request]>([
    ['with another secret', (at) => request(form(), { at, secret: 'guessed' })],
    ['over another body', (at) => request(form(), { at, signed: form(pressed('acknowledge', '8.1')) })],
    ['from five minutes ago', (at) => request(form(), { at: at - 301 })],
    ['from five minutes ahead', (at) => request(form(), { at: at + 301 })],
    ['at no time', (at) => request(form(), { at, headers: { 'x-slack-request-timestamp': 'soon' } })],
    ['without a signature', (at) => request(form(), { at, headers: { 'x-slack-signature': '' } })],
    ['in another version', (at) => request(form(), { at, headers: { 'x-slack-signature': `v1=${'0'.repeat(64)}` } })],
  ])('a press %s is refused with 401', async (_name, make) => {
    const { handle, sent, nowSeconds, logger } = lab();

    const answer = await answerOf(await handle(make(nowSeconds)));

    expect(answer.status).toBe(401);
    expect(sent).toEqual([]);
    expect(JSON.stringify([answer.body, logger.lines])).not.toMatch(/secret|v0=|script/);
  });

  test('[N-18] the same press sent again does nothing more', async () => {
    const { handle, sent, nowSeconds } = lab();
    await handle(request(form(), { at: nowSeconds }));

    const again = await answerOf(await handle(request(form(), { at: nowSeconds })));

    expect(again).toMatchObject({ status: 200, body: { reason: 'already accepted' } });
    expect(sent).toHaveLength(1);
  });

  test.each<[string, Readonly<Record<string, unknown>>, readonly string[]]>([
    ['another workspace', payload({ team: { id: 'T9999999999' } }), []],
    ['a channel that is no target', payload({ channel: { id: 'C9999999999' } }), []],
    ['somebody who is not on the list', payload(), ['U9999999999']],
  ])('a press in %s is refused with 403', async (_name, from, users) => {
    const { handle, sent, nowSeconds } = lab({ users });

    expect((await handle(request(form(from), { at: nowSeconds }))).status).toBe(403);
    expect(sent).toEqual([]);
  });

  test.each([
    ['the App is installed for all of an organisation', { team: null, enterprise: { id: 'E0123456789' } }],
    ['it is installed in a workspace of one', { team: { id: 'T0123456789' }, enterprise: { id: 'E0123456789' } }],
  ])('where %s, its id is known', async (_name, from) => {
    const { handle, sent, nowSeconds } = lab({ team: 'E0123456789' });

    expect((await handle(request(form(payload(from)), { at: nowSeconds }))).status).toBe(200);
    expect(sent).toHaveLength(1);
  });

  const anna = { id: 'U0123456789', username: 'anna' };
  const guest = { ...anna, team_id: 'T8888888888' };
  const workspace = 'T0123456789';
  const organisation = { id: 'E0123456789' };

  test.each<[string, string, Readonly<Record<string, unknown>>]>([
    ['of another workspace', workspace, { user: guest }],
    ['of another workspace of the organisation', workspace, { user: guest, enterprise: organisation }],
    ['of another organisation', workspace, { user: { ...anna, team_id: 'E8888888888' }, enterprise: organisation }],
    ['of another organisation', 'E0123456789', { user: { ...anna, team_id: 'E8888888888' }, enterprise: organisation }],
  ])('[N-18] in a channel that is shared with others, somebody %s presses nothing', async (_who, team, from) => {
    const buttonsOfTheirs = [
      payload(),
      pressed('snooze', '7.12.0a1b2c3d.1800'),
      pressed('recheck', '7'),
      pressed('status', ''),
    ];
    const { handle, sent, nowSeconds } = lab({ team, users: [] });
    const listed = lab({ team, users: ['U0123456789'] });

    for (const button of buttonsOfTheirs)
      for (const at of [handle, listed.handle]) {
        const answer = await answerOf(await at(request(form({ ...button, ...from }), { at: nowSeconds })));
        expect([answer.status, answer.body['reason']]).toEqual([
          403,
          'buttons are not allowed there, or not for this person',
        ]);
      }

    expect([...sent, ...listed.sent]).toEqual([]);
  });

  test.each<[string, string, Readonly<Record<string, unknown>>]>([
    ['of whom Slack does not say it', workspace, { user: anna }],
    ['of whom Slack does not say it', workspace, { user: { ...anna, team_id: null } }],
    [
      'of an Enterprise Grid, by whose id Slack calls it',
      workspace,
      { user: { ...anna, team_id: 'E0123456789' }, enterprise: organisation },
    ],
    [
      'of an organisation that the App is installed for',
      'E0123456789',
      { user: { ...anna, team_id: 'E0123456789' }, team: null, enterprise: organisation, is_enterprise_install: true },
    ],
    [
      'of a workspace of the organisation that the App is installed for',
      'E0123456789',
      { user: guest, team: null, enterprise: organisation, is_enterprise_install: true },
    ],
  ])('[N-18] somebody %s may press', async (_who, team, from) => {
    const { handle, sent, nowSeconds } = lab({ team });

    expect((await handle(request(form(payload(from)), { at: nowSeconds }))).status).toBe(200);
    expect(sent).toHaveLength(1);
  });

  test('people on the list may', async () => {
    const { handle, sent, nowSeconds } = lab({ users: ['U0123456789'] });

    expect((await handle(request(form(), { at: nowSeconds }))).status).toBe(200);
    expect(sent).toHaveLength(1);
  });

  test.each([
    ['a button that opens a page', pressed('status', '')],
    ['a button of somebody else', pressed('delete-cluster', '7.12.0a1b2c3d')],
    ['a snooze for ever', pressed('snooze', '7.12.0a1b2c3d.999999')],
    ['an incident that is no number', pressed('acknowledge', '../7.1')],
  ])('%s asks for nothing', async (_name, from) => {
    const { handle, sent, nowSeconds } = lab();

    expect((await handle(request(form(from), { at: nowSeconds }))).status).toBe(200);
    expect(sent).toEqual([]);
  });

  test.each([
    ['no payload', 'a=b', 400],
    ['no JSON', 'payload=%7B', 400],
    ['another kind of interaction', form(payload({ type: 'view_submission' })), 400],
    ['a person with an id that is none', form(payload({ user: { id: '<!channel>' } })), 400],
    ['a body that is too large', form(payload({ message: 'x'.repeat(300_000) })), 413],
  ])('%s is refused', async (_name, body, status) => {
    const { handle, sent, nowSeconds } = lab();

    expect((await handle(request(body, { at: nowSeconds }))).status).toBe(status);
    expect(sent).toEqual([]);
  });

  test('other methods and other encodings are refused', async () => {
    const { handle, nowSeconds } = lab();

    expect((await handle(new Request('https://poolkeeper.example.com/slack'))).status).toBe(405);
    const json = request(form(), { at: nowSeconds, headers: { 'content-type': 'application/json' } });
    expect((await handle(json)).status).toBe(415);
  });

  test('a queue that does not take it is told, so that the person sees it', async () => {
    const { handle, nowSeconds } = lab({ queueFails: true });

    expect((await handle(request(form(), { at: nowSeconds }))).status).toBe(503);
  });
});

describe('[N-17] a press on Approve', () => {
  const value = '7.prod/worker/rendered-worker-0123456789abcdef0123456789abcdef';
  const stored = (at: ReturnType<typeof lab>) => at.tables.approvals.list('prod', 'worker');
  const by = (user: string, action = 'approve', of = value) =>
    form({ ...pressed(action, of), user: { id: user, username: `größe ${user}` } });

  test('[C-6] is stored in the name of who was logged in, at the time of the signature, and the cluster is looked at', async () => {
    const at = lab();

    const answer = await answerOf(await at.handle(request(by('U0123456789'), { at: at.nowSeconds - 30 })));

    expect(answer.status).toBe(200);
    expect(await stored(at)).toEqual([
      {
        cluster: 'prod',
        pool: 'worker',
        config: 'rendered-worker-0123456789abcdef0123456789abcdef',
        who: 'slack:U0123456789',
        name: 'größe U0123456789',
        verb: 'approve',
        at: new Date((at.nowSeconds - 30) * 1000).toISOString(),
        reason: '',
      },
    ]);
    expect(at.tables.timeline.all().map(({ text }) => text)).toEqual([
      'rendered-worker-0123456789abcdef0123456789abcdef approved by slack:U0123456789 (größe U0123456789)',
    ]);
    expect(at.sent.map(({ data }) => [data.wish, data.number])).toEqual([['recheck', 7]]);
  });

  test('[N-30] counts for the image that its button names, and is handed on, so that a late press is answered', async () => {
    const at = lab();
    const named = `rendered-worker-0123@sha256:${'0b'.repeat(32)}`;

    await at.handle(request(by('U0123456789', 'approve', `7.prod/worker/${named}`), { at: at.nowSeconds }));

    expect(await stored(at)).toMatchObject([{ config: named, verb: 'approve' }]);
    expect(at.sent.map(({ data }) => data.pressed)).toEqual([
      { verb: 'approve', cluster: 'prod', pool: 'worker', config: named },
    ]);
  });

  test('two people who press at once both count, and a replay changes nothing', async () => {
    const at = lab();
    const [anna, bob] = [by('U0123456789'), by('U9876543210')];

    await Promise.all([anna, bob, anna, bob].map((body) => at.handle(request(body, { at: at.nowSeconds }))));

    expect((await stored(at)).map(({ who }) => who).toSorted()).toEqual(['slack:U0123456789', 'slack:U9876543210']);
    expect(at.tables.timeline.all()).toHaveLength(2);
  });

  test('is revoked under every name of the person, and the old press does not bring it back', async () => {
    const at = lab();
    await at.handle(request(by('U0123456789'), { at: at.nowSeconds - 60 }));

    await at.handle(request(by('U0123456789', 'revoke'), { at: at.nowSeconds - 30 }));
    await at.handle(request(by('U0123456789'), { at: at.nowSeconds - 60 }));

    expect((await stored(at)).map(({ who, verb }) => `${verb} ${who}`).toSorted()).toEqual([
      'revoke aws:AIDAANNA12345678',
      'revoke slack:U0123456789',
    ]);
  });

  test('by somebody who is not on the list of the pool is refused, also who may use the other buttons, and told', async () => {
    const at = lab({ users: ['U5555555555'] });

    const answer = await at.handle(request(by('U5555555555'), { at: at.nowSeconds }));

    expect(answer.status).toBe(403);
    expect(await stored(at)).toEqual([]);
    expect(at.sent).toEqual([]);
    expect(at.tables.timeline.all().map(({ text }) => text)).toEqual([
      'approve rendered-worker-0123456789abcdef0123456789abcdef by slack:U5555555555 was refused: not on the list of the pool',
    ]);
  });

  test('needs no entry among those who may use the other buttons', async () => {
    const at = lab({ users: ['U5555555555'] });

    expect((await at.handle(request(by('U0123456789'), { at: at.nowSeconds }))).status).toBe(200);
    expect(await stored(at)).toHaveLength(1);
  });

  test.each([
    ['of another workspace', form(payload({ ...pressed('approve', value), team: { id: 'T9999999999' } }))],
    [
      'by somebody of another workspace',
      form(payload({ ...pressed('approve', value), user: { id: 'U0123456789', team_id: 'T9999999999' } })),
    ],
    ['in a channel that is no target', form(payload({ ...pressed('approve', value), channel: { id: 'C9999999999' } }))],
    ['for a pool that nobody has to approve', by('U0123456789', 'approve', '7.prod/infra/rendered-infra-1')],
    ['for a cluster that is not there', by('U0123456789', 'approve', '7.test/worker/rendered-worker-1')],
  ])('%s is refused with 403 and leaves nothing', async (_, body) => {
    const at = lab();

    expect((await at.handle(request(body, { at: at.nowSeconds }))).status).toBe(403);
    expect([await stored(at), at.tables.timeline.all(), at.sent]).toEqual([[], [], []]);
  });

  test.each([
    ['names no config', '7.prod/worker/'],
    ['names a path', '7.prod/../worker/x'],
    ['is longer than names are', `7.prod/worker/${'x'.repeat(300)}`],
    ['has no incident', 'prod/worker/x'],
  ])('asks for nothing if it %s', async (_, of) => {
    const at = lab();

    expect((await at.handle(request(by('U0123456789', 'approve', of), { at: at.nowSeconds }))).status).toBe(200);
    expect([await stored(at), at.sent]).toEqual([[], []]);
  });

  test('with another secret is refused with 401', async () => {
    const at = lab();

    const answer = await at.handle(request(by('U0123456789'), { at: at.nowSeconds, secret: 'guessed' }));

    expect([answer.status, await stored(at)]).toEqual([401, []]);
  });
});
