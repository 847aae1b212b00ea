import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { metricNames, metricNamespace } from '../../functions/shell/metric-names.ts';
import { ownMetrics } from '../../infra/metrics.ts';
import { settingsOf } from '../../infra/settings.ts';
import { idOf, metricsOf, stage, synthesise, text } from './synthesised.ts';

const runbook = readFileSync(new URL('../../docs/runbook.md', import.meta.url), 'utf8');

/** Heading -> text of each section of the second level. */
const sections = new Map(
  runbook
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')).trim(), section] as const),
);

/** Every alarm of prod: name without the stack's, and the text people get. */
const alarms = [
  ...stage('prod')
    .ofType('AWS::CloudWatch::Alarm')
    .map(({ Properties }) => ({ name: Properties.AlarmName, said: text(Properties.AlarmDescription) })),
  ...stage('prod')
    .ofType('AWS::Events::Rule')
    .filter(({ Properties }) => Properties.Targets[0].InputTransformer !== undefined)
    .map(({ Properties }) => ({
      name: Properties.Name,
      said: text(Properties.Targets[0].InputTransformer.InputTemplate).replaceAll(/^"|"$/gm, ''),
    })),
].map(({ name, said }) => ({ name: String(name).replace(/^poolkeeper-prod-/, ''), said }));

describe('alarms', () => {
  it('have names of their own', () => {
    const names = alarms.map(({ name }) => name);

    expect(names.length).toBeGreaterThan(20);
    expect(names).toEqual([...new Set(names)]);
  });

  it.each(alarms.map(({ name, said }) => [name, said]))(
    '%s says what is lost, how urgent it is and where to read on',
    (name, said) => {
      expect(said).toMatch(/^Loses: .{20,}[.]$/m);
      expect(said).toMatch(/^Urgency: (urgent|soon)$/m);
      expect(said).toMatch(new RegExp(`^Runbook: .+#${name}$`, 'm'));
      expect(said).toMatch(/^Dashboard: https:\/\//m);
      expect(said.length).toBeLessThanOrEqual(1024);
    },
  );

  it('[C-12] each have a section of the runbook of the same name, and no section is about an alarm that is gone', () => {
    const general = ['First look', 'Commands', 'By hand'];

    expect([...sections.keys()].filter((heading) => !general.includes(heading)).sort()).toEqual(
      alarms.map(({ name }) => name).sort(),
    );
  });

  it.each(alarms.map(({ name, said }) => [name, said]))(
    '%s: its section says what is lost, where to look and what to do',
    (name, said) => {
      const section = sections.get(name) ?? '';
      const urgency = said.match(/^Urgency: (.+)$/m)?.[1];
      const loses = said.match(/^Loses: (.+)$/m)?.[1];

      expect(section).toContain(`**Loses** (${urgency}): ${loses}`);
      expect(section).toMatch(/^\*\*Look\*\* /m);
      expect(section).toMatch(/^\*\*Do\*\* /m);
    },
  );

  it('notify when they begin and when they end', () => {
    for (const { Properties: alarm } of stage('prod').ofType('AWS::CloudWatch::Alarm')) {
      expect(alarm.AlarmActions).toHaveLength(1);
      expect(alarm.OKActions).toEqual(alarm.AlarmActions);
    }
  });

  it('notify the topic of their urgency', () => {
    const topics = new Map(
      stage('prod')
        .ofType('AWS::SNS::Topic')
        .map(({ id, Properties }) => [id, String(Properties.TopicName)]),
    );

    for (const { Properties: alarm } of stage('prod').ofType('AWS::CloudWatch::Alarm')) {
      const urgency = text(alarm.AlarmDescription).match(/^Urgency: (.+)$/m)?.[1];
      expect(topics.get(idOf(alarm.AlarmActions[0]) ?? '')).toBe(`poolkeeper-prod-alarms-${urgency}`);
    }
  });

  it('[C-12] take silence for an answer, except of the clock: no tick, no pass and no look at them is the alarm', () => {
    const breaching = stage('prod')
      .ofType('AWS::CloudWatch::Alarm')
      .filter(({ Properties }) => Properties.TreatMissingData !== 'notBreaching')
      .map(({ Properties }) => [Properties.AlarmName, Properties.TreatMissingData]);

    expect(breaching).toEqual([
      ['poolkeeper-prod-ticks-stopped', 'breaching'],
      ['poolkeeper-prod-passes-stopped', 'breaching'],
      ['poolkeeper-prod-clusters-silent', 'breaching'],
    ]);
  });

  it('count dead letters that somebody is looking at, and the most of a period', () => {
    const deadLetters = stage('prod')
      .ofType('AWS::CloudWatch::Alarm')
      .filter(({ Properties }) => Properties.AlarmName.endsWith('-dead-letters'));

    expect(deadLetters).toHaveLength(6);
    for (const { Properties: alarm } of deadLetters) {
      const stats = alarm.Metrics.flatMap(
        (metric: { MetricStat?: { Metric: { MetricName: string }; Stat: string } }) =>
          metric.MetricStat ? [[metric.MetricStat.Metric.MetricName, metric.MetricStat.Stat]] : [],
      );
      expect(stats.sort()).toEqual([
        ['ApproximateNumberOfMessagesNotVisible', 'Maximum'],
        ['ApproximateNumberOfMessagesVisible', 'Maximum'],
      ]);
    }
  });

  it('watch metrics that the functions publish, under the same names and dimensions', () => {
    const written: readonly string[] = Object.values(metricNames);

    for (const name of Object.values(ownMetrics)) expect(written).toContain(name);
    const own = stage('prod')
      .ofType('AWS::CloudWatch::Alarm')
      .flatMap(metricsOf)
      .filter(({ Namespace }) => !Namespace.startsWith('AWS/'));
    expect(own.length).toBeGreaterThan(0);
    for (const { MetricName, Namespace, Dimensions } of own) {
      expect(Namespace).toBe(metricNamespace);
      expect(written).toContain(MetricName);
      expect(Dimensions.map(({ Name }) => Name)).toEqual(['environment', 'function']);
    }
  });

  it('[N-24] of Poolkeeper itself go from the bus to people without send-alerts, Slack or SES', () => {
    const rules = stage('prod')
      .ofType('AWS::Events::Rule')
      .filter(({ Properties }) => Properties.EventPattern.detail?.data?.kind !== undefined);

    expect(rules.flatMap(({ Properties }) => Properties.EventPattern.detail.data.kind).sort()).toEqual([
      'notify-failing',
      'paused-too-long',
      'watcher-blind',
    ]);
    for (const { Properties: rule } of rules) {
      expect(rule.Targets.map((target: { Arn: unknown }) => idOf(target.Arn))).toHaveLength(1);
      expect(idOf(rule.Targets[0].Arn)).toMatch(/^Bell/);
    }
  });

  it.each([
    // What failed, the alarm, whose metric it watches, and whether missing data raises it too.
    ['the ticks of the stack', 'ticks-stopped', 'AWS/Scheduler', 'breaching'],
    ['every pass', 'passes-stopped', 'keep-pools', 'breaching'],
    ['the ticks of one cluster, or its API server', 'clusters-silent', 'watch-ticks', 'breaching'],
    ['a channel that refuses', 'alerts-refused', 'send-alerts', 'notBreaching'],
    ['a channel that does not answer', 'alerts-delayed', 'send-alerts', 'notBreaching'],
    ['send-alerts itself', 'send-alerts-errors', 'AWS/Lambda', 'notBreaching'],
    ['a message that was given up', 'alert-queue-dead-letters', 'AWS/SQS', 'notBreaching'],
    ['the look at the ticks', 'watch-ticks-errors', 'AWS/Lambda', 'notBreaching'],
  ])('[N-24] when %s fails, %s reaches people from CloudWatch by mail', (_failed, name, whose, silence) => {
    const alarm = stage('prod')
      .ofType('AWS::CloudWatch::Alarm')
      .find(({ Properties }) => Properties.AlarmName === `poolkeeper-prod-${name}`);
    const metrics = alarm === undefined ? [] : metricsOf(alarm);

    const sources = metrics.map(({ Namespace, Dimensions }) =>
      Namespace === 'Poolkeeper' ? Dimensions.find((each) => each.Name === 'function')?.Value : Namespace,
    );
    expect([...new Set(sources)]).toEqual([whose]);
    expect(alarm?.Properties.TreatMissingData).toBe(silence);
    expect(idOf(alarm?.Properties.AlarmActions[0])).toMatch(/^Bell(urgent|soon)/);
  });

  it('[N-24] the look at the ticks runs by a schedule of its own, outside the group whose metrics it would hide', () => {
    const schedules = stage('prod')
      .ofType('AWS::Scheduler::Schedule')
      .filter(({ Properties }) => Properties.Name === 'watch-ticks');

    expect(schedules.map(({ Properties }) => Properties)).toMatchObject([
      { GroupName: 'poolkeeper-prod-chores', ScheduleExpression: 'rate(5 minutes)', State: 'ENABLED' },
    ]);
    expect(idOf(schedules[0]?.Properties.Target.Arn)).toMatch(/^WatchTicks/);
  });

  it('[N-24] goes to every mailbox of its urgency, and dev and prod may name others', () => {
    const settings = {
      ...settingsOf('prod'),
      alarmMailboxes: { urgent: ['call@example.com'], soon: ['team@example.com'] },
    };
    const subscriptions = synthesise({ settings }).ofType('AWS::SNS::Subscription');

    expect(subscriptions.map(({ Properties }) => [Properties.Protocol, Properties.Endpoint]).sort()).toEqual([
      ['email', 'call@example.com'],
      ['email', 'team@example.com'],
    ]);
  });
});
