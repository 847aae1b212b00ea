import { type AlertWork, cloudEvent } from '../../events/index.ts';
import type { Incident, IncidentNote } from '../../functions/core/alerts/incident.ts';
import { planDelivery } from '../../functions/core/alerts/plan-delivery.ts';
import type { AlertSettings } from '../../functions/core/configuration/alerts.ts';
import type { ClusterSettings } from '../../functions/core/configuration/cluster.ts';
import { defaultPolicy } from '../../functions/core/configuration/policy.ts';
import { Transient } from '../../functions/core/text/errors.ts';
import { settleIncidents } from '../../functions/keep-pools/watch/settle-incidents.ts';
import type { Incidents, JointMessageLists, Paces } from '../../functions/ports/tables.ts';
import type { Logger, Metrics } from '../../functions/ports/telemetry.ts';
import { workOff } from '../../functions/send-alerts/work-off.ts';
import { fakeTables } from '../fakes/index.ts';
import { randomOf } from '../random.ts';
import { Died, type Effect, mortal } from './mortal.ts';
import { openSides, type Sides } from './other-sides.ts';
import { lastingSight, nothingWrong, observedOf, type Sights } from './sights.ts';
import { stormyMessengers, type TargetName, targets } from './stormy-messengers.ts';
import { turnsOf } from './turns.ts';
import { weatherOf } from './wire.ts';

const start = Date.parse('2026-03-02T10:00:00.000Z');
const minute = 60_000;

const settings: ClusterSettings = {
  name: 'prod',
  api: { server: 'https://api.example.com', ca: undefined, tokenSecret: 't', skipTLSVerify: false },
  policy: defaultPolicy,
  pools: {},
};
const slackButtons = {
  signingSecret: 't',
  team: 'T0123456789',
  users: [],
  mayFreeze: [],
  mayResume: [],
  maySteer: [],
  acknowledgeForSeconds: 7200,
};
const alerts: AlertSettings = { statusUrl: undefined, targets, slackButtons };
const configuration = { alerts, clusters: [settings] };
const logger: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const metrics: Metrics = { count: () => {}, milliseconds: () => {} };

/** Something that went wrong: with a target, a worker, or the table. */
export interface Mishap {
  readonly of: string;
  readonly what: string;
  /** Milliseconds. */
  readonly at: number;
}

/** Everything that is to be judged when a run has come to rest. */
export interface Storm {
  readonly seed: number;
  readonly now: Date;
  readonly incidents: readonly Incident[];
  /** Every note of every episode, by `PK-<n>`. */
  readonly notes: ReadonlyMap<string, readonly IncidentNote[]>;
  readonly sides: Sides;
  readonly mishaps: readonly Mishap[];
  /** False: it did not come to rest within its time. */
  readonly quiet: boolean;
  readonly effects: number;
}

interface Message {
  readonly event: AlertWork;
  readonly dueAt: number;
  readonly received: number;
}

/** The life of a few incidents on seven targets through bad weather, with the real evaluator, workers and
 *  messengers. The same seed is the same run, to the last effect. */
export async function storm(seed: number): Promise<Storm> {
  const random = randomOf(seed);
  const turns = turnsOf(random);
  let now = start;
  let stormy = true;
  let effects = 0;
  const clock = () => new Date(now);
  const isStormy = () => stormy;
  const mishaps: Mishap[] = [];
  const note = (of: string, what: string) => mishaps.push({ of, what, at: now });
  const weather = weatherOf(random, isStormy, note);
  const sides = openSides();
  const refusing = new Set<TargetName>();
  const tables = fakeTables();
  const notes = new Map<string, Map<number, IncidentNote>>();
  let landings: { readonly at: number; readonly act: () => void }[] = [];
  let queue: Message[] = [];

  const later = (seconds: number, act: () => void) => landings.push({ at: now + seconds * 1000, act });
  const refuses = (name: TargetName) => refusing.has(name);
  const born = () =>
    mortal({
      turns,
      random,
      isStormy,
      counted: () => {
        effects += 1;
      },
      died: (what) => note('worker', `died at ${what}`),
    });

  function incidentsOf(effect: Effect): Incidents {
    const throttled = <T>(what: string, act: () => Promise<T>): Promise<T> =>
      effect(what, () => {
        if (!stormy || !random.chance(0.01)) return act();
        note('table', what);
        throw new Transient('throttled', { kind: 'busy' });
      });
    return {
      load: (cluster) => throttled('load', () => tables.incidents.load(cluster)),
      loadOne: (key) => throttled('loadOne', () => tables.incidents.loadOne(key)),
      list: () => throttled('list', () => tables.incidents.list()),
      nextNumber: () => throttled('number', () => tables.incidents.nextNumber()),
      save: (incident) =>
        throttled('save', async () => {
          const saved = await tables.incidents.save(incident);
          if (saved) remember(incident);
          return saved;
        }),
    };
  }

  function pacesOf(effect: Effect): Paces {
    return {
      load: (channel) => effect('load pace', () => tables.paces.load(channel)),
      save: (channel, pace) => effect('save pace', () => tables.paces.save(channel, pace)),
    };
  }

  function jointOf(effect: Effect): JointMessageLists {
    return {
      load: (target) => effect('load joint', () => tables.jointMessages.load(target)),
      save: (target, told) => effect('save joint', () => tables.jointMessages.save(target, told)),
    };
  }

  function remember({ number, notes: all }: Incident): void {
    const known = notes.get(`PK-${number}`) ?? new Map<number, IncidentNote>();
    notes.set(`PK-${number}`, known);
    for (const each of all) known.set(each.seq, each);
  }

  function enqueue(event: AlertWork, seconds = 0, received = 0): void {
    queue.push({ event, dueAt: now + seconds * 1000, received });
  }

  function queueOf(effect: Effect) {
    return { send: (event: AlertWork, seconds?: number) => effect('enqueue', () => enqueue(event, seconds)) };
  }

  /** One message, as a Lambda gets it: again soon after a failure, after the visibility timeout when it died, at
   *  most five times. */
  async function work({ event, received }: Message): Promise<void> {
    const effect = born();
    try {
      await workOff(event, {
        configuration,
        incidents: incidentsOf(effect),
        paces: pacesOf(effect),
        jointMessages: jointOf(effect),
        alerts: queueOf(effect),
        work: { send: async () => {} },
        askedRequests: { load: async () => undefined },
        views: { list: async () => [], load: async () => undefined },
        approvals: tables.approvals,
        timeline: tables.timeline,
        messengerOf: stormyMessengers({ sides, weather, random, refuses, later }, effect),
        clock,
        random: random.next,
        newOwner: () => `worker-${random.below(1e9)}`,
        logger,
        metrics,
        product: 'poolkeeper storm',
      });
    } catch (error) {
      if (received < 4) enqueue(event, secondsAway(error), received + 1);
    }
  }

  /** A pass of the evaluator. One that fails is made good by the next. */
  async function tick({ troubles, unseen }: Sights): Promise<void> {
    const effect = born();
    const judgement = { troubles, unseen, firstSeen: {} };
    try {
      await settleIncidents(
        { settings, judgement, told: {}, now: clock() },
        { configuration, incidents: incidentsOf(effect), alerts: queueOf(effect), logger },
      );
    } catch (error) {
      secondsAway(error);
    }
  }

  /** Goes on until then, or until it may end. */
  async function pass(until: number, observed: Sights, mayEnd: () => boolean): Promise<boolean> {
    let nextTick = now;
    while (now < until) {
      land();
      const tasks = takeDue().map((message) => () => work(message));
      if (nextTick <= now) {
        if (mayEnd()) return true;
        nextTick = now + (stormy ? 1 : 3) * minute;
        tasks.push(() => tick(observed));
      }
      await turns.run(tasks);
      now = Math.max(now, Math.min(nextTick, ...[...queue.map(({ dueAt }) => dueAt), ...landings.map(({ at }) => at)]));
    }
    return false;
  }

  function land(): void {
    const landing = landings.filter(({ at }) => at <= now);
    landings = landings.filter(({ at }) => at > now);
    for (const { act } of landing) act();
  }

  /** At most two at once, in no order, sometimes one of them twice. */
  function takeDue(): readonly Message[] {
    const due = queue.filter(({ dueAt }) => dueAt <= now);
    const taken = [0, 1].flatMap(() => due.splice(random.below(due.length), 1));
    queue = queue.filter((message) => !taken.includes(message));
    const [first] = taken;
    return first !== undefined && stormy && random.chance(0.1) ? [...taken, first] : taken;
  }

  function isAtRest(endsOpen: boolean): boolean {
    const all = tables.incidents.all();
    if (landings.length > 0 || (!endsOpen && all.some(({ state }) => state !== 'ok'))) return false;
    return all.every((incident) =>
      targets.every((target) => {
        const delivery = incident.deliveries[target.name];
        return delivery === undefined || planDelivery(incident, delivery, target, clock()).kind === 'nothing';
      }),
    );
  }

  function setRefusing(refusesNow: (name: TargetName) => boolean): void {
    refusing.clear();
    for (const { name } of targets) {
      if (!refusesNow(name)) continue;
      refusing.add(name);
      note(name, 'refuses');
    }
    sides.slack.archived = refusing.has('slack');
    for (const name of ['hook', 'pagerduty', 'alertmanager', 'feed'] as const) sides[name].gone = refusing.has(name);
  }

  function deleteMessage(): void {
    const parent = sides.slack.messages.findLast(({ thread, deleted }) => thread === undefined && !deleted);
    if (parent === undefined) return;
    parent.deleted = true;
    note('slack', 'deleted');
  }

  /** A person takes the newest incident, has it quiet for a while, or has it looked at. */
  function ask(): void {
    const number = Math.max(0, ...tables.incidents.all().map((incident) => incident.number));
    if (number === 0) return;
    const askedAt = clock().toISOString();
    enqueue(
      cloudEvent({
        type: 'poolkeeper.attention.asked.v1',
        id: `person/${askedAt}`,
        source: '/poolkeeper/person',
        subject: `PK-${number}`,
        time: clock(),
        correlation: `PK-${number}`,
        data: {
          wish: random.pick(['acknowledge', 'snooze', 'recheck'] as const),
          number,
          by: 'anna',
          reason: '',
          forSeconds: 60 + random.below(7200),
          askedAt,
        },
      }),
    );
  }

  const endsOpen = random.chance(0.3);
  for (let phase = 2 + random.below(5); phase > 0; phase -= 1) {
    const observed = observedOf(random, now);
    setRefusing(() => random.chance(0.05));
    if (random.chance(0.15)) deleteMessage();
    if (random.chance(0.3)) ask();
    await pass(now + (1 + random.below(20)) * minute, observed, () => false);
  }
  stormy = false;
  setRefusing(() => false);
  // Whoever refused is tried again after an hour and a fifth.
  const calm = now + 78 * minute;
  const last = endsOpen ? lastingSight(start) : nothingWrong;
  const quiet = await pass(now + 12 * 60 * minute, last, () => now > calm && isAtRest(endsOpen));

  return {
    seed,
    now: clock(),
    incidents: tables.incidents.all(),
    notes: new Map([...notes].map(([name, each]) => [name, [...each.values()]])),
    sides,
    mishaps,
    quiet,
    effects,
  };
}

/** Until a message that failed comes again. Throws what is neither a death nor the world's fault. */
function secondsAway(error: unknown): number {
  if (error instanceof Died) return 360;
  if (error instanceof Transient) return 10;
  throw error;
}
