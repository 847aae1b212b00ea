import type { KnownApplication } from '../../core/diagnose/managed-by.ts';
import { nodesToDrain, preflight } from '../../core/diagnose/preflight.ts';
import type { DrainForecast, DrainForecasts } from '../../core/gates/gate.ts';
import type { Snapshot } from '../../core/holds/snapshot.ts';
import { membersOf } from '../../core/judge/members.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { secondsSince } from '../../core/text/instant.ts';
import type { ClusterPorts, KeepPorts } from '../keep-ports.ts';
import { readerWithDeadline } from '../observe/reader-with-deadline.ts';
import { whyUnread } from '../read/why-unread.ts';
import { knownApplications } from '../route/known-applications.ts';
import { inquireAll } from '../watch/look-into.ts';

/** Budgets looked at for one pool, those that spare nothing first. What goes with the nodes is left to `poolkeeper
 *  preflight`. */
const bounds = { budgets: 20, nodes: 0 };
/** API calls for one pool: two for the MCO's parts, one for all budgets, one a budget, and what the worst of them
 *  take. */
const callsPerPool = 40;
/** A resume does not wait longer, and AWS gives a whole pass a minute: where the API server is slow the rest is not
 *  known. */
const withinSeconds = 15;

interface Looking {
  readonly cluster: ClusterPorts;
  readonly now: Date;
  readonly ports: KeepPorts;
}

/** What will stop the drains that follow the resume of these pools, by the rules that would explain it afterwards. */
export async function forecastDrains(
  snapshot: Snapshot,
  candidates: readonly Pool[],
  { cluster, now, ports }: Looking,
): Promise<DrainForecasts> {
  const applications = await knownApplications(snapshot.settings.name, ports);
  const looks = await Promise.all(
    candidates.map(
      async (pool) => [pool.name, await lookAtPool(snapshot, pool, { cluster, now, ports, applications })] as const,
    ),
  );
  return new Map(looks);
}

async function lookAtPool(
  { pools, settings }: Snapshot,
  pool: Pool,
  { cluster, now, ports, applications }: Looking & { readonly applications: readonly KnownApplication[] },
): Promise<DrainForecast> {
  try {
    const listed = pool.nodeSelector === undefined ? [] : await cluster.pools.listNodes(pool.nodeSelector);
    const nodes = membersOf(pool, pools, listed);
    const touched = nodesToDrain(pool, nodes);
    if (touched.length === 0) return { touched: 0, obstacles: [], unread: [] };
    const subject = { cluster: settings.name, pool, nodes, touched, readAt: now.toISOString(), applications };
    const isLate = () => secondsSince(now.toISOString(), ports.clock()) > withinSeconds;
    const reader = readerWithDeadline(isLate, cluster.reader, now);
    const { obstacles, unread } = await inquireAll(() => preflight(subject, bounds), reader, {
      maxCalls: callsPerPool,
      readAt: now,
    });
    return { touched: touched.length, obstacles, unread: unread.map(({ what, why }) => `${what} (${why})`) };
  } catch (cause) {
    const why = whyUnread(cause, ports.logger);
    return { touched: 0, obstacles: [], unread: [`the nodes of pool ${pool.name} (${why})`] };
  }
}
