import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { Tick } from '../../events/index.ts';
import { settingsOf } from '../../infra/settings.ts';
import { configuration } from './configuration.ts';
import { idOf, stage, text } from './synthesised.ts';

describe('what prod keeps', () => {
  const { template, ofType, stack } = stage('prod');

  it('keeps the table, its past and itself when the stack goes', () => {
    const [table] = ofType('AWS::DynamoDB::Table');

    expect(table).toMatchObject({
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      },
    });
    expect(stack.terminationProtection).toBe(true);
  });

  it('never changes the logical id of the table: CloudFormation would make an empty one', () => {
    expect(ofType('AWS::DynamoDB::Table').map(({ id }) => id)).toEqual(['MemoryTable']);
  });

  it('has the keys the functions write, pays per request and lets old items go', () => {
    template.hasResourceProperties('AWS::DynamoDB::Table', {
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
    });
  });
});

describe('what dev leaves behind', () => {
  const { resources, stack } = stage('dev');

  it('[C-7] leaves nothing: no resource is retained, protected or backed up', () => {
    const [table] = stage('dev').ofType('AWS::DynamoDB::Table');

    expect(resources.filter(({ DeletionPolicy }) => DeletionPolicy?.startsWith('Retain'))).toEqual([]);
    expect(table?.Properties).toMatchObject({
      DeletionProtectionEnabled: false,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: false },
    });
    expect(stack.terminationProtection).toBe(false);
  });
});

describe('the two stages', () => {
  it('are the same resources: they differ in settings only', () => {
    const kinds = (name: 'dev' | 'prod') => stage(name).resources.map(({ id, Type }) => `${Type} ${id}`);

    expect(kinds('dev')).toEqual(kinds('prod'));
  });

  it('can stand side by side in one account: every name says its stage', () => {
    const names = (name: 'dev' | 'prod') =>
      stage(name).resources.flatMap(({ Type, Properties }) =>
        ['FunctionName', 'QueueName', 'LogGroupName', 'TopicName', 'AlarmName', 'DashboardName', 'PolicyName']
          .map((key) => Properties?.[key])
          .concat(/Events::(Rule|EventBus)$|ScheduleGroup$|Api$/.test(Type) ? [Properties.Name] : [])
          .filter((value) => typeof value === 'string' && !/DefaultPolicy/.test(value)),
      );

    expect(names('dev').filter((name) => names('prod').includes(name))).toEqual([]);
    expect(names('prod').length).toBeGreaterThan(40);
  });
});

describe('stages', () => {
  it('are found by name', () => {
    expect(settingsOf('dev')).toMatchObject({ stage: 'dev', keepsData: false });
    expect(settingsOf('prod')).toMatchObject({ stage: 'prod', keepsData: true });
  });

  it.each(['production', '', undefined])('refuse %j with the names there are', (name) => {
    expect(() => settingsOf(name)).toThrow(/dev and prod/);
  });
});

describe('the HTTP API', () => {
  const { ofType, template } = stage('prod');

  it('opens eleven paths and no other', () => {
    expect(ofType('AWS::ApiGatewayV2::Route').map(({ Properties }) => Properties.RouteKey)).toEqual([
      'POST /github',
      'POST /argocd',
      'POST /cluster',
      'POST /handshake',
      'POST /slack',
      'ANY /fleet-lock/{proxy+}',
      'POST /callbacks/{id}',
      'GET /status',
      'GET /metrics',
      'GET /healthz',
      'GET /causes',
    ]);
  });

  it('counts requests by route and logs each without headers, query or body', () => {
    template.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      StageName: '$default',
      AutoDeploy: true,
      DefaultRouteSettings: { DetailedMetricsEnabled: true },
      AccessLogSettings: { DestinationArn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^DoorAccessLogs'), 'Arn'] } },
    });
    const format: string = ofType('AWS::ApiGatewayV2::Stage')[0]?.Properties.AccessLogSettings.Format;

    expect(Object.values(JSON.parse(format)).sort()).toEqual([
      '$context.identity.sourceIp',
      '$context.integrationErrorMessage',
      '$context.integrationLatency',
      '$context.requestId',
      '$context.requestTimeEpoch',
      '$context.responseLatency',
      '$context.responseLength',
      '$context.routeKey',
      '$context.status',
    ]);
  });

  it.each([
    ['receive-github', 10],
    ['receive-argocd', 10],
    ['receive-cluster', 10],
    ['receive-slack', 3.1],
    ['handshake', 30],
    ['fleet-lock', 30],
    ['receive-callback', 30],
    ['status', 30],
  ])('%s answers before its caller hangs up after %i s', (entry, patienceSeconds) => {
    const fn = ofType('AWS::Lambda::Function').find(({ Properties }) => Properties.FunctionName.endsWith(entry));

    expect(fn?.Properties.Timeout).toBeLessThan(patienceSeconds);
  });
});

describe('ticks', () => {
  const { ofType } = stage('prod');
  const schedules = ofType('AWS::Scheduler::Schedule').filter(
    ({ Properties }) => Properties.GroupName === 'poolkeeper-prod',
  );

  it('come once a minute for every cluster', () => {
    expect(schedules.map(({ Properties }) => Properties.Name)).toEqual(configuration.clusters.map(({ name }) => name));
    for (const { Properties: schedule } of schedules) {
      expect(schedule).toMatchObject({
        ScheduleExpression: 'rate(1 minute)',
        State: 'ENABLED',
        FlexibleTimeWindow: { Mode: 'OFF' },
      });
    }
  });

  it('are events that keep-pools takes, the same one for the same minute', () => {
    const [schedule] = schedules;

    const sent = schedule?.Properties.Target.Input.replaceAll('<aws.scheduler.scheduled-time>', '2026-11-21T09:06:00Z');
    const tick = Tick.parse(JSON.parse(sent));

    expect(tick).toMatchObject({ id: 'prod-eu/2026-11-21T09:06:00Z', data: { cluster: 'prod-eu', why: 'clock' } });
  });

  it('are given up after a minute, when the next one says the same', () => {
    for (const { Properties: schedule } of schedules) {
      expect(idOf(schedule.Target.Arn)).toMatch(/^WorkQueue/);
      expect(idOf(schedule.Target.DeadLetterConfig.Arn)).toMatch(/^UndeliveredTicks/);
      expect(schedule.Target.RetryPolicy).toEqual({ MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 3 });
    }
  });
});

describe('the bus', () => {
  const { template, ofType } = stage('prod');

  it('archives every published event, for a subscriber that was down', () => {
    template.hasResourceProperties('AWS::Events::Archive', {
      SourceArn: { 'Fn::GetAtt': [ofType('AWS::Events::EventBus')[0]?.id, 'Arn'] },
      RetentionDays: 90,
    });
  });

  it('writes every published event to a log group that EventBridge may write to', () => {
    const rule = ofType('AWS::Events::Rule').find(({ Properties }) => Properties.Name === 'poolkeeper-prod-told');
    const group = ofType('AWS::Logs::LogGroup').find(({ Properties }) => Properties.LogGroupName.endsWith('/told'));

    expect(group?.Properties.LogGroupName).toMatch(/^\/aws\/events\//);
    expect(text(rule?.Properties.Targets[0].Arn)).toMatch(new RegExp(`:log-group:\\$\\{${group?.id}\\}$`));
    expect(text(ofType('AWS::Logs::ResourcePolicy')[0]?.Properties.PolicyDocument)).toContain(`\${${group?.id}.Arn}`);
  });
});

describe('secrets', () => {
  const { ofType, template } = stage('prod');

  it('are made with a value that nobody chose, and none of them leaves the stack but as an ARN', () => {
    expect(ofType('AWS::SecretsManager::Secret')).toHaveLength(5);
    for (const { Properties: secret } of ofType('AWS::SecretsManager::Secret')) {
      expect(secret.SecretString).toBeUndefined();
      expect(secret.GenerateSecretString.PasswordLength).toBeGreaterThanOrEqual(32);
    }
    expect(JSON.stringify(template.toJSON())).not.toContain('{{resolve:secretsmanager');
  });
});

it('is the template of prod, so that a change to it is seen in review', async () => {
  const template = JSON.stringify(stage('prod').template.toJSON());

  const masked = template.replaceAll(/[0-9a-f]{64}/g, '<asset>');

  await expect(stringify(JSON.parse(masked))).toMatchFileSnapshot('snapshot/poolkeeper-prod.template.snap');
});
