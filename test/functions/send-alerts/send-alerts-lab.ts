import { cloudEvent, type IncidentDue } from '../../../events/index.ts';
import { httpPost } from '../../../functions/adapters/messengers/http-post.ts';
import { slackMessenger } from '../../../functions/adapters/messengers/slack.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import { evolve, type ObservedTrouble } from '../../../functions/core/alerts/evolve.ts';
import type { Incident } from '../../../functions/core/alerts/incident.ts';
import type { OutgoingMessage } from '../../../functions/core/alerts/outgoing.ts';
import { settle } from '../../../functions/core/alerts/settle.ts';
import { audienceOf } from '../../../functions/core/alerts/targets.ts';
import type { AlertSettings, AlertTarget } from '../../../functions/core/configuration/alerts.ts';
import { type AlertingPolicy, defaultPolicy } from '../../../functions/core/configuration/policy.ts';
import type { TroubleKey } from '../../../functions/core/findings/trouble.ts';
import type { Messenger, SendOutcome } from '../../../functions/ports/messages.ts';
import { sendAlerts } from '../../../functions/send-alerts/send.ts';
import type { SendPorts } from '../../../functions/send-alerts/send-ports.ts';
import { fakeAlertQueue, fakeClock, fakeLogger, fakeMetrics, fakeTables } from '../../fakes/index.ts';
import { type SlackServer, startSlack } from '../../fakes/slack-server.ts';

export const slackTarget: Extract<AlertTarget, { kind: 'slack' }> = {
  kind: 'slack',
  name: 'ops',
  channel: 'C1',
  tokenSecret: 'slack',
  apiUrl: 'set by the lab',
  filter: { clusters: [], pools: [], severities: [], causes: [] },
};

export const mailTarget: Extract<AlertTarget, { kind: 'email' }> = {
  kind: 'email',
  name: 'mail',
  from: 'poolkeeper@example.com',
  to: ['ops@example.com'],
  via: 'smtp',
  filter: { clusters: [], pools: [], severities: [], causes: [] },
};

/** Something that leaves a mark: a process may die before or after each. */
export type Effect = 'save' | 'number' | 'enqueue' | 'post' | 'edit' | 'reply';

/** What a dead process's calls throw. */
class Died extends Error {
  override readonly name = 'Died';
}

export interface Mailbox {
  readonly messenger: Messenger;
  readonly mails: readonly OutgoingMessage[];
  /** The next sends end so; `accepted`: the mail arrives all the same. */
  failNext(outcome: SendOutcome, accepted?: boolean): void;
}

/** A mail server as its sender sees it: nothing can be edited or read back. */
function aMailbox(): Mailbox {
  const mails: OutgoingMessage[] = [];
  const failures: { readonly outcome: SendOutcome; readonly accepted: boolean }[] = [];
  const send = async (message: OutgoingMessage): Promise<SendOutcome> => {
    const failure = failures.shift();
    if (failure === undefined || failure.accepted) mails.push(message);
    return failure?.outcome ?? { kind: 'sent', remote: { channel: 'mail', id: message.deliveryId } };
  };
  return {
    mails,
    messenger: {
      post: send,
      edit: async (remote) => ({ kind: 'sent', remote }),
      reply: (_remote, message) => send(message),
      find: async () => 'unable',
    },
    failNext: (outcome, accepted = false) => failures.push({ outcome, accepted }),
  };
}

export interface SendLab {
  readonly slack: SlackServer;
  readonly mailbox: Mailbox;
  readonly clock: ReturnType<typeof fakeClock>;
  readonly tables: ReturnType<typeof fakeTables>;
  readonly queue: ReturnType<typeof fakeAlertQueue>;
  readonly logger: ReturnType<typeof fakeLogger>;
  readonly metrics: ReturnType<typeof fakeMetrics>;
  readonly ports: SendPorts;
  readonly alerts: AlertSettings;
  /** One pass of the evaluator over one incident. */
  see(observed: ObservedTrouble, of?: TroubleKey): Promise<Incident | undefined>;
  /** Sends for this key; a death on the way is swallowed and the process is back. */
  send(key: TroubleKey): Promise<void>;
  /** What the evaluator does on each tick: asks again for what is owed, and works off what it asked for. */
  sweep(): Promise<void>;
  /** So many ticks, a minute apart. */
  ticks(count: number): Promise<void>;
  /** Ticks a minute apart until nothing is owed any more. */
  settleDown(minutes?: number): Promise<void>;
  /** The process dies before or after the effect of this number, from 0. */
  dieAt(effect: number, when: 'before' | 'after'): void;
  /** Effects of senders so far. */
  readonly effects: readonly Effect[];
  incident(key: TroubleKey): Promise<Incident>;
  close(): Promise<void>;
}

/** Only what is owed counts in a sweep: durations are not refreshed, and no reminders come. */
const policy = { ...defaultPolicy.alerting, editEverySeconds: 1e9, reminderSeconds: { critical: [], other: [] } };

export interface LabOptions {
  readonly targets?: readonly AlertTarget[];
  readonly timeoutMs?: number;
  readonly policy?: Partial<AlertingPolicy>;
  /** Wraps the messenger of each target. */
  readonly wrap?: (messenger: Messenger, target: AlertTarget) => Messenger;
}

export async function openSendLab({
  targets = [slackTarget, mailTarget],
  timeoutMs = 1000,
  policy: ownPolicy = {},
  wrap,
}: LabOptions = {}): Promise<SendLab> {
  const slack = await startSlack();
  const mailbox = aMailbox();
  const clock = fakeClock();
  const tables = fakeTables();
  const queue = fakeAlertQueue(clock.now);
  const logger = fakeLogger();
  const metrics = fakeMetrics();
  const alerts: AlertSettings = { targets, statusUrl: undefined };
  const effects: Effect[] = [];
  let death: { readonly effect: number; readonly when: 'before' | 'after' } | undefined;
  let dead = false;
  let owners = 0;

  async function effect<T>(name: Effect, act: () => Promise<T>): Promise<T> {
    if (dead) throw new Died();
    const mine = effects.push(name) - 1;
    if (death?.effect === mine && death.when === 'before') die();
    const answer = await act();
    if (death?.effect === mine && death.when === 'after') die();
    return answer;
  }

  function die(): never {
    dead = true;
    throw new Died();
  }

  const messengers = new Map<string, Messenger>();
  function messengerOf(target: AlertTarget): Messenger {
    const plain =
      target.kind === 'slack'
        ? slackMessenger({
            post: httpPost(systemRuntime.deadline),
            apiUrl: slack.apiUrl,
            channel: target.channel,
            tokenSecret: 'slack',
            secrets: { read: async () => ['xoxb-good'] },
            timeoutMs,
          })
        : mailbox.messenger;
    // A process that was deployed anew has messengers for the places of today.
    const place = target.kind === 'slack' ? `${target.name} ${target.channel}` : target.name;
    const inner = messengers.get(place) ?? wrap?.(plain, target) ?? plain;
    messengers.set(place, inner);
    return {
      post: (message) => effect('post', () => inner.post(message)),
      edit: (remote, message) => effect('edit', () => inner.edit(remote, message)),
      reply: (remote, message) => effect('reply', () => inner.reply(remote, message)),
      find: (id, since, thread) => inner.find(id, since, thread),
      ...(inner.whisper && { whisper: inner.whisper }),
    };
  }

  const ports: SendPorts = {
    configuration: { alerts, clusters: [] },
    incidents: {
      ...tables.incidents,
      save: (incident) => effect('save', () => tables.incidents.save(incident)),
      nextNumber: () => effect('number', () => tables.incidents.nextNumber()),
    },
    paces: tables.paces,
    jointMessages: tables.jointMessages,
    alerts: { send: (event, delay) => effect('enqueue', () => queue.send(event, delay)) },
    messengerOf,
    clock: clock.now,
    random: () => 0.5,
    newOwner: () => {
      owners += 1;
      return `sender-${owners}`;
    },
    logger,
    metrics,
    product: 'poolkeeper test',
  };

  /** The part of an evaluator's pass that is about messages: failing messengers, and what is owed. */
  async function askAgain(): Promise<void> {
    for (const cluster of new Set(tables.incidents.all().map(({ key }) => key.cluster))) {
      const incidents = await tables.incidents.load(cluster);
      const input = {
        cluster,
        troubles: [],
        incidents,
        unseen: () => 'not looked at',
        policy,
        alerts,
        now: clock.now(),
      };
      const first = settle({ ...input, numbers: [] });
      const numbers: number[] = [];
      for (let drawn = 0; drawn < first.numbersMissing; drawn += 1) numbers.push(await tables.incidents.nextNumber());
      const { changes, due } = settle({ ...input, numbers });
      const own = changes.filter(({ incident }) => incident.key.kind === 'notify-failing');
      for (const { incident } of own) await tables.incidents.save(incident);
      for (const key of due) await queue.send(dueEvent(key));
    }
  }

  const lab: SendLab = {
    slack,
    mailbox,
    clock,
    tables,
    queue,
    logger,
    metrics,
    ports,
    alerts,
    effects,
    async see(observed, of) {
      const key = observed.kind === 'true' ? observed.trouble.key : (of ?? tables.incidents.all()[0]?.key);
      const stored = key === undefined ? undefined : await tables.incidents.loadOne(key);
      const names = targets.map(({ name }) => name);
      const context = {
        policy: { ...defaultPolicy.alerting, ...ownPolicy },
        now: clock.now(),
        targets:
          observed.kind === 'true'
            ? audienceOf(alerts, observed.trouble, { openForSeconds: Number.POSITIVE_INFINITY })
            : { hear: names, all: names },
      };
      const first = evolve(stored, observed, { ...context, nextNumber: undefined });
      const { incident } =
        first.effect === 'needs-number'
          ? evolve(stored, observed, { ...context, nextNumber: await tables.incidents.nextNumber() })
          : first;
      if (incident !== undefined && incident !== stored) await tables.incidents.save(incident);
      return incident;
    },
    async send(key) {
      try {
        await sendAlerts(dueEvent(key), ports);
      } catch (error) {
        if (!(error instanceof Died)) throw error;
      } finally {
        dead = false;
      }
    },
    async sweep() {
      await askAgain();
      for (const { event } of queue.take()) await lab.send(keyOf(event));
    },
    async ticks(count) {
      for (let passed = 0; passed < count; passed += 1) {
        clock.advance(61);
        await lab.sweep();
      }
    },
    async settleDown(minutes = 240) {
      for (let passed = 0; passed < minutes; passed += 1) {
        await lab.ticks(1);
        if (queue.waiting().length === 0 && tables.incidents.all().every((incident) => isQuiet(incident))) return;
      }
    },
    dieAt(number, when) {
      death = { effect: number, when };
    },
    async incident(key) {
      const incident = await tables.incidents.loadOne(key);
      if (incident === undefined) throw new Error('there is no such incident');
      return incident;
    },
    close: () => slack.close(),
  };
  return lab;
}

function isQuiet({ deliveries, notes }: Incident): boolean {
  const last = notes.at(-1)?.seq ?? 0;
  return Object.values(deliveries).every(
    ({ wantedSeq, deliveredSeq, threadSeq, claim, doubtful }) =>
      deliveredSeq >= wantedSeq && threadSeq >= last && claim === undefined && doubtful === undefined,
  );
}

function keyOf({ data: { cluster, pool, kind } }: IncidentDue): TroubleKey {
  return { cluster, pool, kind: kind as TroubleKey['kind'] };
}

export function dueEvent({ cluster, pool, kind }: TroubleKey): IncidentDue {
  return cloudEvent({
    type: 'poolkeeper.incident.due.v1',
    id: `due/${cluster}/${pool}/${kind}`,
    source: '/poolkeeper/keep-pools',
    subject: `${cluster}/${pool}`,
    time: new Date('2026-03-02T10:00:00Z'),
    correlation: 'test',
    data: { cluster, pool, kind },
  });
}
