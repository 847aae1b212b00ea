import { type CanaryFault, canaryAtRest } from '../../core/node-turns/canary-at-rest.ts';
import { abortProblems } from '../../core/node-turns/pool-rollouts.ts';
import type { RunPlan } from '../../core/node-turns/run-plan.ts';
import type { RunProblem } from '../../core/node-turns/run-question.ts';
import type { RunRecord } from '../../core/node-turns/run-record.ts';
import { Transient } from '../../core/text/errors.ts';
import { isPast, plusSeconds } from '../../core/text/instant.ts';
import type { WrittenPass } from '../pass-state.ts';
import type { ObservedRuns } from './observe-runs.ts';
import { readCanary } from './read-canary.ts';
import { layeredPools } from './read-run.ts';
import { readTurnNodes } from './read-turn-nodes.ts';
import { type KeptRun, mayPass } from './run-look.ts';
import { showAtRest, showStopped } from './show-stopped.ts';

/** Told before there is a change for its pools: that it would not hold them, or could let no node go. */
export async function keepAtRest(
  plan: RunPlan,
  { refused, refusedUnseen, records }: ObservedRuns,
  written: WrittenPass,
): Promise<readonly KeptRun[]> {
  const loaded = records.get(plan.name);
  if (loaded?.kind === 'record' && loaded.record.aborted !== undefined)
    return keptAborted(plan, loaded.record, written);
  const why = refused.get(plan.name);
  if (why !== undefined) {
    const told = `${why}. Its pools are not held: the MCO takes their nodes without Jobs`;
    return [await stopped(plan, { kind: 'refused', why: told }, written)];
  }
  if (refusedUnseen !== undefined) return [];
  const seen = await lookAtCanary(plan, written);
  if (seen === undefined) {
    await showAtRest(plan, written);
    return [];
  }
  return [seen];
}

/** It holds nothing until somebody says start: a change that came since the abort is nobody's wish. */
function keptAborted(plan: RunPlan, record: RunRecord, { performed, ports }: WrittenPass): readonly KeptRun[] {
  const pools = performed.map(({ pool }) => pool);
  const problems = abortProblems(plan, record, { pools, now: ports.clock() });
  return problems.length === 0 ? [] : [{ run: plan.name, problems, isMoving: false }];
}

/** Seconds that canary and targets may differ: they are rendered one after another. */
const renderSeconds = 60;

/** Undefined: nothing is wrong with its canary, or it has none. */
async function lookAtCanary(plan: RunPlan, written: WrittenPass): Promise<KeptRun | undefined> {
  if (plan.run.mode !== 'canary') return undefined;
  const found = await readFault(plan, written);
  if (found === undefined || found.kind === 'run') return found?.run;
  const told = `${found.fault.why}. With a change its pools will be held, and no node goes before that is mended`;
  const run = await stopped(plan, { kind: 'refused', why: told }, written);
  const [problem] = run.problems;
  const isNew =
    problem !== undefined && !isPast(plusSeconds(new Date(problem.since), renderSeconds), written.ports.clock());
  return found.fault.mayPass && isNew ? { ...run, problems: [] } : run;
}

type FoundFault =
  | { readonly kind: 'fault'; readonly fault: CanaryFault }
  | { readonly kind: 'run'; readonly run: KeptRun };

async function readFault(plan: RunPlan, written: WrittenPass): Promise<FoundFault | undefined> {
  const { cluster, performed, ports, snapshot } = written;
  const pools = performed.map(({ pool }) => pool);
  try {
    const nodes = await readTurnNodes({ ...snapshot, pools }, cluster);
    const fault = canaryAtRest(plan, nodes, await readCanary(pools, await layeredPools(cluster), cluster));
    return fault && { kind: 'fault', fault };
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    ports.logger.warn('canary of a run could not be looked at', { run: plan.name, why: cause.message });
    if (mayPass.includes(cause.kind))
      return { kind: 'run', run: { run: plan.name, problems: [], isMoving: false, unseen: cause.message } };
    return { kind: 'run', run: await stopped(plan, { kind: 'unseen', why: cause.message }, written) };
  }
}

/** Shown and told, since it was first seen. */
async function stopped(
  plan: RunPlan,
  { kind, why }: Pick<RunProblem, 'kind' | 'why'>,
  written: WrittenPass,
): Promise<KeptRun> {
  const problem: RunProblem = { kind, node: '', since: written.ports.clock().toISOString(), why };
  const since = await showStopped(plan, problem, written);
  return { run: plan.name, problems: [{ ...problem, since }], isMoving: false };
}
