import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { Misconfigured } from '../../../../functions/core/text/errors.ts';
import { readConfiguration } from '../../../../functions/shell/configuration/read-configuration.ts';

type Data = Readonly<Record<string, unknown>>;

const base = {
  clusters: [{ name: 'prod', api: { server: 'https://api.prod.example.com:6443', tokenSecret: 'poolkeeper/prod' } }],
  argocd: [{ name: 'hub', cluster: 'prod' }],
};

const jobSpec = {
  selector: {},
  template: {
    metadata: { name: 'move' },
    spec: { restartPolicy: 'Never', containers: [{ name: 'move', image: 'registry.example.com/move' }] },
  },
};

const upgrade = {
  cluster: 'prod',
  mode: 'turns',
  mutexRules: [{ name: 'move', namespace: 'databases' }],
  mutexTargets: [{ name: 'workers' }],
};

const turns = {
  rules: { move: { namespace: 'databases', jobSpec } },
  targets: { workers: { machineConfigPools: ['worker'] } },
  runs: { upgrade },
};

function read(nodeTurns: Data) {
  const text = stringify({ ...base, nodeTurns }, { aliasDuplicateObjects: false });
  return readConfiguration(text, { source: 'poolkeeper.yaml' });
}

/** Without file, line and column. */
function problemsOf(nodeTurns: Data): readonly string[] {
  try {
    read(nodeTurns);
    return [];
  } catch (error) {
    if (error instanceof Misconfigured) return error.problems.map((each) => each.replace(/^\S+ /, ''));
    throw error;
  }
}

function withRun(more: Data): Data {
  return { ...turns, runs: { upgrade: { ...upgrade, ...more } } };
}

function withRule(more: Data): Data {
  return { ...turns, rules: { move: { namespace: 'databases', ...more } } };
}

describe('node turns in poolkeeper.yaml', () => {
  it('[S4-1] [S4-5] rules, targets and runs have the names of the reference, and every default is filled in', () => {
    const { nodeTurns } = read(turns);

    expect(nodeTurns?.rules['move']).toMatchObject({
      type: 'kubernetes',
      jobSpec,
      timeoutSeconds: 3600,
      retries: 0,
      onFailure: 'stop',
      onTargetNode: false,
    });
    expect(nodeTurns?.runs['upgrade']).toMatchObject({
      namespace: 'poolkeeper',
      skipTLSVerify: false,
      atOnce: 1,
      nodeTimeoutSeconds: 6000,
      onMovedTarget: 'follow',
      cordoned: 'hold',
      holdLabel: 'poolkeeper.dev/hold',
    });
  });

  it('[S4-31] no mode is chosen silently', () => {
    const { mode: _, ...without } = upgrade;

    expect(problemsOf({ ...turns, runs: { upgrade: without } })).toEqual([
      'nodeTurns.runs.upgrade.mode: is missing; must be one of turns, canary',
    ]);
  });

  it('[S4-3] [S4-5] a run that names a rule, a target or a cluster that is not there is refused, with the nearest name', () => {
    const problems = problemsOf(
      withRun({
        cluster: 'prodd',
        mutexRules: [{ name: 'mov', namespace: 'databases' }],
        mutexTargets: [{ name: 'x' }],
      }),
    );

    expect(problems).toEqual([
      'nodeTurns.runs.upgrade.cluster: names no cluster of this file; did you mean `prod`?',
      'nodeTurns.runs.upgrade.mutexRules[0].name: names no rule of this file in that namespace; did you mean `move`?',
      'nodeTurns.runs.upgrade.mutexTargets[0].name: names no target of this file in that namespace',
    ]);
  });

  it('[S4-5] a reference without a namespace means that of the run', () => {
    const problems = problemsOf(withRun({ mutexRules: [{ name: 'move' }] }));

    expect(problems).toEqual([
      'nodeTurns.runs.upgrade.mutexRules[0].name: names no rule of this file in that namespace; did you mean `move`?',
    ]);
    expect(problemsOf(withRun({ namespace: 'databases', mutexRules: [{ name: 'move' }] }))).toEqual([]);
  });

  it('[S4-6] two rules of one name in two namespaces are two rules', () => {
    const rules = { 'databases/move': { jobSpec }, 'queues/move': { jobSpec } };
    const mutexRules = [
      { name: 'move', namespace: 'databases' },
      { name: 'move', namespace: 'queues' },
    ];

    expect(problemsOf({ ...turns, rules, runs: { upgrade: { ...upgrade, mutexRules } } })).toEqual([]);
  });

  it('[S4-13] a rule that a run has twice is refused', () => {
    const move = { name: 'move', namespace: 'databases' };

    expect(problemsOf(withRun({ mutexRules: [move, move] }))).toEqual([
      'nodeTurns.runs.upgrade.mutexRules[1]: names a rule that this run has already',
    ]);
  });

  it.each(['master', 'arbiter'])('[S4-41] pool %s is no target', (pool) => {
    expect(problemsOf({ ...turns, targets: { workers: { machineConfigPools: ['worker', pool] } } })).toEqual([
      'nodeTurns.targets.workers.machineConfigPools[1]: is a pool of the control plane; its nodes have no turns',
    ]);
  });

  it('[S4-22] two runs may name one pool: the second waits for the first', () => {
    expect(problemsOf({ ...turns, runs: { upgrade, later: upgrade } })).toEqual([]);
  });

  it.each([
    [
      'mode canary without a canary',
      { mode: 'canary' },
      'nodeTurns.runs.upgrade.canary: is missing; mode canary needs the pool to move nodes to',
    ],
    [
      'a canary in mode turns',
      { canary: { name: 'canary' } },
      'nodeTurns.runs.upgrade.canary: must stand beside mode: canary',
    ],
    [
      'worker as canary',
      { mode: 'canary', canary: { name: 'worker' } },
      'nodeTurns.runs.upgrade.canary.name: must be a pool of its own, which holds the canary nodes only',
    ],
    [
      'TLS that is not verified',
      { skipTLSVerify: true },
      'nodeTurns.runs.upgrade.skipTLSVerify: must be false; clusters[].api.skipTLSVerify says so for the cluster',
    ],
  ])('[S4-5] [S4-7] %s is refused', (_, more, problem) => {
    expect(problemsOf(withRun(more))).toEqual([problem]);
  });

  it.each([{ cordoned: 'take' }, { cordoned: 'take', atOnce: 2, unavailableAtMost: 2 }])(
    '[S4-38] [S4-39] %j is refused: no other node would have its turn beside a cordoned one',
    (more) => {
      const [refused, ...others] = problemsOf(withRun(more));

      expect(others).toEqual([]);
      expect(refused).toContain('nodeTurns.runs.upgrade.unavailableAtMost: ');
      expect(refused).toContain('must be above atOnce beside cordoned: take');
      expect(problemsOf(withRun({ ...more, unavailableAtMost: 3 }))).toEqual([]);
    },
  );

  it('[S4-39] a rule that cordons its node is refused in mode canary, and not in mode turns', () => {
    const rules = { move: { namespace: 'databases', jobSpec, cordonsNode: true } };
    const runs = { upgrade: { ...upgrade, mode: 'canary', canary: { name: 'canary' } } };

    expect(problemsOf({ ...turns, rules })).toEqual([]);
    expect(problemsOf({ ...turns, rules, runs })).toEqual([
      'nodeTurns.runs.upgrade.mutexRules[0]: cordons its node, which the MCO then takes into no canary',
    ]);
  });

  it('[S4-7] a canary that is a target is refused', () => {
    const targets = { workers: { machineConfigPools: ['worker', 'canary'] } };
    const runs = { upgrade: { ...upgrade, mode: 'canary', canary: { name: 'canary' } } };

    expect(problemsOf({ ...turns, targets, runs })).toEqual([
      'nodeTurns.runs.upgrade.canary.name: is a pool of a target of this run; nodes cannot move to where they are',
    ]);
  });

  it.each([
    ['no Job at all', {}, 'jobSpec: is missing; a rule has jobSpec, cleanUpJobSpec, or both'],
    [
      'a Job beside that of the cluster',
      { fromCluster: true, jobSpec },
      'jobSpec: must not stand beside fromCluster: the MutexRule of the cluster has it',
    ],
    [
      'a wait that stands in the cluster',
      { type: 'gate', fromCluster: true, gate: { resourceType: 'node', resourceName: 'w1' } },
      'fromCluster: must stand beside type: kubernetes',
    ],
    ['an unknown type', { type: 'shell', jobSpec }, 'type: must be one of kubernetes, gate, http, lambda'],
    [
      'type gate and no gate',
      { type: 'gate' },
      'gate: is missing; must stand beside type: gate, which consists of what it waits for',
    ],
    ['nobody to tell', { type: 'http', http: { header: 'X-Token' } }, 'http: type http needs url, cleanUpUrl, or both'],
    [
      'somebody to tell in a rule of Jobs',
      { jobSpec, http: { url: 'https://x.example.com' } },
      'http: must stand beside type: http',
    ],
    [
      'a Job in a rule of type http',
      { type: 'http', http: { url: 'https://x.example.com' }, jobSpec },
      'jobSpec: must not stand beside type: http',
    ],
    ['a gate in a rule of Jobs', { jobSpec, gate: { preset: 'bound' } }, 'gate: must stand beside type: gate'],
    [
      'a timeout of its gate, which would not count',
      { type: 'gate', gate: { resourceType: 'pvc', timeout: '12h' } },
      'gate.timeout: must stand in the rule, beside gate: its timeout counts',
    ],
    [
      'an onTimeout of its gate, which would not count',
      { type: 'gate', gate: { resourceType: 'pvc', onTimeout: 'proceed' } },
      'gate.onTimeout: must be onFailure of the rule, beside gate: that counts after its timeout',
    ],
    [
      'a gate that is left out, and would be waited for',
      { type: 'gate', gate: { resourceType: 'pvc', disabled: true } },
      'gate.disabled: means nothing here: take the rule out of mutexRules of the run',
    ],
  ])('[S4-1] [S4-30] a rule with %s is refused', (_, rule, problem) => {
    expect(problemsOf(withRule(rule))).toEqual([`nodeTurns.rules.move.${problem}`]);
  });

  it('[S4-1] a rule with only a clean-up is a rule', () => {
    expect(problemsOf(withRule({ cleanUpJobSpec: jobSpec }))).toEqual([]);
  });

  it('[S4-1] more rules than a pass can look at are refused', () => {
    const rules = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`r${index}`, { jobSpec }]));

    expect(problemsOf({ ...turns, rules })).toEqual([
      'nodeTurns: has 1001 rules and targets; at most 500 are possible',
    ]);
  });
});
