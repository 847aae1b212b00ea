import { type Application, isRunning } from '../../core/argocd/application.ts';
import {
  circumstancesMark,
  type DisruptionForecast,
  disruptionOfPush,
  disruptionQuestions,
  mayStayUnpaused,
  noForecast,
  type PushDisruption,
  stillUnpaused,
} from '../../core/holds/skip-harmless.ts';
import type { Snapshot } from '../../core/holds/snapshot.ts';
import { compareRendered } from '../../core/machine-config/compare-rendered.ts';
import type { MachineConfigContent } from '../../core/machine-config/machine-config.ts';
import type { ClusterCircumstances } from '../../core/machine-config/render-sources.ts';
import { applicationHeldBy } from '../../core/openshift/held-application.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import type { UnpausedSync } from '../../core/openshift/unpaused-sync.ts';
import { byName } from '../../core/text/by-name.ts';
import type { ClusterPorts, KeepPorts } from '../keep-ports.ts';
import { whyUnread } from './why-unread.ts';

export interface DisruptionReading {
  readonly snapshot: Snapshot;
  readonly unpaused: readonly UnpausedSync[];
  /** Resolves at the deadline for the answer. Never rejects. */
  readonly timeIsUp: () => Promise<void>;
}

/** Reads what it takes to tell whether a push, or the sync of one that was unpaused, does anything to the nodes of
 *  pools that are to be paused for disruptive changes only. Asks the cluster for nothing where there is no such pool
 *  or nothing touches it. What is not known in time is feared. */
export async function readDisruption(reading: DisruptionReading, ports: KeepPorts): Promise<DisruptionForecast> {
  const { snapshot, timeIsUp } = reading;
  const unpaused = reading.unpaused.filter(({ pool }) => mayStayUnpaused(snapshot.settings, pool));
  const asked = [...disruptionQuestions(snapshot)];
  if (asked.length === 0 && unpaused.length === 0) return noForecast;
  const late = timeIsUp();
  const [ofPush, still] = await Promise.all([
    Promise.all(
      asked.map(async ([pool, each]): Promise<readonly [string, PushDisruption]> => {
        if (each.kind === 'possible') return [pool, each];
        const { question } = each;
        const disruption = connected(snapshot, ports)
          .then((cluster) => readForPool(question.pool, cluster))
          .then((reads) => disruptionOfPush(question, reads));
        const known = await inTime(disruption, late, ports);
        return [pool, known.kind === 'read' ? known.value : known];
      }),
    ),
    Promise.all(
      unpaused.map(async (each) => {
        const known = await inTime(checkedUnpaused(each, snapshot, ports), late, ports);
        return known.kind === 'read' ? (known.value ?? []) : [];
      }),
    ),
  ]);
  return { ofPush: new Map(ofPush), unpaused: still.flat() };
}

type InTime<T> = { readonly kind: 'read'; readonly value: T } | { readonly kind: 'possible'; readonly why: string };

async function inTime<T>(reading: Promise<T>, late: Promise<void>, { logger }: KeepPorts): Promise<InTime<T>> {
  const read = reading.then(
    (value): InTime<T> => ({ kind: 'read', value }),
    (cause: unknown): InTime<T> => ({ kind: 'possible', why: `it could not be read: ${whyUnread(cause, logger)}` }),
  );
  return Promise.race([read, late.then((): InTime<T> => ({ kind: 'possible', why: 'it was not read in time' }))]);
}

function connected({ settings }: Snapshot, { cluster }: KeepPorts): Promise<ClusterPorts> {
  return cluster(settings.name);
}

async function readForPool(pool: Pool, { renderings }: ClusterPorts) {
  const [sources, [rendered]] = await Promise.all([
    renderings.readRenderSources([pool]),
    renderings.readContents([pool.target.name]),
  ]);
  return { sources, rendered };
}

/** Checked only while the sync runs; before, nothing depends on it. */
async function checkedUnpaused(
  unpaused: UnpausedSync,
  snapshot: Snapshot,
  ports: KeepPorts,
): Promise<UnpausedSync | undefined> {
  const operation = operationOf(unpaused, snapshot);
  if (operation === undefined) return unpaused;
  const pool = byName(snapshot.pools, unpaused.pool);
  if (pool === undefined) return undefined;
  const cluster = await connected(snapshot, ports);
  const names = pool.target.name === unpaused.rendered ? [] : [unpaused.rendered, pool.target.name];
  const [heads, contents, around] = await Promise.all([
    cluster.pools.readMachineConfigs(unpaused.machineConfigs),
    names.length === 0 ? [] : cluster.renderings.readContents(names),
    cluster.renderings.readCircumstances(),
  ]);
  const isHarmless = isHarmlessSince(unpaused, pool, contents, around);
  const circumstances = circumstancesMark(pool, around);
  // One that cannot be parsed was written at an unknown time.
  const writtenAt = [...heads.items.map(({ changedAt }) => changedAt), ...heads.unreadable.map(() => undefined)];
  const { startedAt = operation.startedAt } = unpaused;
  return stillUnpaused(unpaused, { pool, startedAt, writtenAt, isHarmless, circumstances });
}

function operationOf({ hold, revision }: UnpausedSync, { applications }: Snapshot): Application['operation'] {
  const observed = applicationHeldBy(hold, applications);
  const operation = observed?.kind === 'seen' ? observed.application.operation : undefined;
  return isRunning(operation) && operation?.revisions.includes(revision) ? operation : undefined;
}

/** Compares the two rendered configs: their difference is what the nodes go through. */
function isHarmlessSince(
  { rendered }: UnpausedSync,
  pool: Pool,
  contents: readonly MachineConfigContent[],
  { policy, layeredPools, isSingleNode }: ClusterCircumstances,
): boolean {
  const [before, after] = [rendered, pool.target.name].map((name) => byName(contents, name));
  if (before === undefined || after === undefined || policy === undefined || layeredPools === undefined) return false;
  const isLayered = layeredPools.includes(pool.name);
  return compareRendered(before, after, { policy, isSingleNode, isLayered }).class === 'none';
}
