import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import { settingsOf } from '../../infra/settings.ts';
import { configuration as configured } from './configuration.ts';
import { idOf, type Resource, type Synthesised, stage, synthesise, text } from './synthesised.ts';

const network = { subnetIds: ['subnet-a', 'subnet-b'], securityGroupIds: ['sg-1'] };
const entryOf = ({ Properties }: Resource) => String(Properties.FunctionName).replace('poolkeeper-prod-', '');

function functionsOf(stack: Synthesised): readonly Resource[] {
  return stack.ofType('AWS::Lambda::Function');
}

function actionsOf(stack: Synthesised, fn: Resource, effect: string): readonly string[] {
  return stack
    .ofType('AWS::IAM::Policy')
    .filter(({ Properties }) => idOf(Properties.Roles[0]) === idOf(fn.Properties.Role))
    .flatMap(({ Properties }) => Properties.PolicyDocument.Statement)
    .filter(({ Effect }) => Effect === effect)
    .flatMap(({ Action }) => Action);
}

describe('[C-13] private API servers', () => {
  const inside = synthesise({ settings: { ...settingsOf('prod'), network } });

  it('are reached from the given subnets by the functions that call API servers or Argo CD, and by no other', () => {
    const placed = functionsOf(inside).filter(({ Properties }) => Properties.VpcConfig !== undefined);

    expect(placed.map(entryOf)).toEqual(['handshake', 'keep-pools', 'relay-pushes', 'preview-changes']);
    for (const { Properties } of placed) {
      expect(Properties.VpcConfig).toEqual({
        SubnetIds: network.subnetIds,
        SecurityGroupIds: network.securityGroupIds,
      });
    }
  });

  it('need interfaces, which Lambda may make with the role and the code of the function may not', () => {
    for (const fn of functionsOf(inside)) {
      const isPlaced = fn.Properties.VpcConfig !== undefined;
      expect(actionsOf(inside, fn, 'Allow').includes('ec2:CreateNetworkInterface')).toBe(isPlaced);
      expect(actionsOf(inside, fn, 'Deny').includes('ec2:CreateNetworkInterface')).toBe(isPlaced);
    }
  });

  it('make no VPC, no gateway and no address: what costs by the hour is yours to choose', () => {
    expect(inside.resources.filter(({ Type }) => Type.startsWith('AWS::EC2::'))).toEqual([]);
  });

  it('have cdk-nag find nothing that is not acknowledged', () => {
    expect(new AwsSolutionsChecks(inside.app).validateScope(inside.app).violations).toEqual([]);
  });

  it('are not asked for: then nothing is in a VPC', () => {
    expect(functionsOf(stage('prod')).filter(({ Properties }) => Properties.VpcConfig !== undefined)).toEqual([]);
  });
});

describe('what stands ready on the way of a push', () => {
  const warm = synthesise({ settings: { ...settingsOf('prod'), warm: { receiveGithub: 1, keepPools: 2 } } });

  it('is an alias of each with that many environments', () => {
    const aliases = warm
      .ofType('AWS::Lambda::Alias')
      .map(({ Properties }) => [
        idOf(Properties.FunctionName)?.replace(/Function.*/, ''),
        Properties.ProvisionedConcurrencyConfig.ProvisionedConcurrentExecutions,
      ]);

    expect(aliases).toEqual([
      ['ReceiveGithub', 1],
      ['KeepPools', 2],
    ]);
  });

  it('is what the route and the queue invoke: an environment nobody calls is paid for in vain', () => {
    const aliases = warm.ofType('AWS::Lambda::Alias').map(({ id }) => id);
    const github = warm
      .ofType('AWS::ApiGatewayV2::Integration')
      .filter(({ Properties }) => aliases.includes(idOf(Properties.IntegrationUri) ?? ''));
    const passes = warm
      .ofType('AWS::Lambda::EventSourceMapping')
      .filter(({ Properties }) =>
        aliases.some((id) => text(Properties.FunctionName).includes(id) || idOf(Properties.FunctionName) === id),
      );
    const permissions = warm
      .ofType('AWS::Lambda::Permission')
      .filter(({ Properties }) => aliases.includes(idOf(Properties.FunctionName) ?? ''));

    expect([github.length, permissions.length]).toEqual([1, 1]);
    expect(passes.map(({ Properties }) => text(Properties.FunctionName))).toEqual([expect.stringMatching(/live$/)]);
  });

  it('is nothing unless asked for', () => {
    expect(stage('prod').ofType('AWS::Lambda::Alias')).toEqual([]);
    expect(stage('prod').ofType('AWS::Lambda::Version')).toEqual([]);
  });
});

describe('[N-19] lost deliveries of GitHub', () => {
  it('are looked for every five minutes where GitHub is configured', () => {
    const schedules = stage('prod')
      .ofType('AWS::Scheduler::Schedule')
      .filter(({ Properties }) => Properties.Name === 'redeliver');

    expect(
      schedules.map(({ Properties }) => [Properties.ScheduleExpression, idOf(Properties.Target.Arn)?.slice(0, 9)]),
    ).toEqual([['rate(5 minutes)', 'Redeliver']]);
  });

  it('are nobody’s task where it is not', () => {
    const { github: _github, ...configuration } = configured;
    const quiet = synthesise({ configuration });

    expect(functionsOf(quiet).map(entryOf)).not.toContain('redeliver');
    expect(
      quiet.ofType('AWS::CloudWatch::Alarm').filter(({ Properties }) => /redeliver/.test(Properties.AlarmName)),
    ).toEqual([]);
  });
});

describe('[N-26] pushes for Argo CD', () => {
  it('wait in a queue of their own, encrypted, for four hours at most', () => {
    const queue = stage('prod')
      .ofType('AWS::SQS::Queue')
      .find(({ Properties }) => Properties.QueueName === 'poolkeeper-prod-relay-queue');

    expect(queue?.Properties).toMatchObject({
      SqsManagedSseEnabled: true,
      MessageRetentionPeriod: 4 * 3600,
      VisibilityTimeout: 180,
      RedrivePolicy: { maxReceiveCount: 5 },
    });
  });

  it('are known to the receiver, which sends to them', () => {
    const environments = functionsOf(stage('prod'))
      .filter(({ Properties }) => Properties.Environment.Variables.RELAY_QUEUE_URL !== undefined)
      .map(entryOf);

    expect(environments).toEqual(['receive-github', 'relay-pushes']);
  });

  it('are nobody’s task where GitHub delivers to Argo CD itself: no function, queue, alarm or variable is left of it', () => {
    const quiet = synthesise({ configuration: { ...configured, argocd: [{}] } });

    expect(quiet.resources.filter((resource) => /relay/i.test(JSON.stringify(resource)))).toEqual([]);
  });
});

describe('[N-14] pull requests', () => {
  it('wait in a queue of their own, encrypted, for longer than GitHub ever asks us to wait', () => {
    const queue = stage('prod')
      .ofType('AWS::SQS::Queue')
      .find(({ Properties }) => Properties.QueueName === 'poolkeeper-prod-preview-queue');

    expect(queue?.Properties).toMatchObject({
      SqsManagedSseEnabled: true,
      MessageRetentionPeriod: 12 * 3600,
      VisibilityTimeout: 720,
      RedrivePolicy: { maxReceiveCount: 5 },
    });
  });

  it('are known to the receiver, which sends to them', () => {
    const environments = functionsOf(stage('prod'))
      .filter(({ Properties }) => Properties.Environment.Variables.PREVIEW_QUEUE_URL !== undefined)
      .map(entryOf);

    expect(environments).toEqual(['receive-github', 'preview-changes']);
  });

  it.each([
    ['GitHub is not configured', {}],
    ['no preview is', { github: { tokenSecret: 'poolkeeper/github-token', readsChanges: true, hooks: [{}] } }],
  ])('are nobody’s task where %s: no function, queue, alarm or variable is left of it', (_, github) => {
    const { github: _unused, ...others } = configured;

    const quiet = synthesise({ configuration: { ...others, ...github } });

    expect(quiet.resources.filter((resource) => /preview/i.test(JSON.stringify(resource)))).toEqual([]);
  });
});
