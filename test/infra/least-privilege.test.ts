import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ruleFunctionNames } from '../../infra/configuration.ts';
import { idOf, list, type Statement, stage, statementsOf, synthesise, text } from './synthesised.ts';

/** Actions for which AWS has no resource to name. Whatever else wants a `*` must argue its way onto this list. */
const actionsWithoutResource = ['xray:PutTelemetryRecords', 'xray:PutTraceSegments'];

describe.each(['dev', 'prod'] as const)('roles of %s', (name) => {
  const stack = stage(name);
  const statements = stack
    .ofType('AWS::IAM::Policy')
    .flatMap(({ id, Properties }) =>
      (Properties.PolicyDocument.Statement as Statement[]).map((statement) => [id, statement] as const),
    );

  it('allow named actions only, never a pattern of actions', () => {
    const patterns = statements.flatMap(([, { Action }]) => list(Action)).filter((action) => /[*?]/.test(action));

    expect(patterns).toEqual([]);
  });

  it('name every resource, but for tracing, which has none', () => {
    const onEverything = statements
      .filter(([, { Resource }]) => list(Resource).includes('*'))
      .flatMap(([, { Action }]) => list(Action));

    expect([...new Set(onEverything)].sort()).toEqual(actionsWithoutResource);
  });

  it('have no other star or wildcard in a resource than the six characters Secrets Manager adds', () => {
    const wild = statements
      .flatMap(([, { Resource }]) => list(Resource).map(text))
      .filter((resource) => resource !== '*' && /[*?]/.test(resource.replace(/-\?{6}$/, '')));

    expect(wild).toEqual([]);
  });

  it('deny nothing: a right that is not there needs no denying', () => {
    expect(statements.filter(([, { Effect }]) => Effect !== 'Allow')).toEqual([]);
  });

  it('belong to functions, to Scheduler and to the event alarms, one each', () => {
    const roles = stack.ofType('AWS::IAM::Policy').map(({ Properties }) => Properties.Roles.map(idOf));

    expect(roles.every((of: unknown[]) => of.length === 1)).toBe(true);
    expect(new Set(roles.flat()).size).toBe(roles.length);
    expect(stack.ofType('AWS::IAM::ManagedPolicy')).toEqual([]);
  });
});

const clusterTokens = ['poolkeeper/clusters/prod-eu-??????', 'clusters/prod-us-AbCdEf'];

describe('what each function may do in prod', () => {
  const stack = stage('prod');
  const everyFunction = ['logs:CreateLogStream', 'logs:PutLogEvents', ...actionsWithoutResource];
  const receive = ['secretsmanager:GetSecretValue', 'sqs:SendMessage'];
  const renew = 'secretsmanager:PutSecretValue';
  const readTable = ['dynamodb:GetItem', 'dynamodb:Query'];
  const keepTable = [...readTable, 'dynamodb:PutItem', 'dynamodb:UpdateItem'];
  const consume = [
    'sqs:ChangeMessageVisibility',
    'sqs:DeleteMessage',
    'sqs:GetQueueAttributes',
    'sqs:GetQueueUrl',
    'sqs:ReceiveMessage',
  ];

  it.each([
    ['receive-github', receive],
    ['receive-argocd', receive],
    ['receive-cluster', receive],
    ['receive-slack', [...receive, 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem']],
    ['fleet-lock', ['secretsmanager:GetSecretValue', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem']],
    ['receive-callback', ['dynamodb:GetItem', 'dynamodb:PutItem']],
    ['handshake', [...receive, ...keepTable, 'dynamodb:BatchGetItem', 'events:PutEvents']],
    [
      'keep-pools',
      [
        ...[...receive, ...keepTable, 'dynamodb:BatchGetItem', ...consume, 'events:PutEvents', renew],
        'lambda:InvokeFunction',
      ],
    ],
    ['send-alerts', [...receive, ...keepTable, ...consume, 'ses:SendEmail', 'ses:SendRawEmail']],
    ['status', ['secretsmanager:GetSecretValue', ...readTable]],
    ['watch-ticks', ['dynamodb:GetItem']],
    ['redeliver', ['secretsmanager:GetSecretValue', 'dynamodb:GetItem', 'dynamodb:PutItem']],
    ['relay-pushes', ['sqs:SendMessage', ...keepTable, ...consume, 'events:PutEvents']],
    ['preview-changes', ['secretsmanager:GetSecretValue', 'dynamodb:GetItem', 'dynamodb:PutItem', ...consume]],
  ])('%s: these actions and no other', (entry, actions) => {
    const allowed = statementsOf(stack, entry).flatMap(({ Action }) => list(Action));

    expect([...new Set(allowed)].sort()).toEqual([...everyFunction, ...actions].sort());
  });

  it.each([
    ['receive-github', ['Github']],
    ['receive-argocd', ['ArgocdToken']],
    ['receive-cluster', ['ClusterToken']],
    ['receive-slack', ['poolkeeper/slack-signing-??????']],
    ['fleet-lock', ['poolkeeper/fleet-lock-??????']],
    ['receive-callback', []],
    ['handshake', ['HandshakeToken', ...clusterTokens, 'poolkeeper/itsm-??????']],
    [
      'keep-pools',
      [
        ...clusterTokens,
        ...['itsm', 'change', 'change-key', 'gate', 'calendar', 'github-token'].map(
          (name) => `poolkeeper/${name}-??????`,
        ),
      ],
    ],
    [
      'send-alerts',
      [
        'poolkeeper/slack-??????',
        'poolkeeper/slack-webhook-??????',
        'poolkeeper/pagerduty-??????',
        'poolkeeper/hook-??????',
        'poolkeeper/hook-key-??????',
      ],
    ],
    ['status', ['StatusToken']],
    ['watch-ticks', []],
    ['redeliver', ['poolkeeper/github-token-??????']],
    ['relay-pushes', []],
    [
      'preview-changes',
      ['poolkeeper/clusters/prod-eu-??????', 'clusters/prod-us-AbCdEf', 'poolkeeper/github-token-??????'],
    ],
  ])('%s reads these secrets and no other', (entry, secrets) => {
    const readable = statementsOf(stack, entry)
      .filter(({ Action }) => list(Action).includes('secretsmanager:GetSecretValue'))
      .flatMap(({ Resource }) => list(Resource).map(text));

    const short = readable.map((arn) => arn.replace(/^.*:secret:/, '').replace(/^\$\{(.*?)Secret[0-9A-F]{8}\}$/, '$1'));
    expect(short.sort()).toEqual([...secrets].sort());
  });

  it.each([
    ['handshake', []],
    ['keep-pools', ['poolkeeper/clusters/prod-eu-??????', 'clusters/prod-us-AbCdEf']],
  ])('[C-13] %s renews the tokens of the clusters and writes no other secret', (entry, secrets) => {
    const writable = statementsOf(stack, entry)
      .filter(({ Action }) => list(Action).includes(renew))
      .flatMap(({ Resource }) => list(Resource).map(text));

    expect(writable.map((arn) => arn.replace(/^.*:secret:/, '')).sort()).toEqual([...secrets].sort());
  });

  it.each([
    ['receive-github', ['Previews', 'Relays', 'Work']],
    ['receive-argocd', ['Work']],
    ['receive-cluster', ['Work']],
    ['handshake', ['Alerts', 'Work']],
    ['keep-pools', ['Alerts', 'Work']],
    ['fleet-lock', []],
    ['receive-callback', []],
    ['receive-slack', ['Alerts']],
    ['send-alerts', ['Alerts', 'Work']],
    ['status', []],
    ['watch-ticks', []],
    ['redeliver', []],
    ['relay-pushes', ['Relays']],
    ['preview-changes', []],
  ])('%s fills these queues and no other', (entry, queues) => {
    const filled = statementsOf(stack, entry)
      .filter(({ Action }) => list(Action).includes('sqs:SendMessage'))
      .flatMap(({ Resource }) => list(Resource).map((resource) => idOf(resource)?.replace(/Queue.*/, '')));

    expect(filled.sort()).toEqual(queues);
  });

  it.each(
    stack.ofType('AWS::Lambda::Function').map(({ Properties }) => [Properties.FunctionName, Properties] as const),
  )('%s writes to its own log group only', (_name, fn) => {
    const written = statementsOf(stack, fn.FunctionName.replace('poolkeeper-prod-', ''))
      .filter(({ Action }) => list(Action).includes('logs:PutLogEvents'))
      .flatMap(({ Resource }) => list(Resource).map(idOf));

    expect(written).toEqual([idOf(fn.LoggingConfig.LogGroup)]);
  });

  it('is what the adapters call, no less and no more', () => {
    const byLambdaItself = [...everyFunction, ...consume];
    // SES asks for this one where it makes a raw mail of ours, for its headers.
    const impliedBySes = ['SendRawEmail'];
    // functions/adapters/aws/rule-functions.ts signs this one request itself.
    const signed = ['InvokeFunction'];

    const granted = stack
      .ofType('AWS::Lambda::Function')
      .flatMap(({ Properties }) => statementsOf(stack, Properties.FunctionName.replace('poolkeeper-prod-', '')))
      .flatMap(({ Action }) => list(Action))
      .filter((action) => !byLambdaItself.includes(action))
      .map((action) => action.replace(/^.*:/, ''));

    // What the mapping of a queue is granted anyway, the adapters may call too.
    const called = commandsOfAdapters().filter((command) => !consume.includes(`sqs:${command}`));
    expect([...new Set(granted)].sort()).toEqual([...new Set([...called, ...impliedBySes, ...signed])].sort());
  });

  it('[S4-26] [C-11] keep-pools invokes the functions that rules name, and none without one', () => {
    const invokes = statementsOf(stack, 'keep-pools').filter(({ Action }) =>
      list(Action).includes('lambda:InvokeFunction'),
    );

    const resources = invokes.flatMap(({ Resource }) => list(Resource)).map((each) => JSON.stringify(each));
    expect(resources).toEqual([
      '"arn:aws:lambda:eu-west-1:111122223333:function:take-note:live"',
      expect.stringMatching(/:lambda:.*:function:take-note"/),
    ]);
    expect(ruleFunctionNames({ nodeTurns: { rules: { move: {} } } })).toEqual([]);
    expect(ruleFunctionNames({ nodeTurns: undefined })).toEqual([]);
  });

  it('[S4-30] without a rule that waits for a callback, nobody can send one', () => {
    const quiet = synthesise({
      configuration: {
        clusters: [{ name: 'one', api: { tokenSecret: 'one' } }],
        argocd: [],
        nodeTurns: { rules: { tell: { http: {} } } },
        alerts: { targets: [{ kind: 'outbox' }] },
      },
    });

    const keys = quiet.ofType('AWS::ApiGatewayV2::Route').map(({ Properties }) => Properties.RouteKey);
    expect(keys).not.toContain('POST /callbacks/{id}');
    expect(statementsOf(quiet, 'receive-callback')).toEqual([]);
  });

  it('mail leaves from the configured address only, verified itself or by its domain', () => {
    const mail = statementsOf(stack, 'send-alerts').filter(({ Action }) => list(Action).includes('ses:SendEmail'));

    expect(mail).toMatchObject([{ Condition: { StringEquals: { 'ses:FromAddress': 'alerts@example.com' } } }]);
    expect(
      mail.flatMap(({ Resource }) =>
        list(Resource)
          .map(text)
          .map((arn) => arn.replace(/^.*:/, '')),
      ),
    ).toEqual(['configuration-set/poolkeeper-prod', 'identity/alerts@example.com', 'identity/example.com']);
  });

  it('without mail and Slack in the configuration, send-alerts may neither send mail nor read a secret', () => {
    const quiet = synthesise({
      configuration: {
        clusters: [{ name: 'one', api: { tokenSecret: 'one' } }],
        argocd: [],
        alerts: { targets: [{ kind: 'outbox' }] },
      },
    });

    const allowed = statementsOf(quiet, 'send-alerts').flatMap(({ Action }) => list(Action));

    expect(allowed.filter((action) => /^(ses|secretsmanager):/.test(action))).toEqual([]);
  });

  it('Scheduler sends ticks to the work queue and to their dead letters, and may do nothing else', () => {
    const role = stack.ofType('AWS::IAM::Role').find(({ id }) => id.startsWith('SchedulerRole'));
    const policy = stack.ofType('AWS::IAM::Policy').find(({ Properties }) => idOf(Properties.Roles[0]) === role?.id);

    expect(policy?.Properties.PolicyDocument.Statement).toHaveLength(1);
    expect(policy?.Properties.PolicyDocument.Statement[0].Action).toBe('sqs:SendMessage');
    expect(
      list(policy?.Properties.PolicyDocument.Statement[0].Resource).map((queue) => idOf(queue)?.replace(/Queue.*/, '')),
    ).toEqual(['UndeliveredTicks', 'Work']);
  });

  it('Scheduler runs the functions that have schedules of their own, and may do nothing else', () => {
    const role = stack.ofType('AWS::IAM::Role').find(({ id }) => id.startsWith('ChoresRole'));
    const policy = stack.ofType('AWS::IAM::Policy').find(({ Properties }) => idOf(Properties.Roles[0]) === role?.id);
    const statements: readonly Statement[] = policy?.Properties.PolicyDocument.Statement;

    expect(
      statements.map(({ Action, Resource }) => [
        Action,
        list(Resource).map((each) => idOf(each)?.replace(/[A-Z][a-z]+[0-9A-F]{8}$/, '')),
      ]),
    ).toEqual([
      ['sqs:SendMessage', ['UndeliveredTicks']],
      ['lambda:InvokeFunction', ['Redeliver', 'WatchTicks']],
    ]);
  });
});

/** Names of the AWS calls in functions/adapters/, from `new PutEventsCommand(` and its like. */
function commandsOfAdapters(): readonly string[] {
  const adapters = new URL('../../functions/adapters/', import.meta.url);
  return readdirSync(adapters, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(new URL(file, adapters), 'utf8'))
    .filter((source) => source.includes("from '@aws-sdk/"))
    .flatMap((source) => [...source.matchAll(/new (\w+)Command\(/g)].map((match) => match[1] ?? ''));
}
