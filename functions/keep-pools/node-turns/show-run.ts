import type { RunJudgement, RunProblem, RunQuestion } from '../../core/node-turns/run-question.ts';
import { runView } from '../../core/node-turns/run-view.ts';
import { shownRun } from '../../core/node-turns/shown-run.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { Transient } from '../../core/text/errors.ts';
import type { KeepPorts } from '../keep-ports.ts';

export interface LookedAtRun {
  readonly question: RunQuestion;
  readonly judged: RunJudgement;
  /** Also those of what was done just now. */
  readonly problems: readonly RunProblem[];
  /** All pools of the cluster. */
  readonly pools: readonly Pool[];
}

/** Stores what the status page shows of a run. That it cannot be stored holds nothing up. */
export async function showRun(
  { question, judged, problems, pools }: LookedAtRun,
  { runViews, logger }: Pick<KeepPorts, 'runViews' | 'logger'>,
): Promise<void> {
  if (runViews === undefined) return;
  const { plan, nodes, seen, now } = question;
  const look = { next: judged.next, problems, waits: judged.waits, seen };
  const view = runView({ plan, record: judged.record, pools, nodes, look, now });
  try {
    await runViews.save(shownRun(view, now));
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    logger.warn('run could not be shown', { run: plan.name, why: cause.message });
  }
}
