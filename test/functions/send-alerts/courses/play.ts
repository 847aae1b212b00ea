import { type AlertWork, cloudEvent } from '../../../../events/index.ts';
import type { AlertSettings, AlertTarget } from '../../../../functions/core/configuration/alerts.ts';
import { defaultPolicy } from '../../../../functions/core/configuration/policy.ts';
import { finding, ref } from '../../../../functions/core/findings/make-finding.ts';
import type { Finding, Severity, Trouble, TroubleKey } from '../../../../functions/core/findings/trouble.ts';
import { makeTrouble } from '../../../../functions/core/judge/make-trouble.ts';
import { Transient } from '../../../../functions/core/text/errors.ts';
import { settleIncidents } from '../../../../functions/keep-pools/watch/settle-incidents.ts';
import { workOff } from '../../../../functions/send-alerts/work-off.ts';
import { fakeTables } from '../../../fakes/index.ts';
import { type Act, type Cause, type Course, type Illness, type Place, places, type TargetName } from './course.ts';
import { messengerFor, type Sent } from './sides.ts';

/** Milliseconds. */
export const minute = 60_000;
const startAt = Date.parse('2026-03-02T10:00:00.000Z');

const filter = { clusters: [], pools: [], severities: [], causes: [] };
const slack = { kind: 'slack', tokenSecret: 't', apiUrl: 'https://slack.com/api', filter } as const;

/** A channel and a mailbox of all, the latter with quiet hours; a pager; a hook of the team whose budget has a code of
 *  its own; a channel that is told of what nobody has taken for half an hour. */
const allTargets: Readonly<Record<TargetName, AlertTarget>> = {
  channel: { ...slack, name: 'channel', channel: 'C1' },
  mail: {
    kind: 'email',
    name: 'mail',
    from: 'a@example.com',
    to: ['b@example.com'],
    via: 'smtp',
    filter,
    quietHours: { from: '11:00', to: '12:00', zone: 'UTC', weekends: false },
  },
  pager: {
    kind: 'pagerduty',
    name: 'pager',
    routingKeySecret: 't',
    eventsUrl: 'https://events.pagerduty.com/v2/enqueue',
    filter: { ...filter, severities: ['critical', 'high'] },
  },
  team: { kind: 'slack-webhook', name: 'team', urlSecret: 't', filter: { ...filter, causes: ['P3'] } },
  lead: { ...slack, name: 'lead', channel: 'C2', escalateAfterSeconds: 1800 },
};

/** One incident as a look finds it. */
export interface Sight {
  readonly isWrong: boolean;
  readonly severity: Severity;
  readonly causes: readonly Cause[];
}

export interface Look {
  readonly at: number;
  readonly sights: Readonly<Record<Place, Sight>>;
  /** The cluster of two of them cannot be read, by an incident that explains all others; nothing was read of it. */
  readonly isBlind: boolean;
  readonly isUnread: boolean;
  /** What is to be sent takes four minutes longer. */
  readonly isSlow: boolean;
  readonly ill: Readonly<Partial<Record<TargetName, Illness>>>;
  /** The number that each has, once its messages are sent. */
  readonly numbers: Readonly<Partial<Record<Place, number>>>;
}

/** Somebody took an incident. */
export interface Taken {
  readonly at: number;
  readonly place: Place;
  readonly number: number;
  readonly until: number;
  /** What the last look had shown that nothing explained. */
  readonly seen: Sight;
}

export interface Played {
  readonly course: Course;
  readonly looks: readonly Look[];
  readonly sent: readonly Sent[];
  readonly taken: readonly Taken[];
}

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const nothing: Sight = { isWrong: false, severity: 'high', causes: ['shop'] };

/** Plays a course with the real evaluator, senders and texts, and says what was sent. At its end what is wrong stays so
 *  for a while, and is then over, while nothing stands in the way. */
export async function play(course: Course): Promise<Played> {
  let now = startAt;
  let owners = 0;
  let queue: { readonly event: AlertWork; readonly dueAt: number }[] = [];
  let ill: Look['ill'] = {};
  const is = { blind: false, unread: false, slow: false };
  const sights: Record<Place, Sight> = { worker: nothing, infra: nothing, dev: nothing };
  const seen = { ...sights };
  const [looks, sent, taken]: [Look[], Sent[], Taken[]] = [[], [], []];
  const tables = fakeTables();
  const clock = () => new Date(now);
  const alerts: AlertSettings = { statusUrl: undefined, targets: course.targets.map((name) => allTargets[name]) };
  const configuration = { alerts, clusters: [] };
  const messengers = new Map<string, ReturnType<typeof messengerFor>>(
    course.targets.map((name) => [name, messengerFor(name, { sent, clock, illness: () => ill[name] })]),
  );

  async function send(event: AlertWork, seconds = 0): Promise<void> {
    queue.push({ event, dueAt: now + Math.max(seconds, is.slow ? 240 : 0) * 1000 });
  }

  const ports = {
    configuration,
    incidents: tables.incidents,
    paces: tables.paces,
    jointMessages: tables.jointMessages,
    alerts: { send },
    work: { send: async () => {} },
    askedRequests: { load: async () => undefined },
    views: { list: async () => [], load: async () => undefined },
    approvals: tables.approvals,
    timeline: tables.timeline,
    messengerOf: ({ name }: AlertTarget) => {
      const messenger = messengers.get(name);
      if (messenger === undefined) throw new Error(`there is no target ${name}`);
      return messenger;
    },
    clock,
    random: () => 0.5,
    newOwner: () => {
      owners += 1;
      return `sender-${owners}`;
    },
    logger: quiet,
    metrics: { count: () => {}, milliseconds: () => {} },
    product: 'poolkeeper test',
  };

  /** Works off what is due before then. */
  async function workUntil(until: number): Promise<void> {
    for (;;) {
      const [next] = queue.toSorted((a, b) => a.dueAt - b.dueAt);
      if (next === undefined || next.dueAt >= until) break;
      queue = queue.filter((each) => each !== next);
      now = Math.max(now, next.dueAt);
      try {
        await workOff(next.event, ports);
      } catch (error) {
        if (!(error instanceof Transient)) throw error;
        queue.push({ event: next.event, dueAt: now + 10_000 });
      }
    }
    now = until;
  }

  /** A pass over one cluster. */
  async function pass(cluster: string): Promise<void> {
    const isOfProd = cluster === 'prod';
    const isUnread = isOfProd && is.unread;
    const own = places.filter((place) => keys[place].cluster === cluster && sights[place].isWrong);
    const troubles = [
      ...own.map((place) => troubleOf(place, sights[place])),
      ...(isOfProd && is.blind ? [blindness] : []),
    ];
    const unseen = [{ cluster, pool: '*', kinds: 'all', why: 'the API server does not answer' }] as const;
    if (!isUnread && !(isOfProd && is.blind)) for (const place of own) seen[place] = sights[place];
    await settleIncidents(
      {
        settings: { name: cluster, policy: defaultPolicy },
        judgement: { troubles: isUnread ? [] : troubles, unseen: isUnread ? unseen : [], firstSeen: {} },
        told: {},
        now: clock(),
      },
      { configuration, incidents: tables.incidents, alerts: { send }, logger: quiet },
    );
  }

  async function look(): Promise<void> {
    const at = now;
    for (const cluster of ['prod', 'dev']) await pass(cluster);
    await workUntil(at + minute);
    const numbers = Object.fromEntries(places.map((place) => [place, openedAs(place)?.number]));
    looks.push({ at, sights: { ...sights }, isBlind: is.blind, isUnread: is.unread, isSlow: is.slow, ill, numbers });
  }

  async function looksFor(minutes: number): Promise<void> {
    for (let passed = 0; passed < minutes; passed += 1) await look();
  }

  /** Undefined: it never was. */
  function openedAs(place: Place) {
    const [own] = [keys[place]];
    return tables.incidents
      .all()
      .find(
        ({ key, number }) =>
          key.cluster === own.cluster && key.pool === own.pool && key.kind === own.kind && number > 0,
      );
  }

  async function ask(place: Place, wish: 'acknowledge' | 'snooze'): Promise<void> {
    const stored = openedAs(place);
    if (stored === undefined || (stored.state !== 'firing' && stored.state !== 'resolving')) return;
    const { number } = stored;
    const forSeconds = wish === 'snooze' ? 1800 : 7200;
    const askedAt = clock().toISOString();
    taken.push({ at: now, place, number, until: now + forSeconds * 1000, seen: seen[place] });
    await send(
      cloudEvent({
        type: 'poolkeeper.attention.asked.v1',
        id: `person/${askedAt}`,
        source: '/poolkeeper/person',
        subject: `PK-${number}`,
        time: clock(),
        correlation: `PK-${number}`,
        data: { wish, number, by: 'anna', reason: '', forSeconds, askedAt },
      }),
    );
  }

  /** One state after the other, each so many times. */
  async function alternate(place: Place, turns: readonly Partial<Sight>[], act: Turns): Promise<void> {
    for (let nth = 0; nth < turns.length * act.times; nth += 1) {
      sights[place] = { ...sights[place], ...turns[nth % turns.length] };
      await looksFor(act.minutes);
    }
  }

  async function happen(act: Act): Promise<void> {
    switch (act.kind) {
      case 'wait':
        return;
      case 'begin':
        if (!sights[act.place].isWrong) sights[act.place] = { ...nothing, isWrong: true };
        return;
      case 'end':
        sights[act.place] = { ...sights[act.place], isWrong: false };
        return;
      case 'acknowledge':
      case 'snooze':
        return ask(act.place, act.kind);
      case 'severity':
        sights[act.place] = { ...sights[act.place], severity: act.severity };
        return;
      case 'cause':
        sights[act.place] = withCause(sights[act.place], act.cause);
        return;
      case 'flap':
        return alternate(act.place, [{ isWrong: false }, { isWrong: true }], act);
      case 'turns':
        return alternate(act.place, [{ causes: ['store'] }, { causes: ['bank'] }], act);
      case 'swing':
        return alternate(act.place, [{ severity: act.severity }, { severity: sights[act.place].severity }], act);
      case 'blind':
      case 'unread':
      case 'slow':
        is[act.kind] = !is[act.kind];
        return;
      case 'ill':
        ill = { ...ill, [act.target]: act.illness };
        return;
      default:
        return act satisfies never;
    }
  }

  for (const { act, minutes } of course.steps) {
    await happen(act);
    await looksFor(minutes);
  }
  Object.assign(is, { blind: false, unread: false, slow: false });
  ill = {};
  await looksFor(80);
  for (const place of places) sights[place] = { ...sights[place], isWrong: false };
  await looksFor(80);
  return { course, looks, sent, taken };
}

type Turns = Pick<Extract<Act, { kind: 'flap' }>, 'times' | 'minutes'>;

/** With it or without it; the last one stays. */
function withCause(sight: Sight, cause: Cause): Sight {
  const others = sight.causes.filter((each) => each !== cause);
  if (others.length === sight.causes.length) return { ...sight, causes: [...others, cause] };
  return others.length === 0 ? sight : { ...sight, causes: others };
}

const keys: Readonly<Record<Place, TroubleKey>> = {
  worker: { cluster: 'prod', pool: 'worker', kind: 'drain-blocked' },
  infra: { cluster: 'prod', pool: 'infra', kind: 'drain-blocked' },
  dev: { cluster: 'dev', pool: 'worker', kind: 'drain-blocked' },
};

const since = new Date(startAt).toISOString();

const blindness = makeTrouble({
  key: { cluster: 'prod', pool: '*', kind: 'watcher-blind' },
  severity: 'high',
  headline: 'the cluster cannot be read',
  since,
  findings: [],
  facts: [],
});

function troubleOf(place: Place, { severity, causes }: Sight): Trouble {
  const headline = `${causes.length} nodes of ${place} cannot be drained`;
  const findings = causes.map((cause) => findingOf(place, cause));
  return makeTrouble({ key: keys[place], severity, headline, since, findings, facts: [] });
}

/** How messages name who is to blame. The first is called alike everywhere: one cause on several clusters. */
export function ownerOf(place: Place, cause: Cause): string {
  return cause === 'shop' || cause === 'disk' ? cause : `${cause}-${place}`;
}

function findingOf(place: Place, cause: Cause): Finding {
  const subject = ref('Node', `node-${cause}`);
  if (cause === 'disk') {
    const sentence = 'node-disk has no room left.';
    const evidence = [{ ref: subject, path: 'status.conditions', value: 'DiskPressure', readAt: since }];
    return finding({ code: 'N9', subject, sentence, confidence: 'certain', class: 'external', evidence });
  }
  const owner = ownerOf(place, cause);
  const budget = { subject: ref('PodDisruptionBudget', 'web', owner), class: 'structural' } as const;
  const [code, blocks] = [cause === 'store' ? 'P3' : 'P1', `${owner} blocks it.`];
  const evidence = [{ ref: budget.subject, path: 'status.disruptionsAllowed', value: '0', readAt: since }];
  const because = [finding({ ...budget, code, sentence: blocks, confidence: 'certain', evidence })];
  const sentence = `node-${cause} cannot be drained.`;
  return finding({ code: 'D1', subject, sentence, confidence: 'likely', class: 'structural', because });
}
