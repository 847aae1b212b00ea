import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { AttentionAsked } from '../../../events/index.ts';
import { openSqsOf } from '../../../functions/adapters/aws/sqs.ts';
import { attentionEvent } from '../../../functions/core/requests/attention-event.ts';
import { Misconfigured, Transient } from '../../../functions/core/text/errors.ts';
import { incidentStatuses } from '../../../functions/status/incident-status.ts';
import type { IncidentStatus } from '../../../functions/status/status.ts';
import { ack, recheck, snooze } from '../../../local/cli/attend.ts';
import type { Surroundings } from '../../../local/cli/command.ts';
import { attentionRoute } from '../../../local/run/attention-route.ts';
import { startLocalServer } from '../../../local/run/local-server.ts';
import { anIncident, fakeIds, fakeLogger, fakeMetrics } from '../../fakes/index.ts';
import { startFakeAws } from '../../functions/fake-aws.ts';
import { enterLambda, leaveLambda } from '../../functions/lambda-environment.ts';

const now = new Date('2026-03-02T14:00:00.000Z');
let said = '';
let noted = '';
const surroundings: Surroundings = {
  out: (text) => {
    said += text;
  },
  note: (text) => {
    noted += text;
  },
  environment: { USER: 'anna' },
  now: () => now,
};

afterEach(() => {
  said = '';
  noted = '';
  leaveLambda();
});

/** `npm start`, as far as these commands see it. */
async function here() {
  const asked: AttentionAsked[] = [];
  const attention = {
    send: async (event: AttentionAsked) => {
      asked.push(event);
    },
  };
  const entrance = attentionRoute({ newId: fakeIds(), attention, logger: fakeLogger(), metrics: fakeMetrics() });
  const server = await startLocalServer({ '* /attention': entrance }, 0);
  onTestFinished(() => server.stop());
  return { url: server.url, asked };
}

describe('poolkeeper ack, snooze and recheck', () => {
  test('[S1-13] ask the program on this machine, with a name, a reason and an end', async () => {
    const { url, asked } = await here();

    await ack.run(['PK-7', '--for', '2h', '--reason', 'label comes', '--service', url], surroundings);
    await snooze.run(['pk-8', '--for', '30m', '--reason', 'later', '--service', url, '--by', 'bob'], surroundings);
    await recheck.run(['9', '--service', url], surroundings);

    expect(asked.map(({ data }) => data)).toEqual([
      {
        wish: 'acknowledge',
        number: 7,
        by: 'anna',
        reason: 'label comes',
        forSeconds: 7200,
        askedAt: now.toISOString(),
      },
      { wish: 'snooze', number: 8, by: 'bob', reason: 'later', forSeconds: 1800, askedAt: now.toISOString() },
      { wish: 'recheck', number: 9, by: 'anna', reason: '', forSeconds: 0, askedAt: now.toISOString() },
    ]);
    expect(said).toContain('Requested: acknowledge PK-7.');
  });

  test('ask a deployment by its queue, with the rights of the person on AWS', async () => {
    const aws = await startFakeAws({});
    onTestFinished(() => aws.close());
    enterLambda(aws.env);
    const queue = `${aws.env['AWS_ENDPOINT_URL']}/000000000000/alerts`;

    await ack.run(['PK-7', '--for', '1h', '--reason', 'x', '--queue', queue], surroundings);

    expect(AttentionAsked.parse(JSON.parse(aws.sent.get(queue)?.[0] ?? 'null')).data.number).toBe(7);
  });

  /** `npm start` with these incidents on its status page. */
  async function withIncidents(page: { readonly incidents: readonly object[]; readonly unread: readonly string[] }) {
    const asked: AttentionAsked[] = [];
    const send = async (event: AttentionAsked) => void asked.push(event);
    const ports = { newId: fakeIds(), attention: { send }, logger: fakeLogger(), metrics: fakeMetrics() };
    const status = async () => Response.json(page);
    const server = await startLocalServer({ '* /attention': attentionRoute(ports), 'GET /status': status }, 0);
    onTestFinished(() => server.stop());
    return { url: server.url, asked };
  }

  const iso = '2026-03-02T13:00:00.000Z';

  /** As the status page has it. */
  function listed(name: string | undefined, state: IncidentStatus['state'], resolvedAt?: string): IncidentStatus {
    const [incident] = incidentStatuses([anIncident({})], now);
    if (incident === undefined) throw new Error('no incident is shown');
    return { ...incident, name, state, resolvedAt };
  }

  const commands = { ack, snooze, recheck };
  const wishes = [
    ['ack', ['--for', '1h', '--reason', 'x']],
    ['snooze', ['--for', '1h', '--reason', 'x']],
    ['recheck', []],
  ] as const;

  /** Whatever the status page may say of PK-7: its own state, how many others it lists, whether it could read them. */
  const pages = (['firing', 'recovering', 'resolved', 'absent'] as const).flatMap((state) =>
    [0, 3, 100].flatMap((others) => [true, false].map((isRead) => ({ state, others, isRead }))),
  );

  function expected({ state, others, isRead }: (typeof pages)[number]) {
    const isKnown = isRead && (state !== 'absent' || others < 100);
    const requested = { exit: 0, asked: 1, isDoubted: !isKnown, noted: '' };
    if (!isKnown || state === 'firing' || state === 'recovering') return requested;
    const why = state === 'resolved' ? `is over since ${iso}` : 'does not exist, or is over';
    return { exit: 1, asked: 0, isDoubted: false, noted: `poolkeeper: PK-7 ${why}; nothing was requested` };
  }

  test.each(wishes.flatMap(([command, more]) => pages.map((page) => ({ command, more, page }))))(
    '[N-29] $command asks for an incident only where there is one that is not over: $page',
    async ({ command, more, page }) => {
      const { state, others, isRead } = page;
      const rest = Array.from({ length: others }, (_, index) => listed(`PK-${index + 100}`, 'firing'));
      const own = state === 'absent' ? [] : [listed('PK-7', state, state === 'resolved' ? iso : undefined)];
      const { url, asked } = await withIncidents({ incidents: [...own, ...rest], unread: isRead ? [] : ['incidents'] });

      const exit = await commands[command].run(['PK-7', ...more, '--service', url], surroundings);

      const isDoubted = said.includes('is not known');
      expect({ exit, asked: asked.length, isDoubted, noted }).toEqual(expected(page));
    },
  );

  test('[N-29] over a queue it is said that nobody can know, unless the status page is named', async () => {
    const aws = await startFakeAws({});
    onTestFinished(() => aws.close());
    enterLambda(aws.env);
    const queue = `${aws.env['AWS_ENDPOINT_URL']}/000000000000/alerts`;
    const { url } = await withIncidents({ incidents: [], unread: [] });

    const blind = await recheck.run(['PK-7', '--queue', queue], surroundings);
    const sent = aws.sent.get(queue)?.length;
    const seeing = await recheck.run(['PK-7', '--queue', queue, '--status', url], surroundings);

    expect([blind, sent, seeing, aws.sent.get(queue)?.length]).toEqual([0, 1, 1, 1]);
    expect(said).toContain('is not known: a queue answers nothing');
  });

  test.each([
    ['no incident', ['--for', '1h', '--reason', 'x']],
    ['two incidents', ['PK-1', 'PK-2', '--for', '1h', '--reason', 'x']],
    ['something else than an incident', ['worker', '--for', '1h', '--reason', 'x']],
    ['no end', ['PK-1', '--reason', 'x']],
    ['an end that is too far away', ['PK-1', '--for', '73h', '--reason', 'x']],
    ['no reason', ['PK-1', '--for', '1h', '--reason', ' ']],
    ['an unknown flag', ['PK-1', '--for', '1h', '--reason', 'x', '--force']],
  ])('%s is refused before anything is asked', async (_name, args) => {
    await expect(ack.run(args, surroundings)).rejects.toBeInstanceOf(Misconfigured);
  });

  test('nobody there is said in words', async () => {
    const { url } = await here();
    const elsewhere = url.replace(/\d+$/, '9');

    await expect(recheck.run(['PK-1', '--service', elsewhere], surroundings)).rejects.toBeInstanceOf(Transient);
  });

  test('a page in a browser cannot ask: it may not send JSON to another address, and forms are refused', async () => {
    const { url, asked } = await here();

    const form = await fetch(`${url}/attention`, { method: 'POST', body: new URLSearchParams({ wish: 'snooze' }) });
    const preflight = await fetch(`${url}/attention`, { method: 'OPTIONS' });

    expect([form.status, preflight.status]).toEqual([415, 405]);
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
    expect(asked).toEqual([]);
  });

  test('[N-29] nobody freezes there under the name of somebody who may: that is what Slack signs', async () => {
    const { url, asked } = await here();
    await recheck.run(['PK-7', '--service', url], surroundings);
    const [wish] = asked;
    const answer = { channel: 'C1', user: 'U1' };
    const event = attentionEvent(
      { kind: 'freeze-here', incident: 7, reason: '', forSeconds: 86_400, scope: 'cluster' },
      { id: 'made-up', source: '/poolkeeper/receive-slack', by: 'anna', answer },
      now,
    );

    const refused = await fetch(`${url}/attention`, {
      method: 'POST',
      body: JSON.stringify(event),
      headers: { 'content-type': 'application/json' },
    });

    expect(refused.status).toBe(403);
    expect(asked).toEqual([wish]);
  });
});

test.each([
  ['https://sqs.eu-central-1.amazonaws.com/111122223333/alerts', 'eu-central-1'],
  ['https://sqs.cn-north-1.amazonaws.com.cn/111122223333/alerts', 'cn-north-1'],
  ['http://127.0.0.1:4566/111122223333/alerts', 'us-east-1'],
])('queue %s is asked in region %s', async (queue, region) => {
  enterLambda({ AWS_REGION: 'us-east-1' });
  const client = openSqsOf(queue);
  onTestFinished(() => client.destroy());

  expect(await client.config.region()).toBe(region);
});
