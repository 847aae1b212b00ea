import type { Deployed } from '../core/impact/impact-on-cluster.ts';
import {
  hasContent,
  type JudgedFrom,
  nothingSeen,
  type SeenThere,
  type Unjudged,
  unjudgedOf,
} from '../core/impact/unjudged.ts';
import { mayMeet, unjudgedMerge } from '../core/impact/unmerged.ts';
import type { Compared } from '../core/preview/compared.ts';
import type { Preview } from '../core/preview/preview.ts';
import { type Pull, stateOf } from '../core/preview/pull.ts';
import type { ChangedPaths, FilesRead } from '../core/routing/changed-file.ts';
import { parseFiles } from '../core/routing/manifest-file.ts';
import type { ParsedFiles } from '../core/routing/parsed-files.ts';
import type { RoutedPush } from '../core/routing/push.ts';
import type { GitGenerator } from '../core/routing/route.ts';
import { given } from '../core/text/given.ts';
import {
  deployedByInstance,
  foldersOf,
  followedIn,
  type InstanceListed,
  type InstanceSeen,
  type InstanceSilent,
  isNamed,
  listInstance,
} from './argocd-instances.ts';
import { type EarlierNames, earlierNames } from './earlier-names.ts';
import { generatedBy } from './generated-by.ts';
import { type DeployedOn, newApplications } from './new-applications.ts';
import type { PredictPorts } from './predict-ports.ts';
import { type Brought, bringsRendered, type ClusterPreview, previewsOf, sharedBy } from './preview-clusters.ts';
import { unreadableInPull } from './unreadable-in-pull.ts';

/** Clusters read for one pull request; the rest are counted, and a reboot is assumed. */
const clustersAtMost = 20;

/** What merging a pull request would do, as every reader of the repository may see it: routed as if it were pushed to
 *  its base, for the clusters as they are now. What cannot be read is named, never left out. Throws Transient if GitHub
 *  cannot be read. */
export async function predictPull(pull: Pull, compared: Compared, ports: PredictPorts): Promise<Preview> {
  const read = await readPull(pull, compared, ports);
  const reached = await whatItReaches(read, ports);
  const byCluster = [...Map.groupBy(reached.deployed, ({ cluster }) => cluster)].toSorted(([a], [b]) =>
    a < b ? -1 : 1,
  );
  const brought = await broughtTo(byCluster.slice(0, clustersAtMost), reached.judged, ports);
  const previews = await previewsOf(brought, ports);
  const { files, followed, push, base } = read;
  const { deployed, elsewhere, silent } = reached;
  const isHidden = ports.settings.clusterNames === 'hide';
  const unknown = deployed.flatMap(({ change }) => change.unknown);
  return {
    state: stateOf(pull),
    applications: deployed.length + elsewhere.length,
    ...(hasContent(files) && !isNamed(followed, push) ? { isUnnamed: true as const } : {}),
    clusters: previews.flatMap((each) => ('seen' in each ? [each.seen] : [])),
    outOfSight: [
      ...previews.flatMap((each) =>
        'why' in each ? [{ cluster: isHidden ? each.alias : each.cluster, why: each.why }] : [],
      ),
      ...notConfigured(elsewhere, reached.judged).map((cluster, index) => ({
        cluster: isHidden ? aliasOf(byCluster.length + index) : cluster,
        why: 'it is not in poolkeeper.yaml',
      })),
    ],
    beyond: Math.max(0, byCluster.length - clustersAtMost),
    unknown: [...new Map(unknown.map((each) => [`${each.path} ${each.why}`, each])).values()],
    unjudged: [
      ...allUnjudged(read, reached, previews),
      ...(compared.since && base && mayMeet(files, base)
        ? unjudgedMerge(pull.base.ref, compared.since.why, files)
        : []),
    ],
    unreadable: [
      ...unreadableInPull({ ...read, ...reached }),
      ...previews.flatMap((each) => ('seen' in each ? each.unreadable : [])),
    ].map((each) => (isHidden ? { ...each, name: '' } : each)),
    isNamed: !isHidden,
    isPartial: silent.length > 0,
    ...given({ keptBackSeconds: files.keptBackSeconds ?? base?.keptBackSeconds }),
  };
}

/** A pull request as it was read, as if it were pushed to its base. */
interface PullRead {
  readonly lists: readonly (InstanceListed | InstanceSilent)[];
  readonly followed: readonly Pick<GitGenerator, 'repoURL'>[];
  readonly earlier: EarlierNames;
  readonly files: FilesRead;
  readonly parsed: ParsedFiles;
  readonly push: RoutedPush;
  /** What its base has changed since; undefined: nothing. */
  readonly base: ChangedPaths | undefined;
  /** Commits that it starts from and leads to. */
  readonly before: string;
  readonly after: string;
}

async function readPull(
  { htmlUrl, repository, defaultBranch, base: branch }: Pull,
  { before, after, since }: Compared,
  ports: PredictPorts,
): Promise<PullRead> {
  const lists = await Promise.all(ports.configuration.argocd.map((each) => listInstance(each, ports)));
  const followed = followedIn(lists);
  const earlier = await earlierNames(htmlUrl, followed, ports);
  const unread: RoutedPush = {
    htmlUrl,
    otherNames: earlier.names,
    defaultBranch,
    ref: `refs/heads/${branch.ref}`,
    files: { kind: 'unknown', why: 'they are not read yet' },
  };
  const question = { fullName: repository, before, after, paths: undefined, folders: foldersOf(lists, unread) };
  const files = await ports.repositories.readChange(question);
  const base = since && (await ports.repositories.readPaths({ ...question, after: since.tip }));
  const paths = files.files.map(({ path }) => path);
  const { incomplete } = files;
  const push: RoutedPush = {
    ...unread,
    files: incomplete === undefined ? { kind: 'known', paths } : { kind: 'unknown', why: incomplete },
  };
  const parsed: ParsedFiles = { ...files, files: parseFiles(files.files, ports.manifestReader()) };
  return { lists, followed, earlier, files, parsed, push, base, before, after };
}

/** Who deploys a pull request, and where. */
interface Reached {
  /** The Argo CD instances that answered. */
  readonly instances: readonly InstanceSeen[];
  /** Names of those that did not, if the change has anything that they might deploy. */
  readonly silent: readonly string[];
  /** On clusters that are configured. */
  readonly deployed: readonly DeployedOn[];
  readonly elsewhere: readonly DeployedOn[];
  readonly judged: JudgedFrom;
}

async function whatItReaches(read: PullRead, ports: PredictPorts): Promise<Reached> {
  const { files, parsed, push, before, after } = read;
  const instances: InstanceSeen[] = [];
  for (const each of read.lists) if (!('why' in each)) instances.push(await deployedByInstance(each, read, ports));
  const there = instances.flatMap((each) => each.deployed);
  const asPush = { push, read: parsed, before, after, now: ports.clock() };
  const created = newApplications(there, asPush, ports.configuration.argocd);
  return {
    instances,
    silent: hasContent(files) ? read.lists.flatMap((each) => ('why' in each ? [each.argocd] : [])) : [],
    deployed: [...there, ...created],
    elsewhere: instances.flatMap((each) => each.elsewhere),
    judged: {
      files,
      applications: instances.flatMap(({ listed }) => listed.items),
      expected: created.map(({ application, writer }) => ({ ref: application, writer })),
    },
  };
}

async function broughtTo(
  clusters: readonly (readonly [string, readonly DeployedOn[]])[],
  judged: JudgedFrom,
  ports: PredictPorts,
): Promise<readonly Brought[]> {
  const shared = await sharedBy(
    clusters.flatMap(([, those]) => those),
    ports,
  );
  return clusters.map(([cluster, deployed], index) => ({
    cluster,
    alias: aliasOf(index),
    deployed,
    unjudged: unread(deployed, judged),
    shared,
  }));
}

/** What a cluster is called where it may not be named. */
function aliasOf(index: number): string {
  return `cluster ${index + 1}`;
}

function allUnjudged(
  { push, parsed }: PullRead,
  { instances, deployed, elsewhere, judged }: Reached,
  previews: readonly ClusterPreview[],
): readonly Unjudged[] {
  const known: ReadonlySet<DeployedOn> = new Set(deployed);
  const byCluster = new Map(previews.flatMap((each) => ('seen' in each ? [[each.cluster, each] as const] : [])));
  const seenBy = (each: DeployedOn): SeenThere => {
    const there = known.has(each) ? byCluster.get(each.cluster) : undefined;
    return there === undefined ? nothingSeen : { pools: there.pools, isAssumed: there.assumed.has(each) };
  };
  const all = [...deployed, ...elsewhere];
  return [
    // A cluster that is not configured may have the name of one that is.
    ...unjudgedOf(all, judged, seenBy),
    ...generatedBy(
      instances.flatMap(({ sets }) => sets),
      { push, parsed, deployed: all, judged },
    ),
  ];
}

/** What cannot be judged of it where the pools of the cluster are not known. */
function unread(deployed: readonly Deployed[], judged: JudgedFrom): readonly Unjudged[] {
  return unjudgedOf(deployed, judged, () => nothingSeen);
}

/** Clusters that are not configured and to which the change may bring what the MCO renders. */
function notConfigured(elsewhere: readonly DeployedOn[], judged: JudgedFrom): readonly string[] {
  const byCluster = Map.groupBy(elsewhere, ({ cluster }) => cluster);
  return [...byCluster].flatMap(([cluster, those]) =>
    those.some(bringsRendered) || unread(those, judged).some(({ mayBring }) => mayBring) ? [cluster] : [],
  );
}
