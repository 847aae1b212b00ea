import type { NodeTurns } from '../../functions/core/configuration/node-turns.ts';
import { referenceGroup, referenceKinds } from '../../functions/core/node-turns/reference-resources.ts';
import { ruleLabel, runNodeLabel } from '../../functions/core/node-turns/rule-label.ts';
import { type RunPlan, runsOf } from '../../functions/core/node-turns/run-plan.ts';
import { unique } from '../../functions/core/text/unique.ts';
import { type Right, type Rights, right, rightsOf } from './rights.ts';
import { gateRights } from './sequence-access.ts';

const mco = 'machineconfiguration.openshift.io';
const nodes = { group: '', plural: 'nodes' };
const jobs = { group: 'batch', plural: 'jobs' };
const mutexRules = { group: referenceGroup, plural: referenceKinds.MutexRule };

/** Exactly what the runs of a cluster need there, besides what is read of pools and nodes anyway: no secrets, no exec,
 *  and nothing is deleted. Throws Misconfigured for a gate of a kind that nobody can name without asking a cluster. */
export function runRights(turns: NodeTurns, cluster: string): Rights {
  return rightsOf(runsOf(turns, cluster).flatMap(rightsOfRun));
}

function rightsOfRun(plan: RunPlan): readonly Right[] {
  const { name, run, recordNamespace } = plan;
  const records = { group: '', plural: 'configmaps' };
  return [
    right(nodes, {}, ['patch']),
    ...(run.canary === undefined ? [] : selectorRights(plan, run.canary.name)),
    right(records, { namespace: recordNamespace, name: `poolkeeper-run-${name}` }, ['get', 'patch']),
    // Who creates has no name yet that RBAC could compare.
    right(records, { namespace: recordNamespace }, ['create']),
    // What an earlier version kept there is taken over.
    ...(run.namespace === recordNamespace
      ? []
      : [right(records, { namespace: run.namespace, name: `poolkeeper-run-${name}` }, ['get'])]),
    ...jobNamespaces(plan).flatMap(jobRights),
    ...plan.rules.flatMap((each) =>
      each.rule.fromCluster ? [right(mutexRules, { namespace: each.namespace, name: each.name }, ['get'])] : [],
    ),
    ...plan.rules.flatMap(({ id, rule }) => (rule.gate === undefined ? [] : gateRights(rule.gate, id))),
    ...run.gates.flatMap((gate, index) => gateRights(gate, `${name}/gates/${index}`)),
  ];
}

/** What runs of mode canary write of nodes and pools: everything else stays refused. */
export interface CanaryLimits {
  /** Keys of the labels that a node gets or loses. */
  readonly labels: readonly string[];
  /** Pools whose node selectors are written. */
  readonly selectors: readonly string[];
}

export function canaryLimits(turns: NodeTurns, cluster: string): CanaryLimits {
  const plans = runsOf(turns, cluster).filter(({ run }) => run.canary !== undefined);
  const labels = plans.flatMap(({ name, run, rules }) =>
    run.canary?.exclude === true ? [...rules.map(ruleLabel), runNodeLabel(name)] : [run.canary?.label ?? ''],
  );
  const selectors = plans.flatMap((plan) => writtenPools(plan, plan.run.canary?.name ?? ''));
  return { labels: unique(labels), selectors: unique(selectors) };
}

/** Mode canary writes the selectors of custom pools, and never that of worker. */
function selectorRights({ pools, run }: Pick<RunPlan, 'pools' | 'run'>, canary: string): readonly Right[] {
  return writtenPools({ pools, run }, canary).map((name) =>
    right({ group: mco, plural: 'machineconfigpools' }, { name }, ['patch']),
  );
}

function writtenPools({ pools, run }: Pick<RunPlan, 'pools' | 'run'>, canary: string): readonly string[] {
  return [...pools.filter((pool) => pool !== 'worker'), ...(run.canary?.exclude === true ? [canary] : [])];
}

/** The namespaces that Jobs of the run are made in. */
function jobNamespaces({ rules }: RunPlan): readonly string[] {
  const all = rules.flatMap(({ rule, namespace }) =>
    rule.jobSpec === undefined && rule.cleanUpJobSpec === undefined && !rule.fromCluster
      ? []
      : [rule.jobNamespace ?? namespace],
  );
  return unique(all);
}

/** The names of Jobs follow from nodes and attempts, so that none can be named here. */
function jobRights(namespace: string): readonly Right[] {
  return [
    right(jobs, { namespace }, ['create', 'get', 'list']),
    right({ group: '', plural: 'pods/log' }, { namespace }, ['get']),
  ];
}
