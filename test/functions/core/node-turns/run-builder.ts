import { NodeTurns, type TurnRule, type TurnRun } from '../../../../functions/core/configuration/node-turns.ts';
import { type RunPlan, runsOf } from '../../../../functions/core/node-turns/run-plan.ts';
import type { RunPool, RunQuestion } from '../../../../functions/core/node-turns/run-question.ts';
import { emptyRunRecord, type Turn } from '../../../../functions/core/node-turns/run-record.ts';
import type { TurnNode } from '../../../../functions/core/node-turns/turn-node.ts';
import { aNode } from '../../../fakes/builders.ts';

export const now = new Date('2026-11-22T10:00:00.000Z');
export const oldConfig = 'rendered-worker-aaaaaaaa';
export const newConfig = 'rendered-worker-bbbbbbbb';

export const jobSpec = { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'b' }] } } };

/** A run of these pools in mode turns, with the rules that are given by name. */
export function aRunPlan(
  rules: Readonly<Record<string, object>> = { move: {} },
  run: object = {},
  machineConfigPools: readonly string[] = ['worker'],
): RunPlan {
  const section = NodeTurns.parse({
    rules: Object.fromEntries(
      Object.entries(rules).map(([name, rule]) => [name, { jobSpec, cleanUpJobSpec: jobSpec, ...rule }]),
    ),
    targets: { workers: { machineConfigPools } },
    runs: {
      upgrade: {
        cluster: 'prod',
        mode: 'turns',
        mutexRules: Object.keys(rules).map((name) => ({ name })),
        mutexTargets: [{ name: 'workers' }],
        ...run,
      },
    },
  });
  const cluster = section?.runs['upgrade']?.cluster ?? '';
  const plan = runsOf(section, cluster).find(({ name }) => name === 'upgrade');
  if (plan === undefined) throw new Error('there is no run');
  return plan;
}

export type { TurnRule, TurnRun };

/** A worker at the old config, ready and schedulable. */
export function aTurnNode(name: string, change: Partial<TurnNode> = {}): TurnNode {
  return {
    ...aNode({ name }),
    currentConfig: oldConfig,
    desiredConfig: oldConfig,
    desiredDrain: `uncordon-${oldConfig}`,
    lastAppliedDrain: `uncordon-${oldConfig}`,
    pool: 'worker',
    ready: true,
    cordoned: false,
    ...change,
  };
}

/** The same, after its update. */
export function anUpdatedNode(name: string, change: Partial<TurnNode> = {}): TurnNode {
  const drain = `uncordon-${newConfig}`;
  return aTurnNode(name, {
    currentConfig: newConfig,
    desiredConfig: newConfig,
    desiredDrain: drain,
    lastAppliedDrain: drain,
    ...change,
  });
}

/** The first turn of a node of pool worker, which was let go. */
export function aTurn(change: Partial<Turn> = {}): Turn {
  return {
    pool: 'worker',
    target: newConfig,
    round: '1-bbbbbbbb',
    step: 'gone',
    since: now.toISOString(),
    ran: [],
    cleaned: [],
    attempt: 1,
    ...change,
  };
}

/** Pool worker, paused by the run, with the new config waiting. */
export function aRunPool(change: Partial<RunPool> = {}): RunPool {
  return { name: 'worker', target: newConfig, closed: undefined, isPaused: true, ...change };
}

export function aRunQuestion(change: Partial<RunQuestion> = {}): RunQuestion {
  return {
    plan: aRunPlan(),
    record: emptyRunRecord,
    nodes: [aTurnNode('w1'), aTurnNode('w2'), aTurnNode('w3')],
    pools: [aRunPool()],
    seen: new Map(),
    controllers: new Set(),
    now,
    ...change,
  };
}
