import { Duration } from 'aws-cdk-lib';
import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IAlarm,
  type IWidget,
  LogQueryVisualizationType,
  LogQueryWidget,
  type MathExpression,
  type Metric,
  PeriodOverride,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { PoolkeeperFunction } from './constructs/poolkeeper-function.ts';
import type { Functions } from './functions.ts';
import { type OwnMetric, ownMetric } from './metrics.ts';
import type { Resources } from './resources.ts';
import type { StageName } from './settings.ts';

const period = Duration.minutes(1);
const full = 24;
const half = 12;
const third = 8;

export interface DashboardProps {
  readonly name: string;
  readonly resources: Resources;
  readonly alarms: readonly IAlarm[];
}

/** One page that answers, from top to bottom: is anything wrong, what was done, is work being processed, what fails. */
export function dashboard(scope: Construct, { name, resources, alarms }: DashboardProps): Dashboard {
  return new Dashboard(scope, 'Dashboard', {
    dashboardName: name,
    periodOverride: PeriodOverride.INHERIT,
    defaultInterval: Duration.hours(3),
    widgets: [
      [heading(resources), new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: 16, height: 6 })],
      [recentEvents(resources)],
      outcomes(resources),
      flow(resources),
      functions(resources),
      edges(resources),
    ],
  });
}

function heading({ settings, http }: Resources): IWidget {
  return new TextWidget({
    width: third,
    height: 6,
    markdown: [
      `# Poolkeeper ${settings.stage}`,
      `[Status page](${http.url}status) says which pool is held, by whom and why.`,
      `Every alarm has a section of its name in ${settings.runbook}.`,
    ].join('\n\n'),
  });
}

/** The latest published events. */
function recentEvents({ events }: Resources): IWidget {
  return new LogQueryWidget({
    title: 'What Poolkeeper did',
    view: LogQueryVisualizationType.TABLE,
    logGroupNames: [events.everything.logs.logGroupName],
    queryLines: [
      'fields @timestamp, detail.data.cluster as cluster, detail.data.pool as pool, `detail-type` as what, coalesce(detail.data.why, detail.data.headline, detail.data.verdict) as why',
      'sort @timestamp desc',
      'limit 50',
    ],
    width: full,
    height: 8,
  });
}

/** Whether Poolkeeper does its job: races won, pools resumed, clusters reached, alerts delivered. */
function outcomes({ functions: all, settings: { stage } }: Resources): IWidget[] {
  const ofPasses = (name: OwnMetric['name'], statistic: OwnMetric['statistic'] = 'Sum') =>
    ownMetric({ of: all['keep-pools'], stage, name, period, statistic });
  const ofAlerts = (name: OwnMetric['name']) => ownMetric({ of: all['send-alerts'], stage, name, period });
  return [
    graph('Races', third, {
      early: ofPasses('racesEarly'),
      'in time': ofPasses('racesInTime'),
      late: ofPasses('racesLate'),
      unprotected: ofPasses('racesUnprotected'),
    }),
    graph('Pools', third, { paused: ofPasses('poolsPaused'), resumed: ofPasses('poolsResumed') }),
    graph('Holds, most of a cluster', third, {
      all: ofPasses('holds', 'Maximum'),
      overdue: ofPasses('holdsOverdue', 'Maximum'),
    }),
    graph('Oldest hold (ms)', third, { oldest: ofPasses('oldestHoldAge', 'Maximum') }),
    graph('Age of ticks (ms)', third, { slowest: ofPasses('tickAge', 'Maximum') }),
    graph('Clusters not seen', third, {
      blind: ofPasses('blindClusters'),
      'ticks missed in a row': ofPasses('ticksMissed', 'Maximum'),
      silent: ownMetric({ of: all['watch-ticks'], stage, name: 'silentClusters', period, statistic: 'Maximum' }),
    }),
    ...(all.redeliver === undefined
      ? []
      : [
          graph('Lost deliveries of GitHub', third, {
            lost: ownMetric({ of: all.redeliver, stage, name: 'deliveriesLost', period }),
            'asked for again': ownMetric({ of: all.redeliver, stage, name: 'deliveriesRedelivered', period }),
          }),
        ]),
    ...relayedPushes(all, stage),
    ...pullRequestPreviews(all, stage),
    graph('Messages', third, {
      delivered: ofAlerts('alertsDelivered'),
      delayed: ofAlerts('alertsDelayed'),
      refused: ofAlerts('alertsRefused'),
    }),
  ];
}

function relayedPushes({ 'relay-pushes': of, 'receive-github': receiver }: Functions, stage: StageName): IWidget[] {
  if (of === undefined) return [];
  return [
    graph('Pushes passed on to Argo CD', third, {
      'pools paused': ownMetric({ of, stage, name: 'relaysInOrder', period }),
      late: ownMetric({ of, stage, name: 'relaysLate', period }),
      refused: ownMetric({ of, stage, name: 'relaysRefused', period }),
      'too large': ownMetric({ of: receiver, stage, name: 'relaysTooLarge', period }),
    }),
    graph('Pushes held back for (ms)', third, {
      longest: ownMetric({ of, stage, name: 'relayWait', period, statistic: 'Maximum' }),
    }),
  ];
}

function pullRequestPreviews({ 'preview-changes': of }: Functions, stage: StageName): IWidget[] {
  if (of === undefined) return [];
  return [
    graph('Pull requests told what they would do', third, {
      told: ownMetric({ of, stage, name: 'previewsTold', period }),
      refused: ownMetric({ of, stage, name: 'previewsRefused', period }),
    }),
  ];
}

function flow(resources: Resources): IWidget[] {
  const { http, work, alerts, relays, previews, ticks, functions: all, settings } = resources;
  const passes = (name: 'recordsHandled' | 'recordsFailed') =>
    ownMetric({ of: all['keep-pools'], stage: settings.stage, name, period });
  return [
    graph('Requests', third, {
      all: http.requests(period),
      refused: http.refused(period),
      failed: http.failed(period),
    }),
    graph('Slowest answers (ms)', third, { p99: http.slowestMs(period) }),
    graph('Ticks', third, { sent: ticks.attempts(period), dropped: ticks.dropped(period) }),
    graph('Oldest message (s)', third, {
      work: work.oldestAgeSeconds(period),
      alerts: alerts.oldestAgeSeconds(period),
      ...(relays && { relays: relays.oldestAgeSeconds(period) }),
      ...(previews && { previews: previews.oldestAgeSeconds(period) }),
    }),
    graph('Messages waiting', third, {
      work: work.waiting(period),
      alerts: alerts.waiting(period),
      ...(relays && { relays: relays.waiting(period) }),
      ...(previews && { previews: previews.waiting(period) }),
    }),
    graph('Passes', third, { done: passes('recordsHandled'), failed: passes('recordsFailed') }),
  ];
}

function functions({ functions: all }: Resources): IWidget[] {
  const each = (metric: (fn: PoolkeeperFunction) => DashboardMetric) =>
    Object.fromEntries(Object.values(all).map((fn) => [fn.entry, metric(fn)]));
  return [
    graph(
      'Function errors',
      third,
      each((fn) => fn.errors(period)),
    ),
    graph(
      'Slowest invocations (ms)',
      third,
      each((fn) => fn.slowestMs(period)),
    ),
    graph(
      'Invocations',
      third,
      each((fn) => fn.invocations(period)),
    ),
  ];
}

function edges({ work, alerts, relays, previews, undeliveredTicks, undeliveredEvents, table }: Resources): IWidget[] {
  const queues = [work, alerts, relays, previews].flatMap((queue) => queue?.deadLetters ?? []);
  const deadLetters = [...queues, undeliveredTicks, undeliveredEvents];
  const counts = Object.fromEntries(deadLetters.map((queue) => [queue.label, queue.count(period)]));
  return [graph('Dead letters', half, counts), graph('Table throttles', half, table.throttles(period))];
}

type DashboardMetric = Metric | MathExpression;

function graph(title: string, width: number, metrics: Readonly<Record<string, DashboardMetric>>): IWidget {
  const left = Object.entries(metrics).map(([label, metric]) => metric.with({ label }));
  return new GraphWidget({ title, width, height: 6, left, leftYAxis: { min: 0 } });
}
