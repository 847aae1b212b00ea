import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { messengersFor } from '../../../../functions/adapters/messengers/messenger-for.ts';
import { systemRuntime } from '../../../../functions/adapters/time/system-runtime.ts';
import type { Incident, Occasion } from '../../../../functions/core/alerts/incident.ts';
import { render } from '../../../../functions/core/alerts/message/render.ts';
import type { OutgoingMessage } from '../../../../functions/core/alerts/outgoing.ts';
import type { AlertTarget } from '../../../../functions/core/configuration/alerts.ts';
import { Transient } from '../../../../functions/core/text/errors.ts';
import type { Secrets } from '../../../../functions/ports/secrets.ts';
import { firing, sampleNow } from '../../core/alerts/samples.ts';
import { type StubReply, startStub } from '../stub-server.ts';

const filter = { clusters: [], pools: [], severities: [], causes: [] };
const secrets: Secrets = { read: async (name) => [`${name}-new`, `${name}-old`] };
const parts = { ...systemRuntime, secrets, clock: () => sampleNow };

type Kind = 'pagerduty' | 'alertmanager' | 'webhook';
const kinds: readonly Kind[] = ['pagerduty', 'alertmanager', 'webhook'];

function targetAt(kind: Kind, url: string): AlertTarget {
  switch (kind) {
    case 'pagerduty':
      return { kind, name: 'pd', routingKeySecret: 'key', eventsUrl: url, filter };
    case 'alertmanager':
      return { kind, name: 'am', url, bearerSecret: 'token', filter };
    case 'webhook':
      return { kind, name: 'hook', url, bearerSecret: 'token', signingSecret: 'sign', filter };
  }
}

function messageFor(target: AlertTarget, incident: Incident = firing, occasion: Occasion = 'opened'): OutgoingMessage {
  const message = render({
    incident,
    target,
    part: 'edit',
    occasion,
    notes: incident.notes,
    form: 'full',
    deliveryId: 'd1',
    now: sampleNow,
    statusUrl: undefined,
    product: 'poolkeeper test',
    continued: false,
    mayRepeat: false,
  });
  if (message === undefined) throw new Error('nothing was rendered');
  return message;
}

async function send(kind: Kind, reply: (nth: number) => StubReply, incident?: Incident, occasion?: Occasion) {
  const stub = await startStub((_request, nth) => reply(nth));
  const target = targetAt(kind, stub.url);
  const outcome = await messengersFor(parts)(target).post(messageFor(target, incident, occasion));
  return { outcome, seen: stub.seen };
}

const over: Incident = { ...firing, state: 'ok', resolvedAt: sampleNow.toISOString(), outcome: 'fixed' };

describe.each(kinds)('[N-18] what an answer means for a message to %s', (kind) => {
  test.each([
    ['202', { status: 202 }, { kind: 'sent' }],
    [
      '429 with Retry-After',
      { status: 429, headers: { 'retry-after': '17' } },
      { kind: 'not-sent', retryAfterSeconds: 17 },
    ],
    ['429 without it', { status: 429 }, { kind: 'not-sent', retryAfterSeconds: 30 }],
    ['500', { status: 500 }, { kind: 'unknown' }],
    ['a cut connection', 'cut', { kind: 'unknown' }],
    ['403', { status: 403 }, { kind: 'dead' }],
    [
      'a redirect, which is not followed',
      { status: 302, headers: { location: 'http://127.0.0.1:1/' } },
      { kind: 'dead' },
    ],
  ] satisfies [string, StubReply, object][])('%s', async (_name, reply, expected) => {
    const { outcome } = await send(kind, () => reply);

    expect(outcome).toMatchObject(expected);
  });

  test('nobody listens', async () => {
    const target = targetAt(kind, 'https://nowhere.invalid/');

    expect(await messengersFor(parts)(target).post(messageFor(target))).toMatchObject({ kind: 'not-sent' });
  });

  test('a secret that cannot be read now is no refusal', async () => {
    const target = targetAt(kind, 'https://nowhere.invalid/');
    const blind: Secrets = {
      read: async () => {
        throw new Transient('no answer');
      },
    };

    const outcome = await messengersFor({ ...parts, secrets: blind })(target).post(messageFor(target));

    expect(outcome).toMatchObject({ kind: 'not-sent' });
    expect(JSON.stringify(outcome)).not.toContain('-new');
  });

  test('an address that gives out credentials is never called', async () => {
    const target = targetAt(kind, 'http://169.254.169.254/latest');

    expect(await messengersFor(parts)(target).post(messageFor(target))).toMatchObject({ kind: 'dead' });
  });
});

describe('PagerDuty', () => {
  test('[C-6] is triggered under the key of the alert, acknowledged when somebody takes it, resolved at its end', async () => {
    const taken: Incident = {
      ...firing,
      attention: {
        kind: 'acknowledged',
        by: 'anna',
        reason: '',
        at: sampleNow.toISOString(),
        until: '2026-03-02T18:00:00.000Z',
        severity: 'high',
        digest: firing.trouble?.digest ?? '',
        warned: false,
      },
    };

    const news = [{ seq: 2, at: sampleNow.toISOString(), kind: 'attended' as const, text: 'taken' }];
    const worse = [{ seq: 2, at: sampleNow.toISOString(), kind: 'escalated' as const, text: 'worse' }, ...news];

    const sent = [
      await send('pagerduty', () => ({ status: 202 })),
      await send('pagerduty', () => ({ status: 202 }), taken, 'reopened'),
      await send('pagerduty', () => ({ status: 202 }), { ...taken, notes: news }, 'attended'),
      // Escalated, and then taken, before PagerDuty heard of either.
      await send('pagerduty', () => ({ status: 202 }), { ...taken, notes: worse }, 'escalated'),
      await send('pagerduty', () => ({ status: 202 }), over, 'resolved'),
    ];

    const all = sent.flatMap(({ seen }) => seen.map(({ body }) => JSON.parse(body)));
    const bodies = all.filter(({ routing_key }) => routing_key === 'key-new');
    expect(bodies.map(({ event_action }) => event_action)).toEqual([
      'trigger',
      'trigger',
      'acknowledge',
      'trigger',
      'acknowledge',
      'resolve',
    ]);
    expect(new Set(bodies.map(({ dedup_key }) => dedup_key)).size).toBe(1);
    expect(bodies[0]).toMatchObject({
      routing_key: 'key-new',
      dedup_key: 'poolkeeper|v1|prod-eu-1|worker-gpu|drain-blocked',
      payload: {
        source: 'prod-eu-1',
        severity: 'error',
        class: 'drain-blocked',
        custom_details: { incident: 'PK-1423', delivery: 'd1' },
      },
    });
    expect(bodies[0].payload.summary).toContain('drain of worker-2 blocked by PDB shop/web');
  });

  test.each([
    ['both keys are of an integration', [202, 202], 'sent'],
    ['the earlier key is revoked', [202, 400], 'sent'],
    ['the new one is not known yet', [400, 202], 'sent'],
    ['one of two services asks to wait', [202, 429], 'unknown'],
    ['neither is known', [400, 400], 'dead'],
  ])('[C-6] [C-13] an end reaches the alert under whichever live key it rang, where %s', async (_, statuses, kind) => {
    const { outcome, seen } = await send(
      'pagerduty',
      (nth) => ({ status: statuses[nth - 1] ?? 500 }),
      over,
      'resolved',
    );

    expect(outcome.kind).toBe(kind);
    const bodies = seen.map(({ body }) => JSON.parse(body));
    expect(bodies.map(({ routing_key, event_action }) => [routing_key, event_action])).toEqual([
      ['key-new', 'resolve'],
      ['key-old', 'resolve'],
    ]);
    expect(new Set(bodies.map(({ dedup_key }) => dedup_key)).size).toBe(1);
  });

  test('[C-13] during a rotation the other live key is tried', async () => {
    const { outcome, seen } = await send('pagerduty', (nth) => ({ status: nth === 1 ? 400 : 202 }));

    expect(outcome.kind).toBe('sent');
    expect(seen.map(({ body }) => JSON.parse(body).routing_key)).toEqual(['key-new', 'key-old']);
  });
});

describe('Alertmanager', () => {
  test('an open alert ends in a quarter of an hour and is told again before, a resolved one has ended', async () => {
    const open = await send('alertmanager', () => ({ status: 200 }));
    const ended = await send('alertmanager', () => ({ status: 200 }), over, 'resolved');

    const [alert] = JSON.parse(open.seen[0]?.body ?? '');
    expect(open.seen[0]).toMatchObject({ path: '/api/v2/alerts', headers: { authorization: 'Bearer token-new' } });
    expect(alert).toMatchObject({
      labels: {
        alertname: 'PoolkeeperDrainBlocked',
        cluster: 'prod-eu-1',
        pool: 'worker-gpu',
        kind: 'drain-blocked',
        severity: 'high',
      },
      endsAt: '2026-03-02T14:17:30.000Z',
    });
    expect(open.outcome).toMatchObject({ kind: 'sent', repeatAfterSeconds: 240 });
    expect(JSON.parse(ended.seen[0]?.body ?? '')[0].endsAt).toBe(over.resolvedAt);
    expect(ended.outcome).toMatchObject({ kind: 'sent', repeatAfterSeconds: undefined });
  });

  test('another severity is another alert, so the one before ends', async () => {
    const stub = await startStub(() => ({ status: 200 }));
    const target = targetAt('alertmanager', stub.url);

    await messengersFor(parts)(target).edit({ channel: 'alertmanager', id: 'warning' }, messageFor(target));

    const alerts = JSON.parse(stub.seen[0]?.body ?? '');
    expect(alerts.map(({ labels }: { labels: { severity: string } }) => labels.severity)).toEqual(['warning', 'high']);
    expect(Date.parse(alerts[0].endsAt)).toBeLessThanOrEqual(sampleNow.getTime());
  });
});

describe('a webhook', () => {
  test('gets one CloudEvent with the whole truth of now, signed over its bytes', async () => {
    const { seen } = await send('webhook', () => ({ status: 204 }));

    const [request] = seen;
    const body = request?.body ?? '';
    expect(request?.headers).toMatchObject({
      'content-type': 'application/cloudevents+json; charset=utf-8',
      authorization: 'Bearer token-new',
      'x-poolkeeper-signature-256': `sha256=${createHmac('sha256', 'sign-new').update(body).digest('hex')}`,
    });
    expect(JSON.parse(body)).toMatchObject({
      specversion: '1.0',
      type: 'poolkeeper.incident.notified.v1',
      id: 'd1',
      subject: 'prod-eu-1/worker-gpu',
      data: { name: 'PK-1423', state: 'firing', occasion: 'opened', severity: 'high' },
    });
  });
});
