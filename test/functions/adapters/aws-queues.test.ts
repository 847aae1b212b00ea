import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { describe, expect, onTestFinished, test } from 'vitest';
import { cloudEvent, type PublishedEvent } from '../../../events/index.ts';
import { eventBridgeBus, openEventBridge } from '../../../functions/adapters/aws/eventbridge.ts';
import { openSecretsManager, secretsManager } from '../../../functions/adapters/aws/secrets-manager.ts';
import {
  openSqs,
  sqsAlertQueue,
  sqsPreviewQueue,
  sqsRelayQueue,
  sqsWorkQueue,
} from '../../../functions/adapters/aws/sqs.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { fakeClock } from '../../fakes/index.ts';
import { type StubReply, startStub } from './stub-server.ts';

const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };

/** A stand-in for one AWS service in the JSON protocol; `answer` gets the parsed input. */
async function awsStub(answer: (input: Record<string, unknown>, nth: number) => StubReply) {
  const inputs: Record<string, unknown>[] = [];
  const stub = await startStub((request, nth) => {
    const input = JSON.parse(request.body) as Record<string, unknown>;
    inputs.push(input);
    return answer(input, nth);
  });
  return { inputs, config: { endpoint: stub.url, region: 'us-east-1', credentials, maxAttempts: 1 } };
}

function resumed(id: string): PublishedEvent {
  return cloudEvent({
    type: 'poolkeeper.pool.resumed.v1',
    id,
    source: '/poolkeeper/keep-pools',
    subject: 'prod/worker',
    time: new Date('2026-03-02T10:00:00Z'),
    correlation: 'c1',
    data: { cluster: 'prod', pool: 'worker', why: 'the last hold was released' },
  });
}

const tick = cloudEvent({
  type: 'poolkeeper.tick.v1',
  id: 't1',
  source: '/poolkeeper/clock',
  subject: 'prod',
  time: new Date('2026-03-02T10:00:00Z'),
  correlation: 'c1',
  data: { cluster: 'prod', why: 'clock' as const },
});

const due = cloudEvent({
  type: 'poolkeeper.incident.due.v1',
  id: 'd1',
  source: '/poolkeeper/keep-pools',
  subject: 'prod/worker',
  time: new Date('2026-03-02T10:00:00Z'),
  correlation: 'c1',
  data: { cluster: 'prod', pool: 'worker', kind: 'drain-blocked' },
});

describe('queues', () => {
  async function queues(refuse?: StubReply) {
    const { inputs, config } = await awsStub(({ MessageBody }) => {
      const md5 = createHash('md5').update(String(MessageBody)).digest('hex');
      return refuse ?? { body: { MessageId: 'm1', MD5OfMessageBody: md5 } };
    });
    const client = openSqs(config);
    onTestFinished(() => client.destroy());
    return {
      work: sqsWorkQueue({ client, url: 'http://q/work' }),
      alerts: sqsAlertQueue({ client, url: 'http://q/alerts' }),
      relays: sqsRelayQueue({ client, url: 'http://q/relays' }),
      previews: sqsPreviewQueue({ client, url: 'http://q/previews' }),
      inputs,
    };
  }

  test('[N-18] [N-30] a message has no character that SQS refuses, and says the same', async () => {
    const { work, inputs } = await queues();
    const named = { ...tick, subject: 'a\uFFFF.yaml \uFFFE \uFFFD \u{1F600} \\uffff' };

    await work.send(named);

    const body = String(inputs[0]?.['MessageBody']);
    expect(body).not.toMatch(/[\uFFFE\uFFFF]/);
    expect(JSON.parse(body)).toEqual(named);
  });

  test('take each event whole', async () => {
    const { work, alerts, inputs } = await queues();

    await work.send(tick);
    await alerts.send(due);

    expect(inputs.map(({ QueueUrl, MessageBody }) => [QueueUrl, JSON.parse(String(MessageBody))])).toEqual([
      ['http://q/work', tick],
      ['http://q/alerts', due],
    ]);
  });

  test.each([
    [undefined, 0],
    [0, 0],
    [-3, 0],
    [0.2, 1],
    [59.5, 60],
    [900, 900],
    [3600, 900],
  ])('delay by %s seconds as %i', async (delay, sent) => {
    const { work, inputs } = await queues();

    await work.send(tick, delay);

    expect(inputs[0]?.['DelaySeconds']).toBe(sent);
  });

  test("[N-30] are told whose each message is, so that one cluster's or repository's backlog keeps nobody else's waiting", async () => {
    const { work, alerts, relays, previews, inputs } = await queues();
    const own = { specversion: '1.0', id: 'i', source: '/x', time: '2026-03-02T10:00:00Z' } as const;
    const receivedAt = own.time;
    const repository = { htmlUrl: 'https://github.com/acme/config', fullName: 'acme/config', defaultBranch: 'main' };
    const push = {
      delivery: 'd',
      receivedAt,
      repository,
      ref: 'refs/heads/main',
      before: 'a',
      after: 'b',
      pusher: 'p',
    };
    const flags = { created: false, deleted: false, forced: false, files: { kind: 'known' as const, paths: [] } };
    const webhook = {
      ...{ delivery: 'd', receivedAt, event: 'push', awaitsPause: true, body: '' },
      headers: { 'content-type': 'j', 'x-github-event': 'p', 'x-github-delivery': 'd', 'x-hub-signature-256': 's' },
    };

    await work.send({ ...own, type: 'poolkeeper.push.seen.v1', data: { ...push, ...flags } });
    await work.send({
      ...own,
      type: 'poolkeeper.operation.seen.v1',
      data: { argocd: 'hub', namespace: 'team-a', name: 'x', phase: 'Running', startedAt: receivedAt, receivedAt },
    });
    await work.send({
      ...own,
      type: 'poolkeeper.cluster.seen.v1',
      data: { cluster: 'prod eü', kind: 'Node', name: 'n', what: '', receivedAt },
    });
    await work.send(tick);
    await alerts.send(due);
    await previews.send({
      ...own,
      type: 'poolkeeper.pull.seen.v1',
      data: { delivery: 'd', receivedAt, repository, number: 1, action: 'opened', head: 'h', base: 'main' },
    });
    const to = { argocd: 'a'.repeat(200), endpoint: 'applications', round: 1 } as const;
    await relays.send({ ...own, type: 'poolkeeper.webhook.due.v1', data: { ...webhook, to } });
    const pushed = { ...webhook, repository: 'acme/config' };
    await relays.send({ ...own, type: 'poolkeeper.webhook.due.v1', data: pushed });
    await relays.send({
      ...own,
      type: 'poolkeeper.webhook.due.v1',
      data: { ...pushed, to: { ...to, argocd: 'hub' } },
    });

    expect(inputs.map(({ MessageGroupId }) => MessageGroupId)).toEqual([
      'acme/config',
      'hub/team-a',
      'prod-e-',
      'prod',
      'prod',
      'acme/config',
      'a'.repeat(128),
      'acme/config',
      'hub/acme/config',
    ]);
  });

  test('[N-30] let what a person asks for, and what belongs to nobody, wait behind nobody', async () => {
    const { work, inputs } = await queues();
    const { data, ...rest } = tick;
    const nowhere = { kind: 'Node', name: 'n', what: '', receivedAt: rest.time };

    await work.send({ ...rest, data: { ...data, why: 'person' } });
    await work.send({ ...rest, type: 'poolkeeper.cluster.seen.v1', data: { cluster: '', ...nowhere } });

    expect(inputs.map(({ MessageGroupId }) => MessageGroupId)).toEqual([undefined, undefined]);
  });

  test('that refuse are told', async () => {
    const { work } = await queues({
      status: 400,
      body: { __type: 'com.amazonaws.sqs#RequestThrottled', message: 'slow' },
    });

    await expect(work.send(tick)).rejects.toMatchObject({ name: 'Transient', kind: 'busy' });
  });
});

describe('the bus', () => {
  async function busOf(answer: (entries: readonly Record<string, string>[], nth: number) => StubReply) {
    const { inputs, config } = await awsStub(({ Entries }, nth) => answer(Entries as Record<string, string>[], nth));
    const client = openEventBridge(config);
    onTestFinished(() => client.destroy());
    const ids = () =>
      inputs.map(({ Entries }) =>
        (Entries as { Detail: string }[]).map(({ Detail }) => JSON.parse(Detail).id as string),
      );
    return { bus: eventBridgeBus({ client, bus: 'poolkeeper' }), inputs, ids };
  }

  const allTaken = (entries: readonly unknown[]): StubReply => ({
    body: { FailedEntryCount: 0, Entries: entries.map((_, index) => ({ EventId: `e${index}` })) },
  });

  test('takes each event whole, by its type', async () => {
    const { bus, inputs } = await busOf(allTaken);
    const event = resumed('r1');

    await bus.publish([event]);

    const [entry] = inputs.flatMap(({ Entries }) => Entries as Record<string, unknown>[]);
    expect(entry).toMatchObject({
      EventBusName: 'poolkeeper',
      Source: 'poolkeeper',
      DetailType: 'poolkeeper.pool.resumed.v1',
      Resources: ['prod/worker'],
    });
    expect(JSON.parse(String(entry?.['Detail']))).toEqual(event);
  });

  test('takes ten events a call', async () => {
    const { bus, ids } = await busOf(allTaken);
    const events = Array.from({ length: 23 }, (_, index) => resumed(`r${index}`));

    await bus.publish(events);

    expect(ids().map((each) => each.length)).toEqual([10, 10, 3]);
    expect(ids().flat()).toEqual(events.map(({ id }) => id));
  });

  test('[N-30] takes fewer where they are large together, in bytes: one call with too many would be refused whole, in each pass', async () => {
    const refused: StubReply = {
      status: 400,
      body: { __type: 'ValidationException', message: 'Total size too large' },
    };
    const bytes = (entries: readonly unknown[]) => Buffer.byteLength(JSON.stringify(entries));
    const { bus, ids } = await busOf((entries) => (bytes(entries) > 256 * 1024 ? refused : allTaken(entries)));
    const events = Array.from({ length: 12 }, (_, index) => {
      const event = resumed(`r${index}`);
      return { ...event, data: { ...event.data, why: 'ü'.repeat(index === 0 ? 10 : 30_000) } } as PublishedEvent;
    });

    await bus.publish(events);

    expect(ids().map((each) => each.length)).toEqual([5, 4, 3]);
    expect(ids().flat()).toEqual(events.map(({ id }) => id));
  });

  test.each([
    [23, 1],
    [250, 5],
  ])('[N-30] takes %d events of one pass in calls of which so many are under way: %d', async (count, atOnce) => {
    const client = openEventBridge({ region: 'us-east-1', credentials });
    let underWay = 0;
    const seen: number[] = [];
    const ids: string[] = [];
    client.send = async ({ input }: PutEventsCommand) => {
      underWay += 1;
      seen.push(underWay);
      ids.push(...(input.Entries ?? []).map(({ Detail }) => JSON.parse(Detail ?? '').id));
      await setImmediate();
      underWay -= 1;
      return { FailedEntryCount: 0 };
    };
    const events = Array.from({ length: count }, (_, index) => resumed(`r${index}`));

    await eventBridgeBus({ client, bus: 'poolkeeper' }).publish(events);

    expect(Math.max(...seen)).toBe(atOnce);
    expect(ids).toEqual(events.map(({ id }) => id));
  });

  test('is not called for no events', async () => {
    const { bus, inputs } = await busOf(allTaken);

    await bus.publish([]);

    expect(inputs).toEqual([]);
  });

  test('gets those events again that it did not take, and only those', async () => {
    const { bus, ids } = await busOf((entries, nth) =>
      nth > 1
        ? allTaken(entries)
        : {
            body: {
              FailedEntryCount: 1,
              Entries: entries.map((_, index) => (index === 1 ? { ErrorCode: 'InternalFailure' } : { EventId: 'e' })),
            },
          },
    );

    await bus.publish([resumed('a'), resumed('b'), resumed('c')]);

    expect(ids()).toEqual([['a', 'b', 'c'], ['b']]);
  });

  test('that never takes one is told, with the reason', async () => {
    const { bus, ids } = await busOf((entries) => ({
      body: { FailedEntryCount: entries.length, Entries: entries.map(() => ({ ErrorCode: 'ThrottlingException' })) },
    }));

    const failure = await bus.publish([resumed('a')]).catch((cause: unknown) => cause);

    expect(failure).toBeInstanceOf(Transient);
    expect((failure as Transient).message).toBe('EventBridge PutEvents: 1 of 1 refused: ThrottlingException');
    expect(ids()).toHaveLength(3);
  });

  test('that is not allowed to us is told', async () => {
    const { bus } = await busOf(() => ({ status: 400, body: { __type: 'AccessDeniedException', message: 'no' } }));

    await expect(bus.publish([resumed('a')])).rejects.toMatchObject({ name: 'Transient', kind: 'forbidden' });
  });
});

describe('secrets', () => {
  const missing: StubReply = { status: 400, body: { __type: 'ResourceNotFoundException', message: 'not there' } };

  async function secretsOf(values: Record<string, string | undefined>) {
    const { inputs, config } = await awsStub(({ VersionStage }) => {
      const value = values[String(VersionStage)];
      return value === undefined ? missing : { body: { SecretString: value } };
    });
    const client = openSecretsManager(config);
    onTestFinished(() => client.destroy());
    const clock = fakeClock();
    return { secrets: secretsManager({ client, clock: clock.now }), clock, inputs, values };
  }

  test('have two live values during a rotation, the newest first', async () => {
    const { secrets } = await secretsOf({ AWSCURRENT: 'new', AWSPREVIOUS: 'old' });

    expect(await secrets.read('arn')).toEqual(['new', 'old']);
  });

  test('that were never rotated have one', async () => {
    const { secrets } = await secretsOf({ AWSCURRENT: 'only' });

    expect(await secrets.read('arn')).toEqual(['only']);
  });

  test('that were rotated to the same value have one', async () => {
    const { secrets } = await secretsOf({ AWSCURRENT: 'same', AWSPREVIOUS: 'same' });

    expect(await secrets.read('arn')).toEqual(['same']);
  });

  test('are read again after 300 s, and not before', async () => {
    const { secrets, clock, inputs, values } = await secretsOf({ AWSCURRENT: 'one' });
    await secrets.read('arn');
    values['AWSCURRENT'] = 'two';

    clock.advance(299);
    expect(await secrets.read('arn')).toEqual(['one']);
    expect(inputs).toHaveLength(2);
    clock.advance(1);
    expect(await secrets.read('arn')).toEqual(['two']);
  });

  test('are read again at once where a value was refused', async () => {
    const { secrets, values } = await secretsOf({ AWSCURRENT: 'one' });
    await secrets.read('arn');
    values['AWSCURRENT'] = 'two';

    expect(await secrets.read('arn', { fresh: true })).toEqual(['two']);
    expect(await secrets.read('arn')).toEqual(['two']);
  });

  test('[N-27] that cannot be read anew, as for a wrong token, stay known to others, then and meanwhile', async () => {
    const { secrets, clock, values } = await secretsOf({ AWSCURRENT: 'one' });
    await secrets.read('arn');
    values['AWSCURRENT'] = undefined;

    const anew = secrets.read('arn', { fresh: true });
    const meanwhile = secrets.read('arn');

    await expect(anew).rejects.toMatchObject({ name: 'Transient' });
    expect(await meanwhile).toEqual(['one']);
    expect(await secrets.read('arn')).toEqual(['one']);
    clock.advance(300);
    await expect(secrets.read('arn')).rejects.toMatchObject({ name: 'Transient' });
  });

  test('that could not be read are not remembered', async () => {
    const { secrets, values } = await secretsOf({});

    await expect(secrets.read('arn')).rejects.toMatchObject({ name: 'Transient' });
    values['AWSCURRENT'] = 'there';
    expect(await secrets.read('arn')).toEqual(['there']);
  });

  test('are asked for once however many ask at once', async () => {
    const { secrets, inputs } = await secretsOf({ AWSCURRENT: 'one' });

    await Promise.all([secrets.read('arn'), secrets.read('arn'), secrets.read('arn')]);

    expect(inputs).toHaveLength(2);
  });
});
