import type { TurnJobs } from '../../core/configuration/turn-jobs.ts';
import { rulesKept } from '../../core/node-turns/kept-plan.ts';
import { type LiveRule, liveRule, tooLongTogether } from '../../core/node-turns/live-rule.ts';
import { liveRulePath } from '../../core/node-turns/live-rule-path.ts';
import type { PlannedRule, RunPlan } from '../../core/node-turns/run-plan.ts';
import { unseenSeconds } from '../../core/node-turns/run-record.ts';
import { foreignLimits } from '../../core/text/foreign-text.ts';
import type { ObjectReader } from '../../ports/cluster.ts';
import type { LoadedRun } from './loaded-run.ts';

interface Resolved {
  readonly plan: RunPlan;
  readonly loaded: LoadedRun;
}

interface LiveSource {
  readonly reader: ObjectReader;
  readonly allowed: TurnJobs | undefined;
}

/** The run with the rules that stand in its cluster. One that cannot be read, or cannot be carried out as it stands, is
 *  never one that was taken out: the run stays where it is, with what it holds, and people are told; of what may pass,
 *  if it lasts. Only one that was aborted goes on without it, with the clean-ups that its record has. */
export async function withLiveRules(plan: RunPlan, loaded: LoadedRun, source: LiveSource): Promise<Resolved> {
  if (loaded.kind === 'unseen') return { plan, loaded };
  const read = await readLiveRules(plan, source);
  if (read.kind === 'rules') return { plan: { ...plan, rules: read.rules }, loaded };
  if (loaded.record.aborted !== undefined) return { plan: { ...plan, rules: rulesKept(loaded.record) }, loaded };
  const why = `${read.why}. Until then nothing of the run goes on`;
  const told = read.mayPass === true ? { isLasting: false, toldAfterSeconds: unseenSeconds } : { isLasting: true };
  const { record, missedSince: heldSince } = loaded;
  const begun = heldSince === undefined ? {} : { begun: { record, heldSince } };
  return { plan, loaded: { kind: 'unseen', why, ...told, ...begun } };
}

/** All rules of the run, those that stand in its cluster as they are there; or why one cannot be carried out. */
export async function readLiveRules(
  plan: RunPlan,
  source: LiveSource,
): Promise<{ readonly kind: 'rules'; readonly rules: readonly PlannedRule[] } | Exclude<LiveRule, { kind: 'rule' }>> {
  const read = await Promise.all(plan.rules.map((rule) => readLive(rule, source)));
  const refused = read.filter((each) => each.kind === 'refused');
  const first = refused.find(({ mayPass }) => mayPass !== true) ?? refused[0];
  if (first !== undefined) return first;
  const rules = read.flatMap((each) => (each.kind === 'rule' ? [each.rule] : []));
  const why = tooLongTogether(rules.filter((_, index) => plan.rules[index]?.rule.fromCluster === true));
  return why === undefined ? { kind: 'rules', rules } : { kind: 'refused', why };
}

async function readLive(planned: PlannedRule, { reader, allowed }: LiveSource): Promise<LiveRule> {
  if (!planned.rule.fromCluster) return { kind: 'rule', rule: planned };
  const place = `MutexRule ${planned.id}`;
  const found = await reader.read({ path: liveRulePath(planned), query: {} });
  switch (found.kind) {
    case 'found':
      // Its Jobs would do something else than what stands there.
      if (found.cut?.includes('spec') === true) return { kind: 'refused', why: `${place}: ${cutSpec}` };
      return liveRule(planned, found.body, allowed);
    case 'absent':
      return { kind: 'refused', why: `${place} is not there, or the cluster does not serve it` };
    case 'failed':
      return {
        kind: 'refused',
        why: `${place} cannot be read: ${found.why}`,
        ...(found.isForbidden === true || found.isTooLarge === true ? {} : { mayPass: true }),
      };
    default:
      return found satisfies never;
  }
}

const cutSpec = `spec has a text longer than ${foreignLimits.message} characters, or is nested too deep, and is not read whole`;
