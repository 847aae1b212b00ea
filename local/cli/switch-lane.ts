import type * as z from 'zod';
import { closeLane, openLane } from '../../functions/core/holds/manual-emergency.ts';
import type { ManualChange } from '../../functions/core/holds/manual-hold.ts';
import type { EmergencyRequest } from '../../functions/core/requests/request.ts';
import { eachCluster, writeEach } from './chosen-pools.ts';
import type { ExitStatus, Surroundings } from './command.ts';
import { noteClock } from './pick-cluster.ts';

interface Lane {
  readonly pool: string;
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly cluster?: string | undefined;
  readonly config: string | undefined;
  readonly 'dry-run': boolean;
}

/** Opens the emergency lane of a pool, or closes it where nothing is asked for. Throws Misconfigured and Transient. */
export async function switchLane(
  read: Lane,
  asked: z.infer<typeof EmergencyRequest> | undefined,
  surroundings: Surroundings,
): Promise<ExitStatus> {
  const isDryRun = read['dry-run'];
  let isDone = true;
  const chosen = { ...read, all: false, fleet: false, required: true };
  await eachCluster(chosen, surroundings, async (cluster) => {
    const { name, who } = cluster;
    const now = new Date(surroundings.now().getTime() + cluster.aheadMs);
    noteClock(name, cluster.aheadMs, surroundings);
    const until = new Date(now.getTime() + (asked?.forSeconds ?? 0) * 1000);
    const [done] = await writeEach(cluster, {
      isDryRun,
      decide: (pool) =>
        asked === undefined
          ? closeLane(pool, { now })
          : openLane(pool, until, { who, why: asked.reason, now, cluster: read.cluster }),
      event: () => ({
        reason: asked === undefined ? 'EmergencyEnded' : 'EmergencyOpened',
        message: asked === undefined ? who : `${who}: ${asked.reason} (until ${until.toISOString()})`,
        type: 'Warning',
        at: now,
      }),
    });
    isDone = done?.failed === false && done.change?.record !== undefined;
    const lane = asked === undefined || !isDone ? '' : laneText(done?.change, isDryRun);
    const closed = `${name}/${read.pool}: its emergency lane ${isDryRun ? 'would be' : 'is'} closed.\n`;
    const said = `${name}/${read.pool} ${done?.said ?? 'was not found'}.\n${lane}`;
    surroundings.out(asked === undefined && isDone ? closed : said);
  });
  return isDone ? 0 : 1;
}

function laneText(change: ManualChange | undefined, isDryRun: boolean): string {
  const lane = change?.record?.emergency;
  if (lane === undefined) return '';
  const end = `${lane.until.slice(0, 16)}Z`;
  return `Its emergency lane ${isDryRun ? 'would be' : 'is'} open until ${end}, and everybody ${isDryRun ? 'would be' : 'is'} told.\n`;
}
