import type { KnownApplication } from '../../core/diagnose/managed-by.ts';
import { nodesToDrain, preflight } from '../../core/diagnose/preflight.ts';
import { nothingListed } from '../../core/findings/listed.ts';
import type { DrainForecast } from '../../core/gates/evidence.ts';
import { membersOf } from '../../core/openshift/membership.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { secondsSince } from '../../core/text/instant.ts';
import { seen } from '../../core/text/observed.ts';
import { readerWithDeadline } from '../observe/reader-with-deadline.ts';
import { whyUnread } from '../read/why-unread.ts';
import { knownApplications } from '../route/known-applications.ts';
import { inquireAll } from '../watch/look-into.ts';
import type { EvidenceReading, GatheredEvidence } from './evidence-reader.ts';

/** PodDisruptionBudgets checked per pool, those that allow no disruption first. Pods lost with their nodes are left to
 *  `poolkeeper preflight`. */
const bounds = { budgets: 20, pages: 5, nodes: 0 };
/** API calls per pool: two for the MCO's components, one for all budgets, one per budget, a few for the worst ones. */
const callsPerPool = 40;
/** Seconds. A resume does not wait longer, and a pass has a minute on AWS: with a slow API server the rest stays
 *  unknown. */
const withinSeconds = 15;

/** What will block the drains that follow the resume of these pools, by the rules that would explain it afterwards. */
export async function forecastDrains(reading: EvidenceReading): Promise<GatheredEvidence> {
  const applications = await knownApplications(reading.snapshot.settings.name, reading.ports);
  const forecasts = new Map(
    await Promise.all(
      reading.candidates.map(async (pool) => [pool.name, await forecastOf(pool, reading, applications)] as const),
    ),
  );
  return {
    ofPool: (pool) => {
      const forecast = forecasts.get(pool);
      return forecast === undefined ? {} : { drains: seen(forecast, reading.now) };
    },
  };
}

async function forecastOf(
  pool: Pool,
  { snapshot: { pools, settings }, cluster, now, ports }: EvidenceReading,
  applications: readonly KnownApplication[],
): Promise<DrainForecast> {
  try {
    const listed = pool.nodeSelector === undefined ? nothingListed : await cluster.pools.listNodes(pool.nodeSelector);
    const nodes = membersOf(pool, pools, listed.items);
    const touched = nodesToDrain(pool, nodes);
    const invalid = listed.unreadable.map(({ name, why }) => `node ${name} (${why})`);
    if (touched.length === 0) return { touched: 0, obstacles: [], unread: invalid };
    const subject = { cluster: settings.name, pool, pools, nodes, touched, readAt: now.toISOString(), applications };
    const isLate = () => secondsSince(now.toISOString(), ports.clock()) > withinSeconds;
    const reader = readerWithDeadline(isLate, cluster.reader, now);
    const { obstacles, unread } = await inquireAll(() => preflight(subject, bounds), reader, {
      maxCalls: callsPerPool,
      readAt: now,
    });
    return {
      touched: touched.length,
      obstacles,
      unread: [...invalid, ...unread.map(({ what, why }) => `${what} (${why})`)],
    };
  } catch (cause) {
    const why = whyUnread(cause, ports.logger);
    return { touched: 0, obstacles: [], unread: [`the nodes of pool ${pool.name} (${why})`] };
  }
}
