import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { AlarmSpec, EventAlarm, MetricAlarm } from './constructs/alarms.ts';
import type { ClusterTicks } from './constructs/cluster-ticks.ts';
import type { DeadLetters } from './constructs/dead-letters.ts';
import type { HttpEntry } from './constructs/http-entry.ts';
import type { Entry, PoolkeeperFunction } from './constructs/poolkeeper-function.ts';
import type { PublishedEvents } from './constructs/published-events.ts';
import type { QueueWithDeadLetters } from './constructs/queue-with-dead-letters.ts';
import type { StateTable } from './constructs/state-table.ts';
import type { Functions } from './functions.ts';
import { ownMetric } from './metrics.ts';
import type { Queues } from './queues.ts';
import type { Settings } from './settings.ts';

/** Everything in the house that can fail. */
export interface Resources extends Queues {
  readonly settings: Settings;
  readonly functions: Functions;
  readonly door: HttpEntry;
  readonly ticks: ClusterTicks;
  readonly told: PublishedEvents;
  readonly table: StateTable;
}

const oneMinute = Duration.minutes(1);
const fiveMinutes = Duration.minutes(5);
const quarterHour = Duration.minutes(15);
const oneHour = Duration.hours(1);

/** Two of three periods of five minutes: one hiccup at a cold start wakes nobody, ten bad minutes do. */
const persistently = { periods: 2, of: 3 } as const;
const once = { periods: 1, of: 1 } as const;

/** The alarms of the house. Each name is a section of docs/runbook.md. */
export function alarmsOf(house: Resources): readonly AlarmSpec[] {
  return [
    ...failingFunctions(house),
    ...door(house),
    ...queues(house),
    ...clock(house),
    ...races(house),
    ...messages(house),
    ...relayed(house),
    ...previewed(house),
    ...limits(house),
    ...itself,
  ];
}

const losesWhenFailing: Readonly<Record<Entry, Pick<MetricAlarm, 'loses' | 'urgency'>>> = {
  'receive-github': {
    loses: 'Pushes are not heard, so pools are paused only once a sync runs: its first nodes may reboot under it.',
    urgency: 'urgent',
  },
  'receive-argocd': {
    loses:
      'Syncs are seen up to a minute late: nodes may reboot in their first minute, and pools resume a minute later.',
    urgency: 'urgent',
  },
  'receive-cluster': {
    loses: 'Degraded pools and alerts of the cluster are seen by the next tick only, up to a minute later.',
    urgency: 'soon',
  },
  'receive-slack': {
    loses: 'The buttons of messages do nothing: nobody can acknowledge or snooze in Slack; the command line still can.',
    urgency: 'soon',
  },
  handshake: {
    loses: 'Syncs that wait for the confirmed pause in a PreSync Job do not begin, or fail.',
    urgency: 'urgent',
  },
  'keep-pools': {
    loses: 'Pools are neither paused nor resumed: nodes may reboot under a sync, and paused pools get no updates.',
    urgency: 'urgent',
  },
  'send-alerts': {
    loses: 'Nobody hears of degraded, stuck or forgotten pools.',
    urgency: 'urgent',
  },
  status: {
    loses: 'The page that says who holds which pool, and why, does not open.',
    urgency: 'soon',
  },
  'watch-ticks': {
    loses: 'Nobody looks any more whether every cluster is looked at: the next stop of the ticks is seen late.',
    urgency: 'soon',
  },
  redeliver: {
    loses: 'Pushes that GitHub could not deliver are not asked for again: the sweep finds their syncs minutes late.',
    urgency: 'soon',
  },
  'relay-pushes': {
    loses:
      'Argo CD hears of no push: its Applications follow Git only by polling, and polling does not wait for a pause.',
    urgency: 'soon',
  },
  'preview-changes': {
    loses: 'Pull requests are not told what they would do to nodes; a check that is required by name keeps them open.',
    urgency: 'soon',
  },
};

function failingFunctions({ functions }: Resources): readonly MetricAlarm[] {
  return Object.values(functions).map((fn) => ({
    kind: 'figure',
    name: `${fn.entry}-errors`,
    ...losesWhenFailing[fn.entry],
    figure: fn.errors(fiveMinutes),
    breach: { above: 0 },
    ...persistently,
    silence: 'fine',
  }));
}

function door({ door: front, functions, settings }: Resources): readonly MetricAlarm[] {
  const { 'receive-github': github, 'receive-argocd': argocd, 'receive-cluster': cluster, handshake } = functions;
  const slack = functions['receive-slack'];
  return [
    {
      kind: 'figure',
      name: 'http-failing',
      loses: 'Webhooks get a 5xx and are gone: neither GitHub nor Argo CD sends them again. Ticks make up for it late.',
      urgency: 'urgent',
      figure: front.failed(fiveMinutes),
      breach: { above: 0 },
      ...persistently,
      silence: 'fine',
    },
    {
      kind: 'figure',
      name: 'http-refused',
      loses: 'Either somebody tries the door, or our limit answers genuine webhooks with 429 and they are gone.',
      urgency: 'soon',
      figure: front.refused(fiveMinutes),
      // A refused request every three seconds is no typing error in one webhook's set-up.
      breach: { above: 100 },
      ...persistently,
      silence: 'fine',
    },
    {
      kind: 'figure',
      name: 'callers-unauthorized',
      loses: 'If the caller is genuine, its secret is not ours any more and everything it sends is thrown away.',
      urgency: 'soon',
      figure: total(
        [github, argocd, cluster, handshake, ...(slack ? [slack] : [])].map((of) =>
          ownMetric({ of, stage: settings.stage, name: 'requestsUnauthorized', period: oneHour }),
        ),
        { label: 'unauthorized', period: oneHour },
      ),
      breach: { above: 3 },
      ...once,
      silence: 'fine',
    },
  ];
}

function queues({ work, alerts, undeliveredTicks, undeliveredTold }: Resources): readonly MetricAlarm[] {
  return [
    {
      kind: 'figure',
      name: 'work-queue-waiting',
      loses: 'Pauses come minutes after the push or the sync that asked for them: too late for the first nodes.',
      urgency: 'urgent',
      figure: ageWhileWaiting(work),
      // The machine config controller targets its first node within seconds; two minutes is past all hope.
      breach: { above: 120 },
      periods: 5,
      of: 5,
      silence: 'fine',
    },
    {
      kind: 'figure',
      name: 'alert-queue-waiting',
      loses: 'Messages about degraded and stuck pools come more than five minutes late.',
      urgency: 'soon',
      figure: ageWhileWaiting(alerts),
      breach: { above: 300 },
      periods: 5,
      of: 5,
      silence: 'fine',
    },
    deadLetterAlarm(work.deadLetters, {
      name: 'work-queue-dead-letters',
      loses: 'A push, an operation or a look at a cluster failed five times and was given up.',
      urgency: 'urgent',
    }),
    deadLetterAlarm(alerts.deadLetters, {
      name: 'alert-queue-dead-letters',
      loses: 'Somebody was not told of an incident, and will not be until its next change or reminder.',
      urgency: 'urgent',
    }),
    deadLetterAlarm(undeliveredTicks, {
      name: 'ticks-dead-letters',
      loses: 'A minute passed in which a cluster was not looked at.',
      urgency: 'soon',
    }),
    deadLetterAlarm(undeliveredTold, {
      name: 'told-dead-letters',
      loses: 'Subscribers of the bus, the log of everything told among them, miss what happened.',
      urgency: 'soon',
    }),
  ];
}

function deadLetterAlarm(letters: DeadLetters, said: Pick<MetricAlarm, 'name' | 'loses' | 'urgency'>): MetricAlarm {
  return {
    kind: 'figure',
    ...said,
    figure: letters.count(fiveMinutes),
    breach: { above: 0 },
    ...once,
    // SQS writes no figures for a queue that was empty for six hours.
    silence: 'fine',
  };
}

function clock({ ticks, functions, settings }: Resources): readonly MetricAlarm[] {
  return [
    {
      kind: 'figure',
      name: 'ticks-stopped',
      loses: 'Nothing is looked at by itself: a lost webhook is never made up for, and holds do not end in time.',
      urgency: 'urgent',
      figure: ticks.attempts(fiveMinutes),
      breach: { below: 1 },
      ...once,
      silence: 'alarming',
    },
    {
      kind: 'figure',
      name: 'passes-stopped',
      loses: 'No pass over any cluster ended well for ten minutes: pools are neither paused nor resumed.',
      urgency: 'urgent',
      figure: ownMetric({
        of: functions['keep-pools'],
        stage: settings.stage,
        name: 'recordsHandled',
        period: fiveMinutes,
      }),
      breach: { below: 1 },
      periods: 2,
      of: 2,
      silence: 'alarming',
    },
    {
      kind: 'figure',
      name: 'clusters-silent',
      loses: 'At least one cluster was not seen for ten minutes: it is neither protected nor watched.',
      urgency: 'urgent',
      figure: ownMetric({
        of: functions['watch-ticks'],
        stage: settings.stage,
        name: 'silentClusters',
        period: fiveMinutes,
        statistic: 'Maximum',
      }),
      breach: { above: 0 },
      // Two, because runs every five minutes may leave one period of five minutes empty.
      periods: 2,
      of: 2,
      silence: 'alarming',
    },
  ];
}

/** Passes run in keep-pools and, for one Application, in the handshake. */
function races({ functions, settings: { stage } }: Resources): readonly MetricAlarm[] {
  const { 'keep-pools': keepPools, handshake } = functions;
  const passes = [keepPools, handshake];
  return [
    {
      kind: 'figure',
      name: 'races-lost',
      loses: 'A sync was not protected: nodes were already rebooting when its pause was there, or it never was.',
      urgency: 'soon',
      figure: total(
        passes.flatMap((of) => [
          ownMetric({ of, stage, name: 'racesLate', period: fiveMinutes }),
          ownMetric({ of, stage, name: 'racesUnprotected', period: fiveMinutes }),
        ]),
        { label: 'lost', period: fiveMinutes },
      ),
      breach: { above: 0 },
      ...once,
      silence: 'fine',
    },
    {
      kind: 'figure',
      name: 'holds-overdue',
      loses: 'A pool stays paused past the end that its hold was given, and gets no configuration and no update.',
      urgency: 'soon',
      figure: ownMetric({ of: keepPools, stage, name: 'holdsOverdue', period: fiveMinutes, statistic: 'Maximum' }),
      breach: { above: 0 },
      // A hold that ends in its last minute is let go by the next tick.
      periods: 3,
      of: 3,
      silence: 'fine',
    },
  ];
}

function messages({ functions, settings: { stage } }: Resources): readonly MetricAlarm[] {
  const of = functions['send-alerts'];
  return [
    {
      kind: 'figure',
      name: 'alerts-refused',
      loses: 'A channel or mailbox refuses our messages for good: its people do not hear of degraded or stuck pools.',
      urgency: 'urgent',
      figure: ownMetric({ of, stage, name: 'alertsRefused', period: fiveMinutes }),
      breach: { above: 0 },
      ...once,
      silence: 'fine',
    },
    {
      kind: 'figure',
      name: 'alerts-delayed',
      loses: 'Messages have been failing for half an hour: people hear late of degraded or stuck pools, or not at all.',
      urgency: 'urgent',
      figure: ownMetric({ of, stage, name: 'alertsDelayed', period: quarterHour }),
      breach: { above: 0 },
      periods: 2,
      of: 2,
      silence: 'fine',
    },
  ];
}

/** Where Argo CD has its pushes from us. */
function relayed({ relays, functions, settings: { stage } }: Resources): readonly MetricAlarm[] {
  const { 'relay-pushes': of, 'receive-github': receiver } = functions;
  if (relays === undefined || of === undefined) return [];
  return [
    {
      kind: 'figure',
      name: 'relays-late',
      loses: 'A push went on to Argo CD before its pools were confirmed paused: nodes may reboot under its sync.',
      urgency: 'soon',
      figure: ownMetric({ of, stage, name: 'relaysLate', period: fiveMinutes }),
      breach: { above: 0 },
      ...once,
      silence: 'fine',
    },
    {
      kind: 'figure',
      name: 'relays-refused',
      loses: 'An Argo CD was not told of a push, or refused it: its Applications follow it only by polling.',
      urgency: 'soon',
      figure: total(
        [
          ownMetric({ of, stage, name: 'relaysRefused', period: fiveMinutes }),
          ownMetric({ of: receiver, stage, name: 'relaysTooLarge', period: fiveMinutes }),
        ],
        { label: 'refused', period: fiveMinutes },
      ),
      breach: { above: 0 },
      ...once,
      silence: 'fine',
    },
    {
      kind: 'figure',
      name: 'relay-queue-waiting',
      loses: 'Argo CD hears of pushes minutes late, or finds them by polling first.',
      urgency: 'soon',
      figure: ageWhileWaiting(relays),
      breach: { above: 120 },
      periods: 5,
      of: 5,
      silence: 'fine',
    },
    deadLetterAlarm(relays.deadLetters, {
      name: 'relay-queue-dead-letters',
      loses: 'An Argo CD could not be reached for three minutes and was not told of a push: it finds it by polling.',
      urgency: 'soon',
    }),
  ];
}

/** Where pull requests are told what they would do. */
function previewed({
  previews,
  functions: { 'preview-changes': of },
  settings: { stage },
}: Resources): readonly MetricAlarm[] {
  if (previews === undefined || of === undefined) return [];
  return [
    {
      kind: 'figure',
      name: 'previews-refused',
      loses: 'GitHub refuses our status or comment for good: reviewers do not see what a pull request does to nodes.',
      urgency: 'soon',
      figure: ownMetric({ of, stage, name: 'previewsRefused', period: fiveMinutes }),
      breach: { above: 0 },
      ...once,
      silence: 'fine',
    },
    {
      kind: 'figure',
      name: 'preview-queue-waiting',
      loses: 'Reviewers wait more than ten minutes to see what a pull request does to nodes, or merge without it.',
      urgency: 'soon',
      figure: ageWhileWaiting(previews),
      breach: { above: 600 },
      periods: 5,
      of: 5,
      silence: 'fine',
    },
    deadLetterAlarm(previews.deadLetters, {
      name: 'preview-queue-dead-letters',
      loses: 'A pull request was not told what it would do, and will not be until its next push.',
      urgency: 'soon',
    }),
  ];
}

function limits({ functions, table, told }: Resources): readonly MetricAlarm[] {
  const all = Object.values(functions);
  const { reads, writes } = table.throttles(fiveMinutes);
  return [
    {
      kind: 'figure',
      name: 'functions-throttled',
      loses: 'The account has no concurrency left for us: webhooks fail and passes come late.',
      urgency: 'urgent',
      // An alarm takes ten metrics. Previews are left out: their queue says when they are late; and buttons, which
      // people press again.
      figure: total(
        all
          .filter(({ entry }) => entry !== 'preview-changes' && entry !== 'receive-slack')
          .map((fn) => fn.throttles(fiveMinutes)),
        { label: 'throttled', period: fiveMinutes },
      ),
      breach: { above: 0 },
      ...persistently,
      silence: 'fine',
    },
    {
      kind: 'figure',
      name: 'functions-near-timeout',
      loses: 'A little slower, and passes or messages are cut off in the middle and done again from the start.',
      urgency: 'soon',
      // An alarm takes ten metrics. The handshake waits for a confirmation on purpose, as long as its caller may wait;
      // receive-slack makes three calls that are given up in time.
      figure: worstShareOfTimeout(all.filter(({ entry }) => entry !== 'handshake' && entry !== 'receive-slack')),
      breach: { above: 80 },
      ...persistently,
      silence: 'fine',
    },
    {
      kind: 'figure',
      name: 'table-throttled',
      loses: 'Incidents, messages and the status page lag behind. Holds do not: the pools carry them.',
      urgency: 'soon',
      figure: total([reads, writes], { label: 'throttled', period: fiveMinutes }),
      breach: { above: 0 },
      ...persistently,
      silence: 'fine',
    },
    {
      kind: 'figure',
      name: 'told-lost',
      loses:
        'Events could not even be put among the dead letters: subscribers never get them unless they are replayed.',
      urgency: 'soon',
      figure: total(
        [told.everything.ruleName, ...itself.map(({ name }) => name)].map((rule) => told.lost(rule, fiveMinutes)),
        { label: 'lost', period: fiveMinutes },
      ),
      breach: { above: 0 },
      ...once,
      silence: 'fine',
    },
  ];
}

/** What Poolkeeper says about itself when a part of it that people would hear it through may be the one that failed. */
const itself: readonly EventAlarm[] = [
  {
    kind: 'told',
    name: 'cluster-out-of-sight',
    loses: 'This cluster is neither protected nor watched: its pools stay as they are, paused ones paused.',
    urgency: 'urgent',
    pattern: incidentOpened('watcher-blind'),
  },
  {
    kind: 'told',
    name: 'alerts-not-delivered',
    loses:
      'A channel or mailbox does not get its messages; what is wrong with the pools is seen on the status page only.',
    urgency: 'urgent',
    pattern: incidentOpened('notify-failing'),
  },
  {
    kind: 'told',
    name: 'pool-paused-too-long',
    loses: 'The pool gets no configuration, no pull secret and no update as long as it stays paused.',
    urgency: 'soon',
    pattern: incidentOpened('paused-too-long'),
  },
];

function incidentOpened(kind: string): EventAlarm['pattern'] {
  return {
    source: ['poolkeeper'],
    detailType: ['poolkeeper.incident.opened.v1'],
    detail: { data: { kind: [kind] } },
  };
}

/** Age of the oldest message while messages wait for a worker. A message that waits for its next attempt grows old
 *  too, but is not visible: without this, one poisonous message would say that everything is late. */
function ageWhileWaiting(queue: QueueWithDeadLetters): MathExpression {
  return new MathExpression({
    expression: 'IF(waiting > 0, oldest, 0)',
    label: queue.label,
    period: oneMinute,
    usingMetrics: { waiting: queue.waiting(oneMinute), oldest: queue.oldestAgeSeconds(oneMinute) },
  });
}

/** Slowest invocation of the period as percent of what its function is allowed. */
function worstShareOfTimeout(functions: readonly PoolkeeperFunction[]): MathExpression {
  const shares = functions.map((fn, n) => `100 * m${n} / ${fn.timeout.toMilliseconds()}`);
  return new MathExpression({
    expression: `MAX([${shares.join(', ')}])`,
    label: '% of timeout',
    period: fiveMinutes,
    usingMetrics: numbered(functions.map((fn) => fn.slowestMs(fiveMinutes))),
  });
}

function total(figures: readonly IMetric[], props: { label: string; period: Duration }): MathExpression {
  const usingMetrics = numbered(figures);
  // FILL: a figure that is written only when something happened must not take the others' sum away.
  const terms = Object.keys(usingMetrics).map((id) => `FILL(${id}, 0)`);
  return new MathExpression({ expression: terms.join(' + '), usingMetrics, ...props });
}

function numbered(figures: readonly IMetric[]): Record<string, IMetric> {
  return Object.fromEntries(figures.map((figure, n) => [`m${n}`, figure]));
}
