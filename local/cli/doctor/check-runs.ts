import type { ClusterConnection } from '../../../functions/adapters/kubernetes/connect.ts';
import type { NodeTurns } from '../../../functions/core/configuration/node-turns.ts';
import { canaryPlan } from '../../../functions/core/node-turns/canary-plan.ts';
import { rehearseCanary } from '../../../functions/core/node-turns/rehearse-canary.ts';
import { ruleLabel, ruleLabelsOf, runNodeLabel } from '../../../functions/core/node-turns/rule-label.ts';
import { type PlannedRule, type RunPlan, runsOf } from '../../../functions/core/node-turns/run-plan.ts';
import { turnJob } from '../../../functions/core/node-turns/turn-job.ts';
import { listed } from '../../../functions/core/text/phrases.ts';
import { readLiveRules } from '../../../functions/keep-pools/node-turns/live-rules.ts';
import { runRights } from '../../manifests/run-access.ts';
import { lackingOf } from './check-rights.ts';
import { type Finding, ok, warning, wrong } from './finding.ts';
import { grantMore } from './grants.ts';
import type { Connected } from './remedy-commands.ts';

type Connection = Pick<ClusterConnection, 'client' | 'nodeTurns' | 'pools' | 'reader'>;

/** The runs of a cluster: whether the account could make each of their Jobs, as the API server says of the very Job,
 *  and whether their pools and the canary are what they must be. Throws Transient. */
export async function checkRuns(
  connected: Connected,
  turns: NodeTurns,
  connection: Connection,
): Promise<readonly Finding[]> {
  const { cluster } = connected;
  const plans = runsOf(turns, cluster);
  if (plans.length === 0) return [];
  const checked = await Promise.all(
    plans.map(async (plan) => [
      ...(await ruleFindings(connected, plan, turns, connection)),
      ...(await poolFindings(cluster, plan, connection)),
    ]),
  );
  return [...(await rightFindings(connected, turns, connection)), ...checked.flat()];
}

/** Remedy for missing rights of runs. */
export function grantRuns(connected: Connected): string {
  const { cluster, file } = connected;
  return grantMore(connected, '--runs', file, '--cluster', cluster);
}

async function rightFindings(
  connected: Connected,
  turns: NodeTurns,
  { client }: Connection,
): Promise<readonly Finding[]> {
  const { cluster } = connected;
  const { needed, lacking } = await lackingOf(runRights(turns, cluster), client);
  if (lacking.length === 0) return [ok(cluster, `runs: all ${needed} rights that they need`)];
  return [wrong(cluster, `runs: the account may not ${lacking.join('; ')}`, grantRuns(connected))];
}

/** Rules that stand in the cluster are read there. */
async function ruleFindings(
  connected: Connected,
  plan: RunPlan,
  turns: NodeTurns,
  connection: Connection,
): Promise<readonly Finding[]> {
  const { cluster } = connected;
  const read = await readLiveRules(plan, { reader: connection.reader, allowed: turns?.jobs });
  if (read.kind === 'refused') return [wrong(cluster, `run ${plan.name}: ${read.why}`, 'correct the MutexRule')];
  return jobFindings(connected, { ...plan, rules: read.rules }, connection);
}

/** What only the API server knows: unknown fields, quotas, admission. */
async function jobFindings(
  connected: Connected,
  plan: RunPlan,
  { nodeTurns }: Connection,
): Promise<readonly Finding[]> {
  const { cluster } = connected;
  const jobs = plan.rules.flatMap((rule) => sampleJobs(plan, rule));
  const found = await Promise.all(
    jobs.map(async ({ what, namespace, manifest }): Promise<Finding> => {
      const answer = await nodeTurns.jobs.checkJob(namespace, manifest);
      switch (answer.kind) {
        case 'valid':
          return ok(cluster, `run ${plan.name}: ${what} would be accepted in ${namespace}`);
        case 'refused':
          return wrong(cluster, `run ${plan.name}: ${what}: ${answer.why}`, 'correct the rule');
        case 'forbidden':
          return wrong(cluster, `run ${plan.name}: ${what}: ${answer.why}`, grantRuns(connected));
        default:
          return answer satisfies never;
      }
    }),
  );
  return found;
}

/** As for a node, whose name does not matter here. */
function sampleJobs(plan: RunPlan, { id, name, namespace, rule }: PlannedRule) {
  const parts = [
    ['before', rule.jobSpec, id],
    ['after', rule.cleanUpJobSpec, `the clean-up of ${id}`],
  ] as const;
  return parts.flatMap(([part, jobSpec, what]) => {
    if (jobSpec === undefined) return [];
    const { timeoutSeconds, onTargetNode } = rule;
    const jobNamespace = rule.jobNamespace ?? namespace;
    const job = turnJob(
      { jobName: rule.jobName ?? name, jobNamespace, jobSpec, timeoutSeconds, onTargetNode },
      { run: plan.name, round: 'doctor', node: 'a-node', rule: id, part, attempt: 1 },
      { pool: plan.pools[0] ?? '', targetConfig: 'rendered-none' },
    );
    return [{ what, namespace: job.namespace, manifest: job.manifest }];
  });
}

async function poolFindings(cluster: string, plan: RunPlan, { pools }: Connection): Promise<readonly Finding[]> {
  const { items, unreadable } = await pools.listPools();
  const absent = plan.pools.filter((name) => !items.some((pool) => pool.name === name));
  const found = absent.map((name) => {
    const invalid = unreadable.find((pool) => pool.name === name);
    return invalid === undefined
      ? wrong(cluster, `run ${plan.name}: pool ${name} does not exist`, 'correct machineConfigPools of its target')
      : wrong(
          cluster,
          `run ${plan.name}: pool ${name} cannot be parsed, so nothing is known of its nodes`,
          invalid.why,
        );
  });
  const { canary } = plan.run;
  if (canary === undefined || absent.length > 0) return found;
  const { items: nodes } = await pools.listNodes({});
  const answer = canaryPlan({
    canary: canary.name,
    exclude: canary.exclude,
    label: canary.label,
    targets: plan.pools,
    ruleLabels: plan.rules.map(ruleLabel),
    runNodeLabel: runNodeLabel(plan.name),
    pools: items,
    nodes,
    ours: new Set(),
    begun: undefined,
  });
  if (answer.kind === 'refused')
    return answer.problems.map((why) => wrong(cluster, `run ${plan.name}: ${why}`, 'docs/node-by-node.md'));
  const why = rehearseCanary(answer, { pools: items, nodes });
  if (why !== undefined) return [wrong(cluster, `run ${plan.name}: ${why}`, 'docs/node-by-node.md')];
  return [
    ...leftLabels(cluster, nodes),
    ok(cluster, `run ${plan.name}: pool ${canary.name} would take its ${answer.members.length} nodes, and no other`),
  ];
}

/** Labels of rules that the operator has left, or that it is about to act on. */
function leftLabels(
  cluster: string,
  nodes: readonly { readonly name: string; readonly labels: Readonly<Record<string, string>> }[],
): readonly Finding[] {
  const labelled = nodes.filter(({ labels }) => ruleLabelsOf(labels).length > 0).map(({ name }) => name);
  if (labelled.length === 0) return [];
  const what = `runs: ${listed(labelled)} ${labelled.length === 1 ? 'has' : 'have'} labels of rules already`;
  return [warning(cluster, what, 'end the run that set them, or remove the operator and its labels')];
}
