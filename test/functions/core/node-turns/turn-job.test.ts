import { describe, expect, it } from 'vitest';
import {
  isTurnJob,
  type JobRule,
  type TurnJobId,
  turnJob,
  turnJobName,
} from '../../../../functions/core/node-turns/turn-job.ts';
import { listAt, mappingAt } from '../../../../functions/core/openshift/member.ts';

type Data = Readonly<Record<string, unknown>>;

const id: TurnJobId = {
  run: 'upgrade',
  round: '1',
  node: 'worker-1.example.com',
  rule: 'databases/move-primary',
  part: 'before',
  attempt: 1,
};
const context = { pool: 'worker', targetConfig: 'rendered-worker-0123' };
const container = { name: 'mutex', image: 'ubi9/toolbox', command: ['/bin/sh', '-c', 'sleep 30'] };

function aRule(jobSpec: Data, more: Partial<JobRule> = {}): JobRule {
  return {
    jobName: 'move-primary',
    jobNamespace: 'databases',
    jobSpec,
    timeoutSeconds: 600,
    onTargetNode: false,
    ...more,
  };
}

function ofPod(spec: Data): Data {
  return { template: { spec: { containers: [container], restartPolicy: 'Never', ...spec } } };
}

function specOf(rule: JobRule): Data {
  return mappingAt(turnJob(rule, id, context).manifest, 'spec');
}

function podOf(rule: JobRule): Data {
  return mappingAt(mappingAt(specOf(rule), 'template'), 'spec');
}

const required = 'requiredDuringSchedulingIgnoredDuringExecution';

function termsOf(rule: JobRule): readonly unknown[] {
  return listAt(
    mappingAt(mappingAt(mappingAt(podOf(rule), 'affinity'), 'nodeAffinity'), required),
    'nodeSelectorTerms',
  );
}

const notHere = { key: 'metadata.name', operator: 'NotIn', values: ['worker-1.example.com'] };

describe('the name of a Job', () => {
  it('[S4-14] follows from run, round, node, rule, part and attempt', () => {
    const others: readonly Partial<TurnJobId>[] = [
      { run: 'other' },
      { round: '2' },
      { node: 'worker-2' },
      { rule: 'databases/other' },
      { part: 'after' },
      { attempt: 2 },
    ];
    const names = [id, ...others.map((other) => ({ ...id, ...other }))].map((each) => turnJobName('move', each));

    expect(turnJobName('move', { ...id })).toBe(turnJobName('move', id));
    expect(new Set(names).size).toBe(names.length);
    expect(names[0]).toMatch(/^move-[0-9a-f]{16}-1$/);
  });

  it('[S4-14] is at most 63 characters of a DNS name, whatever the rule and the node are called', () => {
    const long = { ...id, node: 'n'.repeat(253), rule: `ns/${'r'.repeat(253)}`, attempt: 20 };
    const written = ['x'.repeat(253), 'Job Name', '-.-', '', `${'a'.repeat(42)}---b`, 'ümläut', '..'];

    for (const jobName of written) expect(turnJobName(jobName, long)).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])$/);
    expect(turnJobName('Job Name', id)).toMatch(/^job-name-/);
  });

  it('[S4-14] alone does not make it ours: the whole id stands on the Job', () => {
    const { manifest } = turnJob(aRule(ofPod({})), id, context);

    expect(isTurnJob(manifest, id)).toBe(true);
    expect(isTurnJob(manifest, { ...id, attempt: 2 })).toBe(false);
    expect(isTurnJob({ metadata: { name: turnJobName('move-primary', id) } }, id)).toBe(false);
  });
});

describe('the Job of a rule', () => {
  it('[S4-1] has what the user wrote, also an empty selector and a name in the template', () => {
    const jobSpec = {
      selector: {},
      parallelism: 2,
      template: { metadata: { name: 'mutex', labels: { app: 'db' } }, ...(ofPod({})['template'] as Data) },
    };
    const { namespace, manifest } = turnJob(aRule(jobSpec), id, context);
    const spec = mappingAt(manifest, 'spec');

    expect(namespace).toBe('databases');
    expect(manifest).toMatchObject({ apiVersion: 'batch/v1', kind: 'Job', metadata: { namespace: 'databases' } });
    expect(spec).toMatchObject({ selector: {}, parallelism: 2 });
    expect(spec['template']).toMatchObject({
      metadata: { name: 'mutex', labels: { app: 'db', 'poolkeeper.dev/run': 'upgrade' } },
      spec: { containers: [container], restartPolicy: 'Never' },
    });
  });

  it('[S4-15] tells every container which node and rule it is for, beside its own environment', () => {
    const own = [
      { name: 'PGHOST', value: 'db' },
      { name: 'URL', value: 'http://$(NODE_NAME)/' },
    ];
    const pod = podOf(
      aRule(
        ofPod({
          initContainers: [{ name: 'first' }],
          containers: [
            { ...container, env: own },
            {
              ...container,
              name: 'two',
              env: [{ name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
            },
          ],
          ephemeralContainers: [{ name: 'debug' }],
        }),
      ),
    );
    const told = [
      { name: 'NODE_NAME', value: 'worker-1.example.com' },
      { name: 'MUTEX_RULE', value: 'move-primary' },
      { name: 'POOLKEEPER_RUN', value: 'upgrade' },
      { name: 'POOLKEEPER_ROUND', value: '1' },
      { name: 'POOLKEEPER_POOL', value: 'worker' },
      { name: 'POOLKEEPER_TARGET_CONFIG', value: 'rendered-worker-0123' },
      { name: 'POOLKEEPER_PART', value: 'before' },
      { name: 'POOLKEEPER_ATTEMPT', value: '1' },
    ];

    expect(pod['initContainers']).toEqual([{ name: 'first', env: told }]);
    expect(pod['containers']).toEqual([
      { ...container, env: [...told, ...own] },
      { ...container, name: 'two', env: told },
    ]);
    expect(pod['ephemeralContainers']).toEqual([{ name: 'debug', env: told }]);
  });

  it('[S4-16] never runs on its node: each alternative of the user gets that', () => {
    const zone = (name: string) => ({ key: 'zone', operator: 'In', values: [name] });
    const affinity = {
      podAntiAffinity: { [required]: [] },
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: {} }],
        [required]: {
          nodeSelectorTerms: [
            { matchExpressions: [zone('a')] },
            {},
            {
              matchExpressions: [zone('b')],
              matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['w9'] }],
            },
          ],
        },
      },
    };
    const rule = aRule(ofPod({ affinity }));

    expect(termsOf(aRule(ofPod({})))).toEqual([{ matchFields: [notHere] }]);
    expect(termsOf(rule)).toEqual([
      { matchExpressions: [zone('a')], matchFields: [notHere] },
      {
        matchExpressions: [zone('b')],
        matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['w9'] }, notHere],
      },
    ]);
    expect(podOf(rule)['affinity']).toMatchObject({
      podAntiAffinity: affinity.podAntiAffinity,
      nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1 }] },
    });
  });

  it('[S4-16] runs on its node and nowhere else where the rule says so', () => {
    expect(termsOf(aRule(ofPod({}), { onTargetNode: true }))).toEqual([
      { matchFields: [{ ...notHere, operator: 'In' }] },
    ]);
  });

  it('[S4-17] ends by the time limit of the rule, and is not repeated behind the back of the run', () => {
    const own = { ...ofPod({}), backoffLimit: 3, activeDeadlineSeconds: 60, ttlSecondsAfterFinished: 5 };

    expect(specOf(aRule(ofPod({})))).toMatchObject({ activeDeadlineSeconds: 600, backoffLimit: 0 });
    expect(specOf(aRule(own))).toMatchObject({ activeDeadlineSeconds: 60, backoffLimit: 3 });
    expect(specOf(aRule({ ...own, activeDeadlineSeconds: 7200 }))).toMatchObject({ activeDeadlineSeconds: 600 });
  });

  it('[S4-29] goes by itself, but never before its end was seen', () => {
    expect(specOf(aRule({ ...ofPod({}), ttlSecondsAfterFinished: 5 }))).toMatchObject({
      ttlSecondsAfterFinished: 86_400,
    });
    expect(specOf(aRule(ofPod({})))).toMatchObject({ ttlSecondsAfterFinished: 86_400 });
  });

  it('carries its owner, with names that are no labels cut', () => {
    const long = { ...id, node: `${'n'.repeat(60)}.example.com` };
    const metadata = mappingAt(turnJob(aRule(ofPod({})), long, context).manifest, 'metadata');

    expect(mappingAt(metadata, 'labels')).toEqual({
      'app.kubernetes.io/managed-by': 'poolkeeper',
      'poolkeeper.dev/run': 'upgrade',
      'poolkeeper.dev/node': expect.stringMatching(/^n{46}_[0-9a-f]{16}$/),
      'poolkeeper.dev/pool': 'worker',
      'poolkeeper.dev/part': 'before',
    });
  });

  it('does not fail on specs that are none: they are refused before', () => {
    for (const template of [null, 'x', { spec: { containers: 'x', affinity: [] } }, { spec: { containers: [null] } }])
      expect(() => turnJob(aRule({ template }), id, context)).not.toThrow();
  });
});
