import { describe, expect, it } from 'vitest';
import { idOf, list, metricsOf, type Resource, type Synthesised, stage, statementsOf, text } from './synthesised.ts';

/** What must hold for every resource of a kind, also for those that somebody adds tomorrow. */
describe.each(['dev', 'prod'] as const)('every resource of %s', (name) => {
  const stack = stage(name);
  const { ofType } = stack;

  it('has the fourteen functions, four mappings, ten queues and eleven routes that the sentences below are about', () => {
    const counts = [
      'AWS::Lambda::Function',
      'AWS::Lambda::EventSourceMapping',
      'AWS::SQS::Queue',
      'AWS::ApiGatewayV2::Route',
    ].map((type) => ofType(type).length);

    expect(counts).toEqual([14, 4, 10, 11]);
  });

  describe.each(ofType('AWS::Lambda::Function').map((fn) => [fn.Properties.FunctionName, fn] as const))(
    'function %s',
    (_name, fn) => {
      it('runs on Node 24, arm64, traced', () => {
        expect(fn.Properties).toMatchObject({
          Runtime: 'nodejs24.x',
          Architectures: ['arm64'],
          Handler: 'index.handler',
          TracingConfig: { Mode: 'Active' },
        });
      });

      it('writes JSON to a log group of its own that forgets', () => {
        const group = stack.resources.find(({ id }) => id === idOf(fn.Properties.LoggingConfig.LogGroup));

        expect(fn.Properties.LoggingConfig.LogFormat).toBe('JSON');
        expect(group?.Type).toBe('AWS::Logs::LogGroup');
        expect(group?.Properties.RetentionInDays).toBeGreaterThan(0);
      });

      it('has a role of its own without managed policies', () => {
        const others = ofType('AWS::Lambda::Function').filter((other) => other !== fn);
        const role = stack.resources.find(({ id }) => id === idOf(fn.Properties.Role));

        expect(others.map(({ Properties }) => idOf(Properties.Role))).not.toContain(role?.id);
        expect(role?.Properties.ManagedPolicyArns).toBeUndefined();
      });

      it('is told its stage and holds no secret, only where secrets are', () => {
        const { Variables: variables } = fn.Properties.Environment;

        expect(variables.POOLKEEPER_STAGE).toBe(name);
        for (const [key, value] of Object.entries(variables)) {
          if (/SECRET|TOKEN|PASSWORD|KEY/.test(key)) expect(key).toMatch(/_ARN$/);
          expect(JSON.stringify(value)).not.toContain('{{resolve:');
        }
      });

      it('has an alarm for its errors', () => {
        const alarms = ofType('AWS::CloudWatch::Alarm')
          .flatMap(metricsOf)
          .filter(
            ({ MetricName, Dimensions }) =>
              MetricName === 'Errors' && Dimensions.some(({ Value }) => idOf(Value) === fn.id),
          );

        expect(alarms).toHaveLength(1);
      });
    },
  );

  describe.each(ofType('AWS::SQS::Queue').map((queue) => [queue.Properties.QueueName, queue] as const))(
    'queue %s',
    (_name, queue) => {
      it('is encrypted', () => {
        expect(queue.Properties.SqsManagedSseEnabled).toBe(true);
      });

      it('refuses everything but TLS', () => {
        const statements = policiesOn(stack, queue).filter(
          (statement) =>
            statement.Effect === 'Deny' &&
            statement.Action === 'sqs:*' &&
            statement.Condition?.Bool?.['aws:SecureTransport'] === 'false',
        );

        expect(statements).toHaveLength(1);
      });

      it('either has dead letters after five attempts or keeps dead letters for fourteen days', () => {
        const { RedrivePolicy: redrive, MessageRetentionPeriod: retentionSeconds } = queue.Properties;

        if (redrive === undefined) {
          expect(retentionSeconds).toBe(14 * 24 * 3600);
          return;
        }
        const letters = stack.resources.find(({ id }) => id === idOf(redrive.deadLetterTargetArn));
        expect(redrive.maxReceiveCount).toBe(5);
        expect(letters?.Properties.MessageRetentionPeriod).toBe(14 * 24 * 3600);
        expect(letters?.Properties.MessageRetentionPeriod).toBeGreaterThan(retentionSeconds);
      });
    },
  );

  it.each(ofType('AWS::Lambda::EventSourceMapping').map((mapping) => [mapping.id, mapping] as const))(
    'mapping %s reports single failures, has at least two workers and filters nothing away',
    (_id, { Properties: mapping }) => {
      expect(mapping.FunctionResponseTypes).toEqual(['ReportBatchItemFailures']);
      expect(mapping.ScalingConfig.MaximumConcurrency).toBeGreaterThanOrEqual(2);
      expect(mapping.FilterCriteria).toBeUndefined();
    },
  );

  it.each(ofType('AWS::Lambda::EventSourceMapping').map((mapping) => [mapping.id, mapping] as const))(
    'mapping %s takes one message at a time: what hangs on one cluster or channel cuts off no other message',
    (_id, { Properties: mapping }) => {
      expect(mapping.BatchSize).toBe(1);
    },
  );

  it.each(ofType('AWS::Lambda::EventSourceMapping').map((mapping) => [mapping.id, mapping] as const))(
    'mapping %s hides a message for six timeouts and keeps it for all attempts',
    (_id, { Properties: mapping }) => {
      const fn = stack.resources.find(({ id }) => id === idOf(mapping.FunctionName));
      const queue = stack.resources.find(({ id }) => id === idOf(mapping.EventSourceArn));
      const { VisibilityTimeout: visibility, RedrivePolicy, MessageRetentionPeriod } = queue?.Properties ?? {};

      expect(visibility).toBeGreaterThanOrEqual(6 * fn?.Properties.Timeout);
      expect(MessageRetentionPeriod).toBeGreaterThan(RedrivePolicy.maxReceiveCount * visibility);
    },
  );

  it('[N-26] whatever is invoked again by what it sends may be, and nothing else: Lambda would stop it after some sixteen times', () => {
    const functions = ofType('AWS::Lambda::Function');
    const allowed = functions.filter(({ Properties }) => Properties.RecursiveLoop === 'Allow');
    const looping = functions.filter(({ id }) => isInvokedByItself(stack, id));

    expect(looping).toHaveLength(3);
    expect(allowed.map(({ id }) => id)).toEqual(looping.map(({ id }) => id));
  });

  it.each(ofType('AWS::Events::Rule').map((rule) => [rule.Properties.Name, rule] as const))(
    'rule %s gives up in time and puts what it could not deliver among dead letters',
    (_name, rule) => {
      for (const target of rule.Properties.Targets) {
        const letters = stack.resources.find(({ id }) => id === idOf(target.DeadLetterConfig?.Arn));
        const may = policiesOn(stack, letters).filter(
          (statement) => idOf(statement.Condition?.ArnEquals?.['aws:SourceArn']) === rule.id,
        );

        expect(letters?.Type).toBe('AWS::SQS::Queue');
        expect(may).toMatchObject([
          { Effect: 'Allow', Action: 'sqs:SendMessage', Principal: { Service: 'events.amazonaws.com' } },
        ]);
        expect(target.RetryPolicy.MaximumEventAgeInSeconds).toBeLessThanOrEqual(3600);
        expect(target.RetryPolicy.MaximumRetryAttempts).toBeLessThanOrEqual(20);
      }
    },
  );

  it('the rule for mail listens on the default bus to our own configuration set, and may send to the alert queue only', () => {
    const [rule, ...others] = ofType('AWS::Events::Rule').filter(isForMail);
    const [set] = ofType('AWS::SES::ConfigurationSet');
    const queue = stack.resources.find(({ id }) => id === idOf(rule?.Properties.Targets[0]?.Arn));

    expect(others).toEqual([]);
    // None named: the default bus.
    expect(rule?.Properties.EventBusName).toBeUndefined();
    expect(rule?.Properties.EventPattern).toEqual({
      source: ['aws.ses'],
      detail: {
        eventType: ['Bounce', 'Complaint', 'Delivery'],
        mail: { tags: { 'ses:configuration-set': [set?.Properties.Name] } },
      },
    });
    expect(queue?.Properties.QueueName).toBe(`poolkeeper-${name}-alert-queue`);
    expect(
      policiesOn(stack, queue).filter(({ Principal }) => Principal?.Service === 'events.amazonaws.com'),
    ).toMatchObject([
      { Effect: 'Allow', Action: 'sqs:SendMessage', Condition: { ArnEquals: { 'aws:SourceArn': expect.anything() } } },
    ]);
  });

  it.each(
    ofType('AWS::Events::Rule')
      .filter((rule) => !isForMail(rule))
      .map((rule) => [rule.Properties.Name, rule] as const),
  )('rule %s listens on our bus to our types only', (_name, { Properties: rule }) => {
    expect(idOf(rule.EventBusName)).toBe(ofType('AWS::Events::EventBus')[0]?.id);
    expect(rule.EventPattern.source).toEqual(['poolkeeper']);
    expect(JSON.stringify(rule.EventPattern['detail-type'])).toContain('poolkeeper.');
  });

  it.each(ofType('AWS::Logs::LogGroup').map((group) => [group.Properties.LogGroupName, group] as const))(
    'log group %s forgets, carries the name of the stage and goes with the stack',
    (_name, group) => {
      expect(group.Properties.RetentionInDays).toBeGreaterThan(0);
      expect(group.Properties.LogGroupName).toContain(`poolkeeper-${name}`);
      expect(group.DeletionPolicy).toBe('Delete');
    },
  );

  it.each(ofType('AWS::SNS::Topic').map((topic) => [topic.Properties.TopicName, topic] as const))(
    'topic %s refuses everything but TLS and takes alarms of this account only',
    (_name, topic) => {
      const policy = ofType('AWS::SNS::TopicPolicy').find(({ Properties }) => idOf(Properties.Topics[0]) === topic.id);

      expect(policy?.Properties.PolicyDocument.Statement).toMatchObject([
        { Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
        {
          Effect: 'Allow',
          Principal: { Service: 'cloudwatch.amazonaws.com' },
          Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
        },
      ]);
    },
  );

  it.each(ofType('AWS::ApiGatewayV2::Route').map((route) => [route.Properties.RouteKey, route] as const))(
    'route %s may invoke its function, and nothing else may through the API',
    (key, route) => {
      const integration = stack.resources.find(({ id }) => text(route.Properties.Target).endsWith(`\${${id}}`));
      const path = String(key).split(' ')[1];
      const permissions = ofType('AWS::Lambda::Permission').filter(
        ({ Properties }) =>
          Properties.Principal === 'apigateway.amazonaws.com' && text(Properties.SourceArn).endsWith(`/*/*${path}`),
      );

      expect(integration?.Properties).toMatchObject({ IntegrationType: 'AWS_PROXY', PayloadFormatVersion: '2.0' });
      expect(permissions.map(({ Properties }) => idOf(Properties.FunctionName))).toEqual([
        idOf(integration?.Properties.IntegrationUri),
      ]);
    },
  );

  it.each(ofType('AWS::IAM::Role').map((role) => [role.id, role] as const))(
    'role %s can be taken on by one service',
    (_id, { Properties: role }) => {
      const statements = role.AssumeRolePolicyDocument.Statement;

      expect(statements).toHaveLength(1);
      expect(statements[0].Principal.Service).toMatch(/^(lambda|scheduler|events)\.amazonaws\.com$/);
      if (statements[0].Principal.Service !== 'lambda.amazonaws.com') expect(statements[0].Condition).toBeDefined();
    },
  );

  it('has no custom resource: nothing runs at deploy time that the tests do not know', () => {
    const custom = stack.resources.filter(
      ({ Type }) => Type.startsWith('Custom::') || Type === 'AWS::CloudFormation::CustomResource',
    );

    expect(custom).toEqual([]);
  });
});

function policiesOn(stack: Synthesised, resource: Resource | undefined) {
  return stack
    .ofType('AWS::SQS::QueuePolicy')
    .filter(({ Properties }) => Properties.Queues.some((queue: unknown) => idOf(queue) === resource?.id))
    .flatMap(({ Properties }) => Properties.PolicyDocument.Statement);
}

/** Whether what a function sends to queues invokes it again, straight away or by way of other functions. */
function isInvokedByItself(stack: Synthesised, id: string): boolean {
  const invoked = new Set<string | undefined>();
  const toFollow = [id];
  for (const each of toFollow) {
    const next = invokedBy(stack, each).filter((one) => !invoked.has(one));
    for (const one of next) invoked.add(one);
    toFollow.push(...next);
  }
  return invoked.has(id);
}

/** The functions of the queues to which the role of a function may send. */
function invokedBy(stack: Synthesised, id: string): readonly string[] {
  const fn = stack.resources.find((each) => each.id === id);
  const entry = String(fn?.Properties.FunctionName).replace(/^poolkeeper-[a-z]+-/, '');
  const filled = statementsOf(stack, entry)
    .filter(({ Effect, Action }) => Effect === 'Allow' && list(Action).includes('sqs:SendMessage'))
    .flatMap(({ Resource }) => list(Resource).map(idOf));
  return stack
    .ofType('AWS::Lambda::EventSourceMapping')
    .filter(({ Properties }) => filled.includes(idOf(Properties.EventSourceArn)))
    .map(({ Properties }) => functionOf(stack, idOf(Properties.FunctionName) ?? ''));
}

/** Of an alias, its function. */
function functionOf(stack: Synthesised, id: string): string {
  const alias = stack.ofType('AWS::Lambda::Alias').find((each) => each.id === id);
  return idOf(alias?.Properties.FunctionName) ?? id;
}

/** SES publishes to the default bus only. */
function isForMail({ Properties: rule }: Resource): boolean {
  return rule.EventPattern.source[0] === 'aws.ses';
}
