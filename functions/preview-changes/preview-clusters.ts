import type { Window } from '../core/configuration/window.ts';
import type { Listed } from '../core/findings/listed.ts';
import { machineConfigChange } from '../core/impact/changed-configs.ts';
import {
  type Deployed,
  describeAhead,
  impactOfGitAlone,
  impactOnCluster,
  isAssumedOn,
  type SeenCluster,
  type SharedByClusters,
} from '../core/impact/impact-on-cluster.ts';
import type { OwnPace } from '../core/impact/node-pace.ts';
import { isRenderedManifest } from '../core/impact/pools-of.ts';
import type { Unjudged } from '../core/impact/unjudged.ts';
import { describedAtMost } from '../core/machine-config/describe-change.ts';
import { changeLint } from '../core/machine-config/lint.ts';
import { isMachineConfigManifest } from '../core/machine-config/machine-config.ts';
import { nodePacesOf } from '../core/node-rollouts/pace.ts';
import type { Manifest } from '../core/openshift/manifest.ts';
import type { Pool } from '../core/openshift/pool.ts';
import { hideNames } from '../core/preview/hide-names.ts';
import type { PreviewedCluster, UnreadableInPreview } from '../core/preview/preview.ts';
import { aheadText, rolloutAhead } from '../core/preview/rollout-ahead.ts';
import { byName } from '../core/text/by-name.ts';
import { Transient } from '../core/text/errors.ts';
import { type Observed, seen, unreadable } from '../core/text/observed.ts';
import { roomFor } from '../core/text/room.ts';
import { unique } from '../core/text/unique.ts';
import { calendarId, calendarsOf, type KeptCalendar } from '../core/windows/kept-calendars.ts';
import type { PredictPorts } from './predict-ports.ts';

/** The preview of a cluster, or why there is none. */
export type ClusterPreview =
  | {
      readonly cluster: string;
      readonly seen: PreviewedCluster;
      readonly pools: readonly Pool[];
      /** Those because of which pools are assumed. */
      readonly assumed: ReadonlySet<Deployed>;
      readonly unreadable: readonly UnreadableInPreview[];
    }
  | { readonly cluster: string; readonly alias: string; readonly why: string };

/** What a change brings to one cluster. */
export interface Brought {
  readonly cluster: string;
  readonly alias: string;
  readonly deployed: readonly Deployed[];
  readonly unjudged: readonly Unjudged[];
  readonly shared: SharedByClusters;
}

/** The checks of the change, with its MachineConfigs read: whoever else is served by the process has a turn after
 *  each. */
export async function sharedBy(
  deployed: readonly Deployed[],
  { yieldToEventLoop }: PredictPorts,
): Promise<SharedByClusters> {
  const lint = changeLint();
  const manifests = deployed.flatMap(({ change }) => change.manifests);
  for (const config of unique(manifests.flatMap((each) => machineConfigChange(each).after ?? []))) {
    lint.read(config);
    await yieldToEventLoop();
  }
  return { lint, room: roomFor(describedAtMost) };
}

/** The clusters are read at once. To compute is two pieces for each, and one for each difference: whoever else is
 *  served by the process has a turn between them. */
export async function previewsOf(brought: readonly Brought[], ports: PredictPorts): Promise<readonly ClusterPreview[]> {
  const reads = await Promise.all(
    brought.map(async (each) => ({ each, read: await readCluster(each.cluster, ports) })),
  );
  const previews: ClusterPreview[] = [];
  for (const { each, read } of reads) {
    await ports.yieldToEventLoop();
    previews.push(read === undefined ? silentOf(each) : await previewOf(each, read, ports));
  }
  return previews;
}

function silentOf({ cluster, alias }: Brought): ClusterPreview {
  return { cluster, alias, why: 'it does not answer' };
}

/** What was read of one cluster. */
interface ClusterRead {
  readonly seen: SeenCluster;
  readonly unreadable: Listed<Pool>['unreadable'];
  readonly paces: Readonly<Record<string, OwnPace>>;
  readonly calendars: Observed<readonly KeptCalendar[]>;
}

/** Undefined: it does not answer. The message of a failed read is only logged: it may contain addresses. */
async function readCluster(cluster: string, ports: PredictPorts): Promise<ClusterRead | undefined> {
  const { cluster: connect, configuration, logger } = ports;
  try {
    const { pools: poolPort, renderings } = await connect(cluster);
    const { items: pools, unreadable } = await poolPort.listPools();
    const sources = await renderings.readRenderSources(pools);
    const windows = byName(configuration.clusters, cluster)?.windows ?? [];
    const [paces, calendars] = await Promise.all([readPaces(cluster, ports), readKept(windows, ports)]);
    return { seen: { name: cluster, pools, sources }, unreadable, paces, calendars };
  } catch (error) {
    if (!(error instanceof Transient)) throw error;
    logger.warn('cluster could not be read for a preview', { cluster, error });
    return undefined;
  }
}

/** What the change does to one cluster. */
async function previewOf(brought: Brought, read: ClusterRead, ports: PredictPorts): Promise<ClusterPreview> {
  const { cluster, alias, deployed, unjudged, shared } = brought;
  const { seen, unreadable } = read;
  const objects = deployed.flatMap(({ change }) => change.manifests.flatMap(({ before, after }) => [before, after]));
  const own = new Set(objects.flatMap((object) => (object === undefined ? [] : sourceName(object))));
  const impact = impactOnCluster(seen, deployed, shared);
  await ports.yieldToEventLoop();
  for (const _ of describeAhead(seen, deployed, shared)) await ports.yieldToEventLoop();
  const withNames = {
    impact,
    ofGit: impactOfGitAlone(seen, deployed, shared),
    own,
    pools: seen.pools,
    alias,
  };
  const previewed = hideNames(withNames, ports.settings.clusterNames);
  const reaches = unjudged.some(({ mayBring }) => mayBring) || deployed.some(bringsRendered);
  return {
    cluster,
    pools: seen.pools,
    assumed: new Set(deployed.filter((each) => isAssumedOn(seen, each))),
    seen: withAhead(previewed, read, ports),
    unreadable: reaches ? unreadable.map(({ name }) => ({ what: 'pool', name, mayReboot: true })) : [],
  };
}

/** What it is called as a source of what changes. */
function sourceName(object: Manifest): string {
  return isMachineConfigManifest(object) ? object.name : `${object.kind} ${object.name}`;
}

/** Whether it has an object that the MCO renders: a pool that could not be parsed may be one that it reaches. */
export function bringsRendered({ change }: Deployed): boolean {
  return change.manifests.some(({ before, after }) =>
    [before, after].some((side) => side !== undefined && isRenderedManifest(side)),
  );
}

/** With how long the rollout of each pool will take by its own pace, and what it will wait for by the configuration of
 *  the cluster. */
function withAhead(
  previewed: PreviewedCluster,
  { seen: { name, pools }, paces, calendars }: ClusterRead,
  ports: PredictPorts,
): PreviewedCluster {
  const settings = byName(ports.configuration.clusters, name);
  const now = ports.clock();
  return {
    ...previewed,
    pools: previewed.pools.map((each) => {
      const withPace = { ...each, pace: paces[each.pool] };
      const pool = byName(pools, each.pool);
      if (pool === undefined || settings === undefined) return withPace;
      const ahead = rolloutAhead(pool, { settings, pools, paces, calendars, now });
      return { ...withPace, ahead: aheadText(ahead, now) };
    }),
  };
}

/** Of the pools whose pace is known. Without the table every estimate is the planned one, and says so. */
async function readPaces(cluster: string, { nodeRollouts, logger }: PredictPorts) {
  try {
    return nodePacesOf((await nodeRollouts.load(cluster))?.paces ?? {});
  } catch (error) {
    if (!(error instanceof Transient)) throw error;
    logger.warn('the pace of the pools could not be read for a preview', { cluster, error });
    return {};
  }
}

async function readKept(
  windows: readonly Window[],
  { keptCalendars, logger }: PredictPorts,
): Promise<Observed<readonly KeptCalendar[]>> {
  try {
    const kept = await Promise.all(calendarsOf(windows).map((each) => keptCalendars.load(calendarId(each))));
    return seen(kept.filter((each) => each !== undefined));
  } catch (error) {
    if (!(error instanceof Transient)) throw error;
    logger.warn('calendars could not be read for a preview', { error });
    return unreadable(error.message);
  }
}
