import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import { clusterTokenSecrets } from '../../infra/configuration.ts';
import { configuration } from './configuration.ts';
import { synthesise, text } from './synthesised.ts';

/** That many clusters, whose secrets are named alike. */
function fleet(size: number) {
  const clusters = Array.from({ length: size }, (_, n) => ({
    name: `cluster-with-a-long-name-${n}`,
    api: { tokenSecret: `poolkeeper/clusters/cluster-with-a-long-name-${n}` },
  }));
  return synthesise({ configuration: { ...configuration, clusters } });
}

describe.each([50, 201, 1000])('%i clusters', (size) => {
  const { app, resources, ofType, template, nested } = fleet(size);

  it('stay under the 500 resources and the megabyte that CloudFormation takes, with a tick each', () => {
    const templates = [template, ...nested];
    const schedules = templates.flatMap((each) => Object.values(each.findResources('AWS::Scheduler::Schedule')));
    expect(new Set(schedules.map(({ Properties }) => Properties.Name)).size).toBe(size + 2);
    expect(resources.length).toBeLessThan(450);
    for (const each of templates) {
      expect(Object.keys(each.toJSON()['Resources']).length).toBeLessThan(450);
      expect(JSON.stringify(each.toJSON(), null, 1).length).toBeLessThan(800_000);
    }
  });

  it('are all counted by the alarm that ticks have stopped', () => {
    const groups = [template, ...nested].flatMap((each) =>
      Object.values(each.findResources('AWS::Scheduler::ScheduleGroup')).map(({ Properties }) => Properties.Name),
    );
    const alarm = ofType('AWS::CloudWatch::Alarm').find(({ Properties }) =>
      text(Properties.AlarmName).endsWith('-ticks-stopped'),
    );
    for (const group of groups.filter((name) => !name.endsWith('-chores'))) {
      expect(JSON.stringify(alarm)).toContain(`"${group}"`);
    }
  });

  it('[C-7] leave cdk-nag nothing to find', () => {
    expect(new AwsSolutionsChecks(app).validateScope(app).violations).toEqual([]);
  });

  it('fit into the policies of a role: 10,240 characters in line, 6,144 in a managed one', () => {
    for (const { Properties } of ofType('AWS::IAM::Policy')) {
      expect(writtenOut(Properties.PolicyDocument).length).toBeLessThan(10_240);
    }
    for (const { Properties } of ofType('AWS::IAM::ManagedPolicy')) {
      expect(writtenOut(Properties.PolicyDocument).length).toBeLessThan(6_144);
    }
  });
});

describe('token secrets of a fleet', () => {
  const listed = Array.from({ length: 50 }, (_, n) => ({ name: `c${n}`, api: { tokenSecret: `tokens/c${n}` } }));

  it('are listed one by one up to fifty', () => {
    expect(clusterTokenSecrets({ clusters: listed })).toEqual(listed.map(({ api }) => api.tokenSecret));
  });

  it('are a pattern beyond, where their names differ by the cluster alone', () => {
    const clusters = [
      ...listed,
      { name: 'eu', api: { tokenSecret: 'poolkeeper/prod/eu/token' } },
      { name: 'us', api: { tokenSecret: 'poolkeeper/prod/us/token' } },
      { name: 'own', api: { tokenSecret: 'another/name' } },
      {
        name: 'arn',
        api: { tokenSecret: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:tokens/arn-AbCdEf' },
      },
    ];

    expect(clusterTokenSecrets({ clusters })).toEqual([
      'tokens/*',
      'poolkeeper/prod/*/token',
      'another/name',
      'arn:aws:secretsmanager:eu-central-1:123456789012:secret:tokens/arn-AbCdEf',
    ]);
  });

  it.each([
    ['begin with the name', (n: number) => `c${n}/token`],
    ['hold the name within a word', (n: number) => `tokens/x-c${n}`],
    ['hold another name', (n: number) => `tokens/other${n}`],
  ])('that %s are no pattern, and too many of them are refused with what to do', (_, named) => {
    const clusters = Array.from({ length: 51 }, (_, n) => ({ name: `c${n}`, api: { tokenSecret: named(n) } }));

    expect(() => clusterTokenSecrets({ clusters })).toThrow(
      /no room for 51 names of token secrets .* poolkeeper\/<stage>\/<name of the cluster>\/token/,
    );
  });
});

/** A policy as IAM measures it: references become ARNs, which are longer than the names of what they refer to. */
function writtenOut(policy: { readonly Statement: readonly { readonly Resource: unknown }[] }): string {
  return JSON.stringify({
    ...policy,
    Statement: policy.Statement.map((statement) => ({
      ...statement,
      Resource: [statement.Resource]
        .flat()
        .map(text)
        .map((arn) => (arn.startsWith('${') && !arn.includes(':') ? 'x'.repeat(120) : arn))
        .map((arn) => arn.replace(/\$\{AWS::Partition\}/, 'aws').replaceAll(/\$\{AWS::\w+\}/g, 'ap-southeast-1')),
    })),
  });
}
