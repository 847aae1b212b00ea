import { manifestReader } from '../../../functions/adapters/yaml/read-manifests.ts';
import type { ApplicationSource } from '../../../functions/core/argocd/application.ts';
import { changeOf } from '../../../functions/core/impact/change-of.ts';
import { deployedBy } from '../../../functions/core/impact/deployed-by.ts';
import {
  impactCluster,
  impactOnCluster,
  isAssumedOn,
  resumedBy,
} from '../../../functions/core/impact/impact-on-cluster.ts';
import { includedInButane, includesIt } from '../../../functions/core/impact/included-in-butane.ts';
import { predictImpact } from '../../../functions/core/impact/predict-impact.ts';
import type { ClusterImpact } from '../../../functions/core/impact/report.ts';
import { type NamedPush, type Unfollowed, unfollowedOf } from '../../../functions/core/impact/unfollowed.ts';
import { type JudgedFrom, type Unjudged, unjudgedOf, unjudgedOfAll } from '../../../functions/core/impact/unjudged.ts';
import { unjudgedUnread, warningsOfUnread } from '../../../functions/core/impact/unread-applications.ts';
import type { MachineConfigContent } from '../../../functions/core/machine-config/machine-config.ts';
import {
  type Change,
  type Manifest,
  type ManifestChange,
  manifestKey,
} from '../../../functions/core/openshift/manifest.ts';
import { type FilesRead, isRendering } from '../../../functions/core/routing/changed-file.ts';
import {
  isButane,
  type ParsedContent,
  type ParsedFile,
  parseFiles,
} from '../../../functions/core/routing/manifest-file.ts';
import type { ParsedFiles } from '../../../functions/core/routing/parsed-files.ts';
import type { PushedFiles } from '../../../functions/core/routing/push.ts';
import { asInGit } from './masking.ts';
import type { RecordedCluster } from './recorded-cluster.ts';

/** The change as a push; undefined: its repository is unknown, and all of it counts. */
export type AsPushed = Omit<NamedPush, 'files' | 'deleted'> | undefined;

/** The impact, and what could not be judged of the change. */
export interface Judged extends ClusterImpact {
  readonly unjudged: readonly Unjudged[];
}

/** Impact on the cluster through the Applications that would deploy the change; without Applications, of the whole
 *  change. Those that could not be read are told in either case. */
export function judge(seen: RecordedCluster, files: FilesRead, pushed: AsPushed): Judged {
  const unread = pushed === undefined ? [] : unjudgedUnread(seen.unreadApplications, files);
  const judged = judgeRead(seen, files, pushed);
  const warnings = warningsOfUnread(seen.unreadApplications, unread);
  return { ...judged, unjudged: [...judged.unjudged, ...unread], warnings: [...judged.warnings, ...warnings] };
}

function judgeRead(seen: RecordedCluster, files: FilesRead, pushed: AsPushed): Judged {
  const read: ParsedFiles = { ...files, files: parseFiles(files.files, manifestReader()) };
  const judged = { files, applications: seen.applications };
  if (pushed === undefined) {
    const all = everythingIn(read);
    return { ...ofEverything(seen, all), unjudged: unjudgedOfAll(all, judged, seen.pools) };
  }
  const paths = files.files.map(({ path }) => path);
  const push: NamedPush = { ...pushed, files: changedPaths(paths, files.incomplete) };
  const deployed = seen.applications.flatMap((application) => deployedBy(application, push, read));
  const change = deployed.flatMap((each) => each.change.manifests);
  const cluster = withGit(seen, change);
  const unjudged = unjudgedOf(deployed, judged, (each) => ({
    pools: seen.pools,
    isAssumed: isAssumedOn(cluster, each),
  }));
  const impact = impactOnCluster(cluster, deployed);
  const told = unfollowed(seen, push, { read, judged });
  return {
    ...impact,
    unjudged: [...unjudged, ...told.unjudged],
    warnings: [...impact.warnings, ...told.warnings],
  };
}

/** Of a change that nobody deploys whom we know. */
function unfollowed(
  { applications, pools }: RecordedCluster,
  push: NamedPush,
  { read, judged }: { readonly read: ParsedFiles; readonly judged: JudgedFrom },
): Unfollowed {
  return unfollowedOf(applications, push, judged.files, () => {
    const all = everythingIn(read);
    return { unknown: all.unknown, unjudged: unjudgedOfAll(all, judged, pools) };
  });
}

function changedPaths(paths: readonly string[], incomplete: string | undefined): PushedFiles {
  return incomplete === undefined ? { kind: 'known', paths } : { kind: 'unknown', why: incomplete };
}

/** Butane files whose MachineConfig is there as a manifest too are left out: it is the manifest that is applied. */
function withoutTwins(files: readonly ParsedFile[]): readonly ParsedFile[] {
  const keysOf = ({ before, after }: ParsedFile) =>
    [before, after].flatMap((side) => (side.kind === 'read' ? side.manifests.map(manifestKey) : []));
  const manifests = new Set(files.filter((file) => !isButane(file)).flatMap(keysOf));
  return files.flatMap((file) => {
    if (!isButane(file)) return [file];
    const read = asButane(file);
    return keysOf(read).some((key) => manifests.has(key)) ? [] : [read];
  });
}

function asButane({ path, before, after }: ParsedFile): ParsedFile {
  const read = (side: ParsedContent) => (side.kind === 'absent' ? side : (side.butane ?? side));
  return { path, before: read(before), after: read(after) };
}

/** Every manifest below the root, in any folder, and every Butane file as what it becomes. What a tool renders is
 *  unknown. */
export function everythingIn(read: ParsedFiles): Change {
  const whole: ApplicationSource = {
    repoURL: '',
    path: '',
    targetRevision: '',
    chart: '',
    directory: { recurse: true, include: '', exclude: '' },
  };
  const all = { sources: [whole], generatePaths: undefined, concerned: [whole], countsButane: true };
  const change = changeOf(all, { ...read, files: withoutTwins(read.files) });
  const rendered = read.files.flatMap(({ path }) => {
    const tool = read.tools.find((each) => isRendering(each) && isBelow(path, each.folder));
    return tool === undefined ? [] : [{ path, why: `${tool.tool} renders it` }];
  });
  const known = new Set(change.unknown.map(({ path }) => path));
  const included = includedInButane(read, change).map(({ path }) => ({ path, why: includesIt }));
  const more = new Map([...rendered, ...included].map((each) => [each.path, each]));
  return { ...change, unknown: [...change.unknown, ...[...more.values()].filter(({ path }) => !known.has(path))] };
}

function isBelow(path: string, folder: string): boolean {
  return folder === '' || path.startsWith(`${folder}/`);
}

function ofEverything(seen: RecordedCluster, change: Change): ClusterImpact {
  const cluster = withGit(seen, change.manifests);
  const assumed = seen.pools.map(({ name }) => ({ pool: name, why: 'part of the change is unknown' }));
  return predictImpact({
    cluster: impactCluster(cluster),
    applications: [],
    change,
    assumed: [...(change.unknown.length > 0 ? assumed : []), ...resumedBy(change, seen.pools)],
  });
}

/** Restores from Git, as of before the change, what a recording leaves out as secret. */
function withGit(seen: RecordedCluster, manifests: readonly ManifestChange[]): RecordedCluster {
  const git = new Map(
    manifests.flatMap(({ before }) => (before === undefined ? [] : [[before.name, before] as const])),
  );
  const machineConfigs = seen.sources.machineConfigs.map((config) => filled(config, git.get(config.name)));
  return { ...seen, sources: { ...seen.sources, machineConfigs } };
}

function filled(config: MachineConfigContent, before: Manifest | undefined): MachineConfigContent {
  if (before === undefined) return config;
  return { ...config, spec: asInGit(config.spec, before.body['spec']) as MachineConfigContent['spec'] };
}
