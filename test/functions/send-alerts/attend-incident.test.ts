import { afterEach, describe, expect, test } from 'vitest';
import { type AttentionAsked, cloudEvent, type WorkEvent } from '../../../events/index.ts';
import { episodeOf, readButton } from '../../../functions/core/alerts/slack-buttons.ts';
import type { AlertTarget } from '../../../functions/core/configuration/alerts.ts';
import { defaultPolicy } from '../../../functions/core/configuration/policy.ts';
import type { ClusterView } from '../../../functions/core/timeline/view.ts';
import { workOff } from '../../../functions/send-alerts/work-off.ts';
import { aGateView, anIncident, aPoolView, aView } from '../../fakes/index.ts';
import type { SlackMessage } from '../../fakes/slack-server.ts';
import { wordsOf } from '../adapters/messengers/slack-words.ts';
import { drainBlocked } from '../core/alerts/samples.ts';
import { mailTarget, openSendLab, type SendLab, slackTarget } from './send-alerts-lab.ts';

const key = drainBlocked.key;
let opened: SendLab | undefined;

afterEach(async () => {
  await opened?.close();
  opened = undefined;
});

/** An incident that Slack and mail have been told of, and what a person then asks of it. */
async function told(
  targets: readonly AlertTarget[] = [slackTarget, mailTarget],
  mayFreeze: readonly string[] = [],
  readers: readonly AlertTarget[] = targets,
  cluster = key.cluster,
) {
  const lab = await openSendLab({ targets });
  opened = lab;
  lab.clock.set('2026-03-02T14:01:40Z');
  await lab.see({ kind: 'true', trouble: drainBlocked });
  await lab.send(key);
  const { number } = await lab.incident(key);
  const ticks: WorkEvent[] = [];
  const ports = {
    ...lab.ports,
    configuration: {
      ...lab.ports.configuration,
      clusters: [
        {
          name: cluster,
          api: { server: 'https://127.0.0.1:6443', ca: undefined, tokenSecret: 'prod', skipTLSVerify: false },
          policy: defaultPolicy,
          pools: {},
        },
      ],
      alerts: {
        ...lab.ports.configuration.alerts,
        targets: readers,
        slackButtons: {
          signingSecret: 's',
          team: 'T0123456',
          users: [],
          mayFreeze,
          mayResume: [],
          maySteer: [],
          acknowledgeForSeconds: 14_400,
        },
      },
    },
    approvals: lab.tables.approvals,
    askedRequests: lab.tables.askedRequests,
    views: lab.tables.views,
    timeline: lab.tables.timeline,
    work: {
      send: async (event: WorkEvent) => {
        ticks.push(event);
      },
    },
  };
  const ask = (change: Partial<AttentionAsked['data']> = {}) =>
    workOff(asked({ number, ...change }, lab.clock.now()), ports);
  return { lab, ask, ticks };
}

function heads({ slack }: SendLab): readonly SlackMessage[] {
  return slack.messages.filter(({ thread }) => thread === undefined);
}

function never(): never {
  throw new Error('there is none');
}

/** What the Acknowledge button of the newest message says. */
function seenBelow(lab: SendLab): Pick<AttentionAsked['data'], 'seenSeq' | 'episode'> {
  const value = /"action_id":"acknowledge","value":"([^"]+)"/.exec(JSON.stringify(heads(lab).at(-1)?.blocks))?.[1];
  const { seenSeq, episode } = readButton('acknowledge', value) ?? never();
  return { seenSeq, episode };
}

function asked(change: Partial<AttentionAsked['data']>, now: Date): AttentionAsked {
  return cloudEvent({
    type: 'poolkeeper.attention.asked.v1',
    id: 'slack/1',
    source: '/poolkeeper/receive-slack',
    subject: 'PK-1',
    time: now,
    correlation: 'PK-1',
    data: {
      wish: 'acknowledge',
      number: 1,
      by: 'anna',
      reason: 'labels come',
      forSeconds: 7200,
      askedAt: now.toISOString(),
      answer: { channel: 'C1', user: 'U1' },
      ...change,
    },
  });
}

describe('what a person asks of an incident', () => {
  test('[C-6] [C-13] [N-29] below a message that takes no edits, a press after a change has the current state posted, once', async () => {
    const { lab, ask } = await told([slackTarget]);
    const refused = { kind: 'error', error: 'edit_window_closed' } as const;
    lab.slack.failNext('chat.update', ...Array.from({ length: 500 }, () => refused));
    const shown = await lab.incident(key);
    const seenBefore = { seenSeq: shown.seq, episode: episodeOf(shown) };
    lab.clock.advance(300);
    const changed = { ...drainBlocked, digest: 'worker-3:P3:PodDisruptionBudget shop/web;high' };
    await lab.see({ kind: 'true', trouble: { ...changed, headline: 'drain of worker-3 blocked' } });
    await lab.send(key);
    expect(heads(lab)).toHaveLength(1);

    await ask(seenBefore);
    await ask({ ...seenBefore, by: 'bob' });
    expect(heads(lab)).toHaveLength(2);
    expect(wordsOf(heads(lab).at(-1) ?? never())).toContain('drain of worker-3 blocked');
    expect((await lab.incident(key)).attention).toBeUndefined();

    lab.clock.advance(60);
    await ask(seenBelow(lab));
    expect((await lab.incident(key)).attention?.by).toBe('anna');
  });

  test('[S1-13] an acknowledgement stands in the message and its thread at once, and no mail is sent for it', async () => {
    const { lab, ask, ticks } = await told();
    const mails = lab.mailbox.mails.length;
    lab.clock.advance(60);

    await ask();

    const parent = lab.slack.messages.find(({ thread }) => thread === undefined);
    expect(parent && wordsOf(parent)).toContain('✋ acknowledged by anna until 16:02:40 UTC: labels come');
    const replies = lab.slack.messages.filter(({ thread }) => thread !== undefined).map(wordsOf);
    expect(replies.at(-1)).toContain('Acknowledged by anna until 16:02:40 UTC: labels come');
    expect(lab.mailbox.mails).toHaveLength(mails);
    expect(ticks.map(({ type, data }) => [type, data])).toEqual([
      ['poolkeeper.tick.v1', { cluster: 'prod-eu-1', why: 'person' }],
    ]);
  });

  test('[N-18] the queue may bring it twice', async () => {
    const { lab, ask } = await told();
    const askedAt = lab.clock.now().toISOString();

    await ask({ askedAt });
    const { seq } = await lab.incident(key);
    const count = lab.slack.messages.length;
    await ask({ askedAt });

    expect((await lab.incident(key)).seq).toBe(seq);
    expect(lab.slack.messages).toHaveLength(count);
  });

  test('a re-check looks at the cluster and says nothing to anybody', async () => {
    const { lab, ask, ticks } = await told();
    const { seq } = await lab.incident(key);

    await ask({ wish: 'recheck' });

    expect(ticks).toHaveLength(1);
    expect((await lab.incident(key)).seq).toBe(seq);
  });

  test('a press on a message that is out of date does nothing, and only the person hears why', async () => {
    const { lab, ask, ticks } = await told();
    const { seq } = await lab.incident(key);
    lab.clock.advance(60);
    await lab.see({ kind: 'true', trouble: { ...drainBlocked, digest: 'worker-3:P3:PDB shop/db;high' } });

    await ask({ seenSeq: seq });

    const after = await lab.incident(key);
    expect(after.attention).toBeUndefined();
    expect(ticks).toEqual([]);
    expect(lab.slack.calls.filter(({ method }) => method === 'chat.postEphemeral').map(({ body }) => body)).toEqual([
      {
        channel: 'C1',
        user: 'U1',
        text: 'PK-1: it has changed since that message; check the current state first.',
        blocks: [{ type: 'section', text: expect.objectContaining({ type: 'mrkdwn', verbatim: true }) }],
        link_names: false,
      },
    ]);
  });

  test.each([{ wish: 'acknowledge' }, { wish: 'snooze' }, { wish: 'freeze-here', scope: 'pool' }] as const)(
    '[C-13] [N-29] $wish below a message of another incident of that number does nothing, and says so',
    async (press) => {
      const { lab, ask, ticks } = await told([slackTarget], ['U1']);
      const incident = await lab.incident(key);
      const others = [{ openedAt: '2026-03-01T14:01:40.000Z' }, { key: { ...key, cluster: 'prod-eu-2' } }];

      for (const other of others) await ask({ ...press, seenSeq: 1, episode: episodeOf({ ...incident, ...other }) });

      expect((await lab.incident(key)).attention).toBeUndefined();
      expect(ticks).toEqual([]);
      expect(lab.slack.calls.at(-1)?.body).toMatchObject({
        text: 'PK-1: the message that you pressed is of another incident of that number, and nothing is done.',
      });
    },
  );

  test('[N-29] a name that somebody claims over the queue is no link and no mention in what another is told', async () => {
    const { lab, ask } = await told();
    const askedAt = (seconds: number) => new Date(lab.clock.now().getTime() + seconds * 1000).toISOString();
    const by = '<https://evil.example/login|Slack>: <!channel> *sign in*';
    await ask({ by, forSeconds: 7200, askedAt: askedAt(-1), answer: undefined });

    await ask({ askedAt: askedAt(-10) });

    const words = String(lab.slack.calls.at(-1)?.body['text']);
    expect(words).toContain('evil.example');
    expect(words).toContain('has acknowledged it since');
    expect(words).not.toMatch(/<https|<!channel|\*sign/);
  });

  test('[N-29] a press below its own message counts, also once it has come back', async () => {
    const { lab, ask } = await told();
    const shown = episodeOf(await lab.incident(key));
    await lab.see({ kind: 'false', endedBy: 'web-b became Ready on worker-6.' });
    lab.clock.advance(360);
    await lab.see({ kind: 'false' });
    lab.clock.advance(60);
    await lab.see({ kind: 'true', trouble: drainBlocked });
    const { seq } = await lab.incident(key);

    await ask({ seenSeq: seq, episode: shown });

    expect((await lab.incident(key)).attention).toMatchObject({ kind: 'acknowledged', by: 'anna' });
  });

  test('[N-18] [N-34] an answer for which Slack asks to wait is sent with the next attempt, as what was asked is not done twice', async () => {
    const { lab, ask } = await told([slackTarget], ['U1']);
    const press = { wish: 'freeze-here', scope: 'cluster', forSeconds: 14_400 } as const;
    const askedAt = lab.clock.now().toISOString();
    lab.slack.failNext('chat.postEphemeral', { kind: 'status', status: 429, headers: { 'retry-after': '17' } });

    await expect(ask({ ...press, askedAt })).rejects.toMatchObject({ name: 'Transient', retryAfterSeconds: 17 });
    lab.clock.advance(17);
    await ask({ ...press, askedAt });

    const answers = lab.slack.calls.filter(({ method }) => method === 'chat.postEphemeral');
    expect(answers).toHaveLength(2);
    expect(answers[1]?.body['text']).toContain('is being frozen until');
  });

  test.each([
    { kind: 'status', status: 429 },
    { kind: 'error', error: 'internal_error' },
  ] as const)(
    '[N-18] [N-34] an acknowledgement that is refused is answered with the next attempt, and stays refused',
    async (fault) => {
      const { lab, ask } = await told();
      lab.slack.failNext('chat.postEphemeral', fault);
      const request = { number: 99, askedAt: lab.clock.now().toISOString() };

      await expect(ask(request)).rejects.toMatchObject({ name: 'Transient' });
      lab.clock.advance(30);
      await ask(request);

      expect(lab.slack.calls.at(-1)).toMatchObject({ method: 'chat.postEphemeral' });
      expect((await lab.incident(key)).attention).toBeUndefined();
    },
  );

  test.each([
    ['the person has left the channel', { kind: 'error', error: 'user_not_in_channel' }, 0],
    ['Slack asks to wait for minutes', { kind: 'status', status: 429 }, 120],
  ] as const)('[N-34] an answer that cannot be sent, as %s, is logged', async (_, fault, laterSeconds) => {
    const { lab, ask } = await told();
    const askedAt = lab.clock.now().toISOString();
    lab.clock.advance(laterSeconds);
    lab.slack.failNext('chat.postEphemeral', fault);

    await ask({ number: 99, askedAt });

    expect(lab.logger.lines.map(({ message }) => message)).toContain('answer did not reach the person who asked');
  });

  test('an incident that never was is answered, not invented', async () => {
    const { lab, ask, ticks } = await told();

    await ask({ number: 99 });

    expect(ticks).toEqual([]);
    expect(lab.slack.calls.at(-1)).toMatchObject({ method: 'chat.postEphemeral' });
    expect(await lab.tables.incidents.list()).toHaveLength(1);
  });

  test('somebody who asks by the command line is not in Slack, and nothing is sent there', async () => {
    const { lab, ask } = await told();
    const calls = lab.slack.calls.length;

    await ask({ number: 99, answer: undefined });

    expect(lab.slack.calls).toHaveLength(calls);
  });
});

describe('[N-17] [N-30] a press on a button of an approval', () => {
  const first = `rendered-worker-gpu-5f3c@sha256:${'a'.repeat(64)}`;
  const second = `rendered-worker-gpu-5f3c@sha256:${'b'.repeat(64)}`;

  async function toldOf(
    asksApproval: string | undefined,
    verb: 'approve' | 'revoke',
    config: string,
    view?: ClusterView,
  ) {
    const { lab, ask, ticks } = await told();
    if (view !== undefined) await lab.tables.views.save(view);
    const stored = await lab.incident(key);
    if (stored.trouble === undefined) throw new Error('nothing is told');
    await lab.tables.incidents.save({ ...stored, trouble: { ...stored.trouble, asksApproval } });
    const calls = lab.slack.calls.length;
    await ask({ wish: 'recheck', pressed: { verb, config } });
    expect(ticks).toHaveLength(1);
    return lab.slack.calls.slice(calls).map(({ body }) => JSON.stringify(body));
  }

  test.each([
    [
      'approve',
      `PK-1: you approved ${first}, but what waits now is ${second}: use the buttons of the message of PK-1 as it is`,
    ],
    ['revoke', `PK-1: you took back your approval of ${first}, but what waits now is ${second}: use the buttons`],
  ] as const)('%s, of a former image of the same config, is answered with what waits now', async (verb, words) => {
    expect(await toldOf(second, verb, first)).toEqual([expect.stringContaining(words)]);
  });

  test('of a former config is answered likewise', async () => {
    expect(await toldOf('rendered-worker-gpu-9a8b', 'approve', 'rendered-worker-gpu-5f3c')).toEqual([
      expect.stringContaining('you approved rendered-worker-gpu-5f3c, but what waits now is rendered-worker-gpu-9a8b'),
    ]);
  });

  test('where nothing is asked any more is answered so', async () => {
    expect(await toldOf(undefined, 'approve', first)).toEqual([
      expect.stringContaining(`you approved ${first}, but that waits no longer.`),
    ]);
  });

  test.each([
    ['waits again under another number', { trouble: { ...drainBlocked, asksApproval: first } }, []],
    [
      'no longer waits, as another does under another number',
      { trouble: { ...drainBlocked, asksApproval: second } },
      [
        `PK-1: you approved ${first}, but what waits now is ${second}: use the buttons of the message of PK-9 as it is now.`,
      ],
    ],
    [
      'no longer waits, as another does that the channel hears nothing of',
      { trouble: { ...drainBlocked, severity: 'info', asksApproval: second } },
      [`PK-1: you approved ${first}, but that waits no longer.`],
    ],
    ['has no incident any more', undefined, [`PK-1: you approved ${first}, but that waits no longer.`]],
  ] as const)('of what %s is told to be what it is: stored', async (_, row, words) => {
    const narrow = { ...slackTarget, filter: { ...slackTarget.filter, severities: [drainBlocked.severity] } };
    const { lab, ask, ticks } = await told([narrow]);
    const place = { cluster: key.cluster, pool: 'worker' };
    const waiting = { ...place, kind: 'approval-needed' } as const;
    if (row !== undefined) await lab.tables.incidents.save(anIncident({ ...row, key: waiting, number: 9 }));
    const calls = lab.slack.calls.length;

    await ask({ number: 1, wish: 'recheck', pressed: { verb: 'approve', ...place, config: first } });

    expect(lab.slack.calls.slice(calls).map(({ body }) => body['text'])).toEqual(words);
    expect(ticks.map(({ data }) => data)).toMatchObject([{ cluster: key.cluster }]);
  });

  test('of what waits now needs no answer', async () => {
    expect(await toldOf(second, 'approve', second)).toEqual([]);
  });

  test.each([
    ['approve', 'U1', 1],
    ['approve', 'U2', 0],
    ['revoke', 'U1', 0],
  ] as const)(
    '[N-29] %s of what waits now, pushed by %s, is answered if it does not count',
    async (verb, user, count) => {
      const gate = aGateView({ gate: 'approval', approves: second, excludes: [`slack:${user} github:anna`] });

      const answers = await toldOf(
        second,
        verb,
        second,
        aView({ cluster: key.cluster, pools: [aPoolView({ closedGates: [gate] })] }),
      );

      expect(answers).toEqual(
        Array.from({ length: count }, () =>
          expect.stringContaining(`PK-1: your approval of ${second} does not count: you pushed it`),
        ),
      );
    },
  );
});

describe('[S2-10] [N-29] a choice in the menu of a sequence', () => {
  test.each([
    ['earlier-version', 'its message is of an earlier version of Poolkeeper'],
    ['no-incident', 'there is no such incident. Nothing is asked of sequence virt.'],
    ['other-episode', 'another incident of that number, and nothing is done. Nothing is asked of sequence virt.'],
    ['unheard', 'ask where they do. Nothing is asked of sequence virt.'],
    ['resolved', 'PK-1: it is resolved. Nothing is asked of sequence virt.'],
  ] as const)('that was refused (%s) is told to be refused, whatever is there by now', async (refused, words) => {
    const { lab, ask, ticks } = await told();

    await ask({ wish: 'recheck', steered: { sequence: 'virt', cluster: key.cluster, refused } });

    expect(ticks).toEqual([]);
    expect(lab.slack.calls.at(-1)?.body['text']).toContain(words);
  });

  test('that is stored is told to nobody as refused, whatever is there by now', async () => {
    const { lab, ask, ticks } = await told();
    const calls = lab.slack.calls.length;

    await ask({ number: 99, wish: 'recheck', steered: { sequence: 'virt', cluster: key.cluster } });

    expect(lab.slack.calls).toHaveLength(calls);
    expect(ticks.map(({ data }) => data)).toMatchObject([{ cluster: key.cluster }]);
  });
});

describe('[N-30] what a channel does not hear of', () => {
  const narrow = (filter: Partial<AlertTarget['filter']>): AlertTarget => ({
    ...slackTarget,
    filter: { ...slackTarget.filter, ...filter },
  });
  const { clusters, pools, severities } = slackTarget.filter;
  const whole = { ...slackTarget, name: 'all', channel: 'C2', filter: { clusters, pools, severities, causes: [] } };

  test.each([
    ['of another cluster', { clusters: ['elsewhere'] }],
    ['of another pool', { pools: ['infra'] }],
    ['of another severity', { severities: ['info'] as const }],
    ['of another cause', { causes: ['S1'] }],
  ])('an incident %s is neither acknowledged, snoozed, looked at nor frozen from there', async (_, filter) => {
    const { lab, ask, ticks } = await told([narrow(filter), whole, mailTarget], ['U1']);

    for (const wish of ['acknowledge', 'snooze', 'recheck', 'freeze-here'] as const) await ask({ wish, scope: 'pool' });

    expect((await lab.incident(key)).attention).toBeUndefined();
    expect(ticks).toEqual([]);
    const answers = lab.slack.calls.filter(({ method }) => method === 'chat.postEphemeral');
    expect(new Set(answers.map(({ body }) => body['text']))).toEqual(
      new Set(['PK-1: its messages do not come to this channel; ask where they do.']),
    );
    expect(answers).toHaveLength(4);
  });

  test('one that the channel was told of before its filter left it out is still acknowledged there', async () => {
    const { lab, ask } = await told([slackTarget], [], [narrow({ severities: ['info'] })]);

    await ask();

    expect((await lab.incident(key)).attention?.by).toBe('anna');
  });

  test('a cluster of which the channel hears of some pools only is not frozen whole from there', async () => {
    const { lab, ask, ticks } = await told([narrow({ pools: [key.pool] })], ['U1']);

    await ask({ wish: 'freeze-here', scope: 'cluster' });
    const ofCluster = ticks.length;
    await ask({ wish: 'freeze-here', scope: 'pool' });

    expect([ofCluster, ticks.length]).toEqual([0, 1]);
    expect(lab.slack.calls.map(({ body }) => body['text'])).toContain(
      'PK-1: messages about all pools of prod-eu-1 do not come to this channel.',
    );
  });
});

describe('a freeze that a person asks for below an incident', () => {
  test.each([
    ['pool', drainBlocked.key.pool],
    ['cluster', '*'],
  ] as const)(
    '[N-21] of the %s is handed to keep-pools with person, reason and end, and answered to the person',
    async (scope, pool) => {
      const { lab, ask, ticks } = await told(undefined, ['U1']);
      const at = lab.clock.now();
      lab.clock.advance(60);

      await ask({ wish: 'freeze-here', scope, forSeconds: 14_400, askedAt: at.toISOString() });

      const { number } = await lab.incident(key);
      expect(ticks.map(({ type, data }) => [type, data])).toEqual([
        [
          'poolkeeper.freeze.asked.v1',
          {
            cluster: 'prod-eu-1',
            pool,
            who: 'anna (Slack U1)',
            why: `from the message of PK-${number}`,
            askedAt: at.toISOString(),
            until: new Date(at.getTime() + 14_400_000).toISOString(),
          },
        ],
      ]);
    },
  );

  test('[N-21] below an incident that is not there freezes nothing', async () => {
    const { ask, ticks } = await told(undefined, ['U1']);

    await ask({ wish: 'freeze-here', scope: 'cluster', number: 999 });

    expect(ticks).toEqual([]);
  });

  test('[N-21] of the pool of an incident that is of no one pool freezes nothing, and the person is told', async () => {
    const { lab, ask, ticks } = await told(undefined, ['U1']);
    const blind = { ...key, pool: '*' };
    await lab.see({ kind: 'true', trouble: { ...drainBlocked, key: blind } });
    const { number } = await lab.incident(blind);

    await ask({ wish: 'freeze-here', scope: 'pool', number });
    const ofPool = ticks.length;
    await ask({ wish: 'freeze-here', scope: 'cluster', number });

    expect([ofPool, ticks.length]).toEqual([0, 1]);
  });

  test.each([
    [
      'a pool that Poolkeeper does not pause',
      'pool',
      [aPoolView({ name: key.pool, managed: false })],
      `Poolkeeper does not pause pool ${key.pool} of prod-eu-1, so it is not frozen`,
    ],
    [
      'a pool that is gone',
      'pool',
      [aPoolView({ name: 'other' })],
      `prod-eu-1 had no pool ${key.pool} when it was last read, so nothing is frozen`,
    ],
    [
      'a cluster that is only observed',
      'cluster',
      [aPoolView({ name: key.pool, managed: false })],
      'Poolkeeper may pause no pool of prod-eu-1, so nothing is frozen',
    ],
    [
      'a pool beyond its certificates',
      'pool',
      [aPoolView({ name: key.pool, certificatesExpire: '2026-03-02T15:00:00.000Z' })],
      `the first certificate of pool ${key.pool} expires 2026-03-02T15:00:00.000Z, before the end of the freeze, so nothing is frozen`,
    ],
    [
      'a cluster beyond the certificates of one pool',
      'cluster',
      [
        aPoolView({ name: 'other', certificatesExpire: '2026-03-02T16:00:00.000Z' }),
        aPoolView({ name: 'observed', managed: false, certificatesExpire: '2026-03-02T15:00:00.000Z' }),
      ],
      'the first certificate of pool other expires 2026-03-02T16:00:00.000Z, before the end of the freeze, so nothing is frozen',
    ],
  ] as const)('[N-21] [N-29] of %s freezes nothing, and nobody is told that it does', async (_, scope, pools, why) => {
    const { lab, ask, ticks } = await told(undefined, ['U1']);
    const readAt = lab.clock.now().toISOString();
    await lab.tables.views.save(aView({ cluster: key.cluster, readAt, pools }));

    await ask({ wish: 'freeze-here', scope, forSeconds: 14_400 });

    const { number } = await lab.incident(key);
    expect(ticks).toEqual([]);
    expect(lab.slack.calls.at(-1)?.body['text']).toBe(`PK-${number}: ${why}.`);
  });

  test('[N-21] [N-29] of a cluster that was taken out of poolkeeper.yaml freezes nothing, and is not told as done', async () => {
    const { lab, ask, ticks } = await told(undefined, ['U1'], undefined, 'another');

    await ask({ wish: 'freeze-here', scope: 'pool', forSeconds: 14_400 });

    const { number } = await lab.incident(key);
    expect(ticks).toEqual([]);
    expect(lab.slack.calls.at(-1)?.body['text']).toBe(
      `PK-${number}: cluster prod-eu-1 is no longer in poolkeeper.yaml, so nothing is frozen.`,
    );
  });

  test('[N-21] [N-29] of a pool for which its view has no room is handed over', async () => {
    const { lab, ask, ticks } = await told(undefined, ['U1']);
    const poolsLeftOut = { all: 1, paused: 0, degraded: 0 };
    const pools = [aPoolView({ name: 'other' })];
    const readAt = lab.clock.now().toISOString();
    await lab.tables.views.save(aView({ cluster: key.cluster, readAt, pools, poolsLeftOut }));

    await ask({ wish: 'freeze-here', scope: 'pool', forSeconds: 14_400 });

    expect(ticks).toHaveLength(1);
  });

  test.each(['pool', 'cluster'] as const)(
    '[N-21] [N-29] of a %s with an open emergency lane is told as what pauses nothing there before the end of the lane',
    async (scope) => {
      const { lab, ask, ticks } = await told(undefined, ['U1']);
      const lane = {
        who: 'ann <!here>',
        why: 'CVE',
        since: '2026-03-02T13:00:00.000Z',
        until: '2026-03-02T22:00:00.000Z',
      };
      const ended = { ...lane, until: '2026-03-02T14:00:00.000Z' };
      const pools = [
        aPoolView({ name: key.pool, emergency: lane }),
        aPoolView({ name: 'observed', managed: false, emergency: lane }),
        aPoolView({ name: 'other', emergency: ended }),
      ];
      await lab.tables.views.save(aView({ cluster: key.cluster, readAt: lab.clock.now().toISOString(), pools }));

      await ask({ wish: 'freeze-here', scope, forSeconds: 14_400 });

      const said = String(lab.slack.calls.at(-1)?.body['text']);
      expect(ticks).toHaveLength(1);
      expect(said).toContain(
        `thaw ends that. Until ${lane.until} it does not pause pool ${key.pool}: the emergency lane of ann &lt;!here&gt; passes freezes, ` +
          `\`poolkeeper emergency --cluster ${key.cluster} --pool ${key.pool} --end\` closes it.`,
      );
      expect(said.match(/emergency lane/g)).toHaveLength(1);
    },
  );

  test('[N-21] [N-29] of a pool that cannot be parsed is refused for that; of its cluster it is told that it is not frozen', async () => {
    const { lab, ask, ticks } = await told(undefined, ['U1']);
    const readAt = lab.clock.now().toISOString();
    const unreadablePools = [{ name: key.pool, since: readAt }];
    const saidNow = () => String(lab.slack.calls.at(-1)?.body['text']);
    await lab.tables.views.save(
      aView({ cluster: key.cluster, readAt, pools: [aPoolView({ name: 'other' })], unreadablePools }),
    );

    await ask({ wish: 'freeze-here', scope: 'pool', forSeconds: 14_400 });
    expect([saidNow(), ticks.length]).toEqual([
      expect.stringContaining(`pool ${key.pool} of ${key.cluster} cannot be parsed, so nothing is frozen.`),
      0,
    ]);

    await ask({ wish: 'freeze-here', scope: 'cluster', forSeconds: 14_400 });
    expect([saidNow(), ticks.length]).toEqual([
      expect.stringContaining(`It does not pause what cannot be parsed, until it can: \`${key.pool}\`.`),
      1,
    ]);

    await lab.tables.views.save(aView({ cluster: key.cluster, readAt, pools: [], unreadablePools }));
    await ask({ wish: 'freeze-here', scope: 'cluster', forSeconds: 14_400 });
    expect([saidNow(), ticks.length]).toEqual([expect.stringContaining('cannot be parsed, so nothing is frozen'), 1]);
  });

  test('[N-21] of a pool that is as its view says is handed over', async () => {
    const { lab, ask, ticks } = await told(undefined, ['U1']);
    const certificatesExpire = '2026-03-03T15:00:00.000Z';
    const pools = [aPoolView({ name: key.pool, certificatesExpire }), aPoolView({ name: 'other', managed: false })];
    await lab.tables.views.save(aView({ cluster: key.cluster, readAt: lab.clock.now().toISOString(), pools }));

    await ask({ wish: 'freeze-here', scope: 'pool', forSeconds: 14_400 });
    await ask({ wish: 'freeze-here', scope: 'cluster', forSeconds: 14_400 });

    expect(ticks.map(({ type }) => type)).toEqual(['poolkeeper.freeze.asked.v1', 'poolkeeper.freeze.asked.v1']);
  });

  test('[N-21] [N-30] lasts no longer than the menu offers, whatever the queue says of the press', async () => {
    const { lab, ask, ticks } = await told(undefined, ['U1']);
    const now = lab.clock.now();

    await ask({ wish: 'freeze-here', scope: 'pool', forSeconds: 999_999_999, askedAt: '2099-01-01T00:00:00Z' });

    const until = new Date(now.getTime() + 24 * 3_600_000).toISOString();
    expect(ticks.map(({ data }) => data)).toMatchObject([{ askedAt: now.toISOString(), until }]);
  });

  test('[N-21] [N-30] of somebody who is not listed, or whom nobody vouches for, freezes nothing', async () => {
    const { ask, ticks } = await told(undefined, ['U2']);
    const unlisted = await told();

    await ask({ wish: 'freeze-here', scope: 'cluster' });
    await ask({ wish: 'freeze-here', scope: 'cluster', answer: undefined });
    await unlisted.ask({ wish: 'freeze-here', scope: 'cluster' });

    expect([...ticks, ...unlisted.ticks]).toEqual([]);
  });
});
