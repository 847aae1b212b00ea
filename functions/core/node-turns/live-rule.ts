import { TurnRule } from '../configuration/node-turns.ts';
import type { TurnJobs } from '../configuration/turn-jobs.ts';
import { listed } from '../text/phrases.ts';
import { jobSpecProblems } from './job-spec-problems.ts';
import { readReference } from './reference-resources.ts';
import type { PlannedRule } from './run-plan.ts';

/** Bytes of JSON of all Jobs of a run that stand in the cluster: its record keeps them with up to 3,000 turns, and has
 *  1 MiB. */
const liveJobsAtMost = 400_000;

/** Why rules of the cluster are refused together; undefined: they are not. */
export function tooLongTogether(live: readonly PlannedRule[]): string | undefined {
  const bytes = live.reduce(
    (sum, { rule: { jobSpec, cleanUpJobSpec } }) => sum + Buffer.byteLength(JSON.stringify([jobSpec, cleanUpJobSpec])),
    0,
  );
  if (bytes <= liveJobsAtMost) return undefined;
  const ids = live.map(({ id }) => id);
  return `MutexRule ${listed(ids, 5)}: the Jobs of the run that stand in the cluster are together longer than ${liveJobsAtMost} bytes of JSON`;
}

export type LiveRule =
  | { readonly kind: 'rule'; readonly rule: PlannedRule }
  /** It cannot be carried out as it stands there; names the object and the field. */
  | {
      readonly kind: 'refused';
      readonly why: string;
      /** It could not be read just now, and the next look may read it. */
      readonly mayPass?: true | undefined;
    };

/** A rule whose Jobs stand in a MutexRule of the cluster: what they do is written there, everything else, as how often
 *  they are tried and where they run, in the configuration.
 *  @param object the MutexRule as the cluster has it
 *  @param allowed what Jobs of rules may do; accounts and ways to the node that it allows are for rules of the
 *  configuration, because others may write this one */
export function liveRule(planned: PlannedRule, object: unknown, allowed: TurnJobs | undefined): LiveRule {
  const { namespace, name, rule } = planned;
  const place = `MutexRule ${namespace}/${name}`;
  const refused = (why: string): LiveRule => ({ kind: 'refused', why: `${place}: ${why}` });
  const { rules, remarks } = readReference([{ source: 'the cluster', object }], undefined);
  const [wrong] = remarks.filter(({ kind }) => kind === 'refused');
  if (wrong !== undefined) return { kind: 'refused', why: `${wrong.at} ${wrong.says}` };
  const [written] = Object.values(rules);
  if (written === undefined) return refused('it is no MutexRule');
  const jobNamespace = rule.jobNamespace ?? namespace;
  if (written['jobNamespace'] !== undefined && written['jobNamespace'] !== jobNamespace)
    return refused(`spec.jobNamespace must be ${jobNamespace}, as the configuration has it`);
  const { jobSpec, cleanUpJobSpec, type = 'kubernetes' } = written;
  const { fromCluster: _, ...own } = rule;
  const parsed = TurnRule.safeParse({ ...own, type, jobSpec, cleanUpJobSpec });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return refused(`spec.${issue?.path.join('.') ?? ''} ${issue?.message ?? 'cannot be read'}`);
  }
  const limits = { namespaces: allowed?.namespaces, serviceAccounts: [], hostAccess: [] };
  for (const part of ['jobSpec', 'cleanUpJobSpec'] as const) {
    const [problem] = jobSpecProblems(parsed.data[part] ?? {}, jobNamespace, limits);
    if (parsed.data[part] !== undefined && problem !== undefined)
      return refused(`spec.${part}.${problem.field} ${problem.what}`);
  }
  return { kind: 'rule', rule: { ...planned, rule: parsed.data } };
}
