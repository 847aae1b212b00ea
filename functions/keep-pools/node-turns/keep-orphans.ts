import { orphanSteps } from '../../core/node-turns/canary-run.ts';
import type { FoundCanary } from '../../core/node-turns/canary-state.ts';
import { runsOf } from '../../core/node-turns/run-plan.ts';
import type { RunProblem } from '../../core/node-turns/run-question.ts';
import { Transient } from '../../core/text/errors.ts';
import { performCanary } from './perform-canary.ts';
import { readCanary } from './read-canary.ts';
import { readTurnNodes } from './read-turn-nodes.ts';
import type { KeptRun, Looking } from './run-look.ts';

/** Runs that are configured no longer, or of another cluster now, and left labels and selectors as they needed them:
 *  all is put back as it was. Their pools stay paused until then. */
export async function keepOrphans(looking: Looking): Promise<readonly KeptRun[]> {
  const { observed, written } = looking;
  const { canaries, plans, records } = observed;
  if (canaries === 'unseen') {
    const unseen = 'what runs have written could not be read';
    return plans.length > 0 ? [] : [{ run: '', problems: [], isMoving: true, unseen }];
  }
  const { ports, scope } = written;
  const configured = runsOf(ports.configuration.nodeTurns, scope.cluster.name);
  const isKept = (run: string) => records.get(run)?.kind === 'record' || configured.some(({ name }) => name === run);
  const orphans = canaries.filter(({ state }) => state !== 'unreadable' && !isKept(state.run));
  const kept: KeptRun[] = [];
  for (const orphan of orphans) kept.push(await keepOrphan(orphan, looking));
  return kept;
}

async function keepOrphan(found: FoundCanary, { written }: Looking): Promise<KeptRun> {
  const { cluster, ports, performed, observation, snapshot } = written;
  const turns = cluster.nodeTurns;
  const run = found.state === 'unreadable' ? '' : found.state.run;
  if (turns === undefined) return { run, problems: [], isMoving: false, unseen: 'its cluster keeps no records' };
  try {
    const pools = performed.map(({ pool }) => pool);
    const [nodes, seen] = [
      await readTurnNodes({ ...snapshot, pools }, cluster),
      await readCanary(pools, new Set(), cluster),
    ];
    const steps = orphanSteps(found, nodes, { pools: seen.pools, now: ports.clock() });
    const { lookedAt } = observation;
    const performing = { run, plan: undefined, lookedAt, nodes, pools: seen.pools, cluster, turns, ports };
    const problems: readonly RunProblem[] =
      steps.length > 0 ? await performCanary(steps, performing) : [stuck(ports.clock())];
    const told = problems.filter(({ mayPass }) => mayPass !== true);
    const undone = problems.find(({ mayPass }) => mayPass === true);
    return { run, problems: told, undone, isMoving: steps.length > 0 };
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    return { run, problems: [], isMoving: true, unseen: cause.message };
  }
}

function stuck(now: Date): RunProblem {
  const why =
    'it is not configured any more, and somebody changed a node selector that it had written: put that back, with the annotation poolkeeper.dev/canary of its pool';
  return { kind: 'refused', node: '', since: now.toISOString(), why };
}
