import type { RunPlan } from '../../core/node-turns/run-plan.ts';
import type { RunProblem } from '../../core/node-turns/run-question.ts';
import { emptyRunRecord, isTakenOut, type RunRecord } from '../../core/node-turns/run-record.ts';
import { runView } from '../../core/node-turns/run-view.ts';
import { type ShownRun, shownCause, shownRun } from '../../core/node-turns/shown-run.ts';
import { Transient } from '../../core/text/errors.ts';
import type { WrittenPass } from '../pass-state.ts';
import { readTurnNodes } from './read-turn-nodes.ts';

/** Stores what the status page shows of a run that is not carried out at all: why, and what to do. That it cannot be
 *  stored holds nothing up. Returns since when it is so, ISO instant, as far as the page knows. */
export async function showStopped(plan: RunPlan, problem: RunProblem, written: WrittenPass): Promise<string> {
  let since = problem.since;
  await inTable(plan, written, async (known) => {
    // Only the first look knows since when.
    const isSame = known?.blockedSince !== undefined && isSameBlock(known.block, problem);
    const blockedSince = isSame ? known.blockedSince : problem.since;
    since = blockedSince ?? since;
    return viewOf(plan, { ...emptyRunRecord, blockedSince, log: [...(known?.log ?? [])] }, [problem], written);
  });
  return since;
}

/** Errors of one server differ from look to look. */
function isSameBlock(known: ShownRun['block'], { kind, why }: RunProblem): boolean {
  return known?.cause === shownCause(why) || (kind === 'unseen' && known?.kind === kind && known.node === '');
}

/** A run at rest that was shown as stopped, or as taken out of the configuration, and is not any more. Sweeps look: it
 *  is rare. */
export async function showAtRest(plan: RunPlan, written: WrittenPass): Promise<void> {
  // While a pool cannot be parsed nobody knows whether it is.
  if (!written.observation.swept || written.snapshot.unreadablePools !== undefined) return;
  await inTable(plan, written, async (known) => {
    if (known === undefined || (known.state !== 'blocked' && !isTakenOut(known.said))) return undefined;
    return viewOf(plan, { ...emptyRunRecord, log: [...known.log] }, [], written);
  });
}

async function inTable(
  plan: RunPlan,
  { ports: { runViews, logger } }: WrittenPass,
  viewAfter: (known: ShownRun | undefined) => Promise<ShownRun | undefined>,
): Promise<void> {
  if (runViews === undefined) return;
  try {
    const known = (await runViews.list()).find(({ run }) => run === plan.name);
    const view = await viewAfter(known);
    if (view !== undefined) await runViews.save(view);
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    logger.warn('run could not be shown', { run: plan.name, why: cause.message });
  }
}

/** Its nodes are as the cluster has them: no turn of them is known. While a pool cannot be parsed, nobody knows which
 *  are its own. */
async function viewOf(
  plan: RunPlan,
  record: RunRecord,
  problems: readonly RunProblem[],
  { performed, cluster, ports, snapshot: { unreadablePools } }: WrittenPass,
): Promise<ShownRun> {
  const pools = performed.map(({ pool }) => pool);
  const nodes = unreadablePools === undefined ? await readTurnNodes({ pools }, cluster) : [];
  const now = ports.clock();
  const next = { begin: [], waiting: [], why: undefined };
  const look = { next, problems, waits: new Map(), seen: new Map() };
  return shownRun(runView({ plan, record, pools, unread: unreadablePools, nodes, look, now }), now);
}
