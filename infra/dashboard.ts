import { Duration } from 'aws-cdk-lib';
import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IAlarm,
  type IMetric,
  type IWidget,
  LogQueryVisualizationType,
  LogQueryWidget,
  PeriodOverride,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { House } from './alarms.ts';
import { ownFigure } from './figures.ts';

const period = Duration.minutes(1);
const full = 24;
const half = 12;
const third = 8;

export interface DashboardProps {
  readonly name: string;
  readonly house: House;
  readonly alarms: readonly IAlarm[];
}

/** One page that answers, from top to bottom: is anything wrong, what was done, does work flow, does it fail anywhere. */
export function dashboard(scope: Construct, { name, house, alarms }: DashboardProps): Dashboard {
  return new Dashboard(scope, 'Dashboard', {
    dashboardName: name,
    periodOverride: PeriodOverride.INHERIT,
    defaultInterval: Duration.hours(3),
    widgets: [
      [heading(house), new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: 16, height: 6 })],
      [told(house)],
      flow(house),
      functions(house),
      edges(house),
    ],
  });
}

function heading({ settings, door }: House): IWidget {
  return new TextWidget({
    width: third,
    height: 6,
    markdown: [
      `# Poolkeeper ${settings.stage}`,
      `[Status page](${door.url}status) says which pool is held, by whom and why.`,
      `Every alarm has a section of its name in ${settings.runbook}.`,
    ].join('\n\n'),
  });
}

/** The last things done, in the words of the bus. */
function told({ told: bus }: House): IWidget {
  return new LogQueryWidget({
    title: 'What Poolkeeper did',
    view: LogQueryVisualizationType.TABLE,
    logGroupNames: [bus.everything.logs.logGroupName],
    queryLines: [
      'fields @timestamp, detail.data.cluster as cluster, detail.data.pool as pool, `detail-type` as what, coalesce(detail.data.why, detail.data.headline, detail.data.verdict) as why',
      'sort @timestamp desc',
      'limit 50',
    ],
    width: full,
    height: 8,
  });
}

function flow(house: House): IWidget[] {
  const { door, work, alerts, ticks, functions: all, settings } = house;
  const passes = (name: 'recordsHandled' | 'recordsFailed') =>
    ownFigure({ of: all['keep-pools'], stage: settings.stage, name, period });
  return [
    graph('Requests', third, [door.requests(period), door.refused(period), door.failed(period)]),
    graph('Slowest answers (ms)', third, [door.slowestMs(period)]),
    graph('Ticks sent', third, [ticks.attempts(period), ticks.dropped(period)]),
    graph('Oldest message (s)', third, [work.oldestAgeSeconds(period), alerts.oldestAgeSeconds(period)]),
    graph('Messages waiting', third, [work.waiting(period), alerts.waiting(period)]),
    graph('Passes done and failed', third, [passes('recordsHandled'), passes('recordsFailed')]),
  ];
}

function functions({ functions: all }: House): IWidget[] {
  const each = Object.values(all);
  return [
    graph(
      'Function errors',
      third,
      each.map((fn) => fn.errors(period)),
    ),
    graph(
      'Slowest invocations (ms)',
      third,
      each.map((fn) => fn.slowestMs(period)),
    ),
    graph(
      'Invocations',
      third,
      each.map((fn) => fn.invocations(period)),
    ),
  ];
}

function edges({ work, alerts, undeliveredTicks, undeliveredTold, table }: House): IWidget[] {
  const { reads, writes } = table.throttles(period);
  const letters = [work.deadLetters, alerts.deadLetters, undeliveredTicks, undeliveredTold];
  return [
    graph(
      'Dead letters',
      half,
      letters.map((queue) => queue.count(period)),
    ),
    graph('Table throttles', half, [reads, writes]),
  ];
}

function graph(title: string, width: number, left: readonly IMetric[]): IWidget {
  return new GraphWidget({ title, width, height: 6, left: [...left], leftYAxis: { min: 0 } });
}
