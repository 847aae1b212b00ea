import type { Application } from '../core/argocd/application.ts';
import { clusterOf } from '../core/argocd/destination.ts';
import type { ArgoCdSettings } from '../core/configuration/argocd.ts';
import type { Configuration } from '../core/configuration/configuration.ts';
import type { PreviewSettings } from '../core/configuration/github.ts';
import type { Window } from '../core/configuration/window.ts';
import type { Listed } from '../core/findings/listed.ts';
import { machineConfigChange } from '../core/impact/changed-configs.ts';
import { deployedBy } from '../core/impact/deployed-by.ts';
import {
  type Deployed,
  impactOfGitAlone,
  impactOnCluster,
  type SeenCluster,
  type SharedByClusters,
} from '../core/impact/impact-on-cluster.ts';
import type { OwnPace } from '../core/impact/node-pace.ts';
import { isRenderedManifest } from '../core/impact/pools-of.ts';
import { hasContent, type JudgedFrom, mayBringRendered, type Unjudged, unjudgedOf } from '../core/impact/unjudged.ts';
import { describedAtMost } from '../core/machine-config/describe-change.ts';
import { changeLint } from '../core/machine-config/lint.ts';
import { nodePacesOf } from '../core/node-rollouts/pace.ts';
import type { Pool } from '../core/openshift/pool.ts';
import { hideNames } from '../core/preview/hide-names.ts';
import type { Preview, PreviewedCluster, UnreadableInPreview } from '../core/preview/preview.ts';
import { type Pull, stateOf } from '../core/preview/pull.ts';
import { aheadText, rolloutAhead } from '../core/preview/rollout-ahead.ts';
import type { FilesRead } from '../core/routing/changed-file.ts';
import { isFollowing } from '../core/routing/is-concerned.ts';
import { parseFiles, type ReadManifests } from '../core/routing/manifest-file.ts';
import type { ParsedFiles } from '../core/routing/parsed-files.ts';
import { namesOf, type RoutedPush } from '../core/routing/push.ts';
import { repositoriesOf } from '../core/routing/repository.ts';
import { type GitGenerator, isTemplated, type SetRoute } from '../core/routing/route.ts';
import { byName } from '../core/text/by-name.ts';
import { Transient } from '../core/text/errors.ts';
import { given } from '../core/text/given.ts';
import { type Observed, seen, unreadable } from '../core/text/observed.ts';
import { roomFor } from '../core/text/room.ts';
import { unique } from '../core/text/unique.ts';
import { calendarId, calendarsOf, type KeptCalendar } from '../core/windows/kept-calendars.ts';
import type { ArgoCd } from '../ports/argocd.ts';
import type { Pools, Renderings } from '../ports/cluster.ts';
import type { Repositories, RepositoryNames } from '../ports/repositories.ts';
import type { KeptCalendars, NodeRollouts, Routes } from '../ports/tables.ts';
import type { Logger } from '../ports/telemetry.ts';
import type { Clock, YieldToEventLoop } from '../ports/time.ts';
import { type EarlierNames, earlierNames } from './earlier-names.ts';
import { generatedBy } from './generated-by.ts';
import { type DeployedOn, newApplications } from './new-applications.ts';

/** What a prediction reads. */
export interface PredictPorts {
  readonly configuration: Configuration;
  readonly settings: PreviewSettings;
  readonly repositories: Repositories;
  /** What the repositories that are followed are called now; undefined: nobody is asked. */
  readonly repositoryNames?: RepositoryNames | undefined;
  readonly manifestReader: () => ReadManifests;
  readonly argocd: (name: string) => Promise<Pick<ArgoCd, 'listApplications' | 'listApplicationSets'>>;
  readonly cluster: (
    name: string,
  ) => Promise<{ readonly pools: Pools; readonly renderings: Pick<Renderings, 'readRenderSources'> }>;
  /** The history of the pools, and copies of calendars. */
  readonly nodeRollouts: Pick<NodeRollouts, 'load'>;
  readonly keptCalendars: Pick<KeptCalendars, 'load'>;
  /** With what keep-pools has learnt of the names of repositories. */
  readonly routes: Pick<Routes, 'load'>;
  readonly clock: Clock;
  readonly yieldToEventLoop: YieldToEventLoop;
  readonly logger: Logger;
}

/** Clusters read for one pull request; the rest are counted, and a reboot is assumed. */
const clustersAtMost = 20;

/** What merging a pull request would do, as every reader of the repository may see it: routed as if it were pushed to
 *  its base, for the clusters as they are now. What cannot be read is named, never left out. Throws Transient if GitHub
 *  cannot be read. */
export async function predictPull(pull: Pull, mergeBase: string, ports: PredictPorts): Promise<Preview> {
  const { repository, base, head } = pull;
  const lists = await Promise.all(ports.configuration.argocd.map((each) => listOf(each, ports)));
  const followed = followedIn(lists);
  const earlier = await earlierNames(pull.htmlUrl, followed, ports);
  const asked: RoutedPush = {
    htmlUrl: pull.htmlUrl,
    otherNames: earlier.names,
    defaultBranch: pull.defaultBranch,
    ref: `refs/heads/${base.ref}`,
    files: { kind: 'unknown', why: 'they are not read yet' },
  };
  const read = await ports.repositories.readChange({
    fullName: repository,
    before: mergeBase,
    after: head,
    paths: undefined,
    folders: foldersOf(lists, asked),
  });
  const parsed: ParsedFiles = { ...read, files: parseFiles(read.files, ports.manifestReader()) };
  const paths = read.files.map(({ path }) => path);
  const push: RoutedPush = {
    ...asked,
    files: read.incomplete === undefined ? { kind: 'known', paths } : { kind: 'unknown', why: read.incomplete },
  };
  const all: (InstanceSeen | InstanceSilent)[] = [];
  for (const each of lists) all.push('why' in each ? each : await deployedOn(each, { push, parsed }, ports));
  const perInstance = all.flatMap((each) => ('why' in each ? [] : [each]));
  const silent = hasContent(read) ? all.flatMap((each) => ('why' in each ? [each.argocd] : [])) : [];
  const unlisted = mayBringRendered(read) ? perInstance.flatMap(({ unlistedSets }) => unlistedSets) : [];
  const there = perInstance.flatMap((each) => each.deployed);
  const asPush = { push, read: parsed, before: mergeBase, after: head, now: ports.clock() };
  const created = newApplications(there, asPush, ports.configuration.argocd);
  const deployed = [...there, ...created];
  const elsewhere = perInstance.flatMap((each) => each.elsewhere);
  const applications = perInstance.flatMap(({ listed }) => listed.items);
  const expected = created.map(({ application, writer }) => ({ ref: application, writer }));
  const judged = { files: read, applications, expected };
  const byCluster = [...Map.groupBy(deployed, ({ cluster }) => cluster)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const previewed = byCluster.slice(0, clustersAtMost);
  const shared = await sharedBy(
    previewed.flatMap(([, those]) => those),
    ports,
  );
  const brought = previewed.map(
    ([cluster, those], index): Brought => ({
      cluster,
      alias: `cluster ${index + 1}`,
      deployed: those,
      unjudged: unread(those, judged),
      shared,
    }),
  );
  const previews = await previewsOf(brought, ports);
  const known: ReadonlySet<DeployedOn> = new Set(deployed);
  const livePools = new Map(previews.flatMap((each) => ('seen' in each ? [[each.cluster, each.pools] as const] : [])));
  const unjudged = [
    // A cluster that is not configured may have the name of one that is.
    ...unjudgedOf([...deployed, ...elsewhere], judged, (each) =>
      known.has(each) ? (livePools.get(each.cluster) ?? []) : [],
    ),
    ...generatedBy(
      perInstance.flatMap(({ sets }) => sets),
      { push, parsed, deployed: [...deployed, ...elsewhere], judged },
    ),
  ];
  const hides = ports.settings.clusterNames === 'hide';
  const unknown = deployed.flatMap(({ change }) => change.unknown);
  return {
    state: stateOf(pull),
    applications: deployed.length + elsewhere.length,
    ...(hasContent(read) && !isNamed(followed, asked) ? { isUnnamed: true as const } : {}),
    clusters: previews.flatMap((each) => ('seen' in each ? [each.seen] : [])),
    outOfSight: [
      ...previews.flatMap((each) =>
        'why' in each ? [{ cluster: hides ? each.alias : each.cluster, why: each.why }] : [],
      ),
      ...notConfigured(elsewhere, judged).map((cluster, index) => ({
        cluster: hides ? `cluster ${byCluster.length + index + 1}` : cluster,
        why: 'it is not in poolkeeper.yaml',
      })),
    ],
    beyond: Math.max(0, byCluster.length - clustersAtMost),
    unknown: [...new Map(unknown.map((each) => [`${each.path} ${each.why}`, each])).values()],
    unjudged,
    unreadable: [
      ...silent.map((name) => ({ what: 'Argo CD' as const, name, mayReboot: mayBringRendered(read) })),
      // Never by name: it is that of somebody else's repository.
      ...Array.from({ length: namesThatMatter(earlier, read) }, () => unlearntName),
      ...unlisted.map((name) => ({ what: 'ApplicationSet list' as const, name, mayReboot: true })),
      ...unreadableObjects(
        'Application',
        perInstance.flatMap(({ listed }) => listed.unreadable),
        read,
      ),
      ...unreadableObjects(
        'ApplicationSet',
        perInstance.flatMap(({ unreadableSets }) => unreadableSets),
        read,
      ),
      ...previews.flatMap((each) => ('seen' in each ? each.unreadable : [])),
    ].map((each) => (hides ? { ...each, name: '' } : each)),
    isNamed: !hides,
    isPartial: silent.length > 0,
    ...given({ keptBackSeconds: read.keptBackSeconds }),
  };
}

const unlearntName = { what: 'repository name', name: '', mayReboot: false } as const;

/** Whoever follows the repository by a name that could not be learnt may render nodes' files from any of a change:
 *  where names are refused, which stays so, this counts only where a tool renders anything in the repository. */
function namesThatMatter({ unanswered, unlearnt }: EarlierNames, read: FilesRead): number {
  if (!hasContent(read)) return 0;
  // Links and submodules render nothing: what changes behind them is judged by what it says.
  const isRendered = read.tools.some(({ tool }) => tool !== 'link' && tool !== 'submodule');
  return unanswered + (mayBringRendered(read) || isRendered ? unlearnt : 0);
}

/** An Application that cannot be parsed may deploy any part of any change, and one that is generated as well. Whoever
 *  may write one may break it: it deserves a comment only where a file may bring what the MCO renders. */
function unreadableObjects(
  what: 'Application' | 'ApplicationSet',
  items: Listed<unknown>['unreadable'],
  read: FilesRead,
): readonly UnreadableInPreview[] {
  if (items.length === 0 || !hasContent(read)) return [];
  const mayReboot = mayBringRendered(read);
  return items.map(({ namespace, name }) => ({ what, name: `${namespace}/${name}`, mayReboot }));
}

/** The change as it is read for every instance. */
interface AsRead {
  readonly push: RoutedPush;
  readonly parsed: ParsedFiles;
}

/** What one Argo CD has. */
interface InstanceListed {
  readonly settings: ArgoCdSettings;
  readonly listed: Listed<Application>;
  /** Undefined: they may not be listed. */
  readonly sets: Listed<SetRoute> | undefined;
}

interface InstanceSilent {
  readonly argocd: string;
  readonly why: string;
}

/** What one Argo CD deploys of a change. */
interface InstanceSeen {
  readonly listed: Listed<Application>;
  readonly deployed: readonly DeployedOn[];
  /** Deployed to clusters that are not configured; `cluster` is how the Application names it. */
  readonly elsewhere: readonly DeployedOn[];
  readonly sets: readonly SetRoute[];
  readonly unreadableSets: Listed<SetRoute>['unreadable'];
  /** Name of the Argo CD whose ApplicationSets may not be listed. */
  readonly unlistedSets: readonly string[];
}

/** One that cannot be read is said to be unknown: it must not keep back what the others deploy. */
async function listOf(
  settings: ArgoCdSettings,
  { argocd, logger }: PredictPorts,
): Promise<InstanceListed | InstanceSilent> {
  try {
    const instance = await argocd(settings.name);
    const [listed, sets] = await Promise.all([
      instance.listApplications(),
      // Whether we may read them is the cluster's to say: without them nothing is known of what they generate.
      instance.listApplicationSets().catch((error: unknown) => {
        if (!(error instanceof Transient) || error.kind !== 'forbidden') throw error;
        logger.warn('ApplicationSets may not be listed for a preview', { argocd: settings.name, error });
        return undefined;
      }),
    ]);
    return { settings, listed, sets };
  } catch (error) {
    if (!(error instanceof Transient)) throw error;
    logger.warn('Argo CD could not be read for a preview', { argocd: settings.name, error });
    return { argocd: settings.name, why: error.message };
  }
}

/** Source paths that follow the base: without them it is not known what a kustomization takes from beside its folder,
 *  and it might be any cluster's. */
function foldersOf(lists: readonly (InstanceListed | InstanceSilent)[], push: RoutedPush): readonly string[] {
  const sources = lists.flatMap((each) =>
    'why' in each ? [] : each.listed.items.flatMap((application) => application.sources),
  );
  return unique(sources.filter((source) => isFollowing(source, push)).map(({ path }) => path));
}

/** All that is watched. */
function followedIn(lists: readonly (InstanceListed | InstanceSilent)[]): readonly Pick<GitGenerator, 'repoURL'>[] {
  return lists.flatMap((each) => {
    if ('why' in each) return [];
    const sources = each.listed.items.flatMap((application) => application.sources);
    return [...sources, ...(each.sets?.items ?? []).flatMap(({ generators }) => generators)];
  });
}

/** Whether any of it names the repository, whatever of it. */
function isNamed(followed: readonly Pick<GitGenerator, 'repoURL'>[], push: RoutedPush): boolean {
  const names = namesOf(push);
  return followed.some(
    ({ repoURL }) => isTemplated(repoURL) || repositoriesOf(repoURL).some((name) => names.includes(name)),
  );
}

/** What an Application deploys of it is one piece of work: whoever else is served by the process has a turn after each
 *  that the change concerns. */
async function deployedOn(
  { settings, listed, sets }: InstanceListed,
  { push, parsed }: AsRead,
  { yieldToEventLoop }: PredictPorts,
): Promise<InstanceSeen> {
  const concerned: (Deployed & { readonly known: string | undefined; readonly destination: string })[] = [];
  for (const application of listed.items) {
    const brought = deployedBy(application, push, parsed);
    if (brought.length === 0) continue;
    const known = clusterOf(application, settings);
    const destination = `${application.destination.name || application.destination.server}`;
    concerned.push(...brought.map((each) => ({ ...each, known, destination })));
    await yieldToEventLoop();
  }
  return {
    listed,
    deployed: concerned.flatMap(({ known, destination: _, ...each }) =>
      known === undefined ? [] : [{ ...each, cluster: known }],
    ),
    elsewhere: concerned.flatMap(({ known, destination, ...each }) =>
      known === undefined ? [{ ...each, cluster: destination }] : [],
    ),
    sets: sets?.items ?? [],
    unreadableSets: sets?.unreadable ?? [],
    unlistedSets: sets === undefined ? [settings.name] : [],
  };
}

/** What cannot be judged of it where the pools of the cluster are not known. */
function unread(deployed: readonly Deployed[], judged: JudgedFrom): readonly Unjudged[] {
  return unjudgedOf(deployed, judged, () => []);
}

/** Clusters that are not configured and to which the change may bring what the MCO renders. */
function notConfigured(elsewhere: readonly DeployedOn[], judged: JudgedFrom): readonly string[] {
  const byCluster = Map.groupBy(elsewhere, ({ cluster }) => cluster);
  return [...byCluster].flatMap(([cluster, those]) =>
    those.some(bringsRendered) || unread(those, judged).some(({ mayBring }) => mayBring) ? [cluster] : [],
  );
}

type ClusterPreview =
  | {
      readonly cluster: string;
      readonly seen: PreviewedCluster;
      readonly pools: readonly Pool[];
      readonly unreadable: readonly UnreadableInPreview[];
    }
  | { readonly cluster: string; readonly alias: string; readonly why: string };

/** What a change brings to one cluster. */
interface Brought {
  readonly cluster: string;
  readonly alias: string;
  readonly deployed: readonly Deployed[];
  readonly unjudged: readonly Unjudged[];
  readonly shared: SharedByClusters;
}

/** The checks of the change, with its MachineConfigs read: whoever else is served by the process has a turn after
 *  each. */
async function sharedBy(deployed: readonly Deployed[], { yieldToEventLoop }: PredictPorts): Promise<SharedByClusters> {
  const lint = changeLint();
  const manifests = deployed.flatMap(({ change }) => change.manifests);
  for (const config of unique(manifests.flatMap((each) => machineConfigChange(each).after ?? []))) {
    lint.read(config);
    await yieldToEventLoop();
  }
  return { lint, room: roomFor(describedAtMost) };
}

/** The clusters are read at once. To compute is two pieces for each: whoever else is served by the process has a turn
 *  between them. */
async function previewsOf(brought: readonly Brought[], ports: PredictPorts): Promise<readonly ClusterPreview[]> {
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
  const own = new Set(
    deployed.flatMap(({ change }) =>
      change.manifests.flatMap(({ before, after }) => [before?.name, after?.name].filter((name) => name !== undefined)),
    ),
  );
  const impact = impactOnCluster(seen, deployed, shared);
  await ports.yieldToEventLoop();
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
    seen: withAhead(previewed, read, ports),
    unreadable: reaches ? unreadable.map(({ name }) => ({ what: 'pool', name, mayReboot: true })) : [],
  };
}

/** Whether it has an object that the MCO renders: a pool that could not be parsed may be one that it reaches. */
function bringsRendered({ change }: Deployed): boolean {
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
