import type { Application, ApplicationRef } from '../argocd/application.ts';
import { decidesAlone } from '../argocd/pools-annotation.ts';
import { isButaneText } from '../machine-config/butane.ts';
import { syncHoldId } from '../openshift/hold.ts';
import type { Change, Manifest, ManifestChange } from '../openshift/manifest.ts';
import { namesRenderedKind } from '../openshift/names-rendered-kind.ts';
import { machineConfigGroup } from '../openshift/rendered-kinds.ts';
import { type ChangedFile, type FilesRead, isButaneFile, isManifestFile } from '../routing/changed-file.ts';
import { isOfTemplates } from '../routing/template-actions.ts';
import { once } from '../text/once.ts';
import { renderedResources } from './affected-pools.ts';
import { builtObject, builtOtherwise, isManagedIn } from './built-by-kustomize.ts';
import { carriedBy } from './carried.ts';
import { anyChangedFile, behindLink } from './change-of.ts';
import type { Deployed } from './impact-on-cluster.ts';
import { isAsLive, type LivePool } from './live-pool.ts';
import { isSameContent } from './same-content.ts';

/** A part of a change of which nobody knows what it does to nodes. */
export interface Unjudged {
  /** File of the repository, or what else is meant. */
  readonly path: string;
  readonly why: string;
  /** Otherwise it stands for more than one, or for none of the repository. */
  readonly isFile: boolean;
  /** It is what merging the branch gives. */
  readonly isMerge?: true | undefined;
  /** Pools are assumed wherever it is deployed: they tell it. */
  readonly isAssumed?: true | undefined;
  /** It may bring what the MCO renders: by its own text, by what its Application manages, or because nothing of it was
   *  read. Otherwise nothing speaks for it, and nothing excludes it. */
  readonly mayBring: boolean;
}

type Found = Omit<Unjudged, 'isFile' | 'isMerge'>;

/** What is known of the cluster that something is deployed to. */
export interface SeenThere {
  readonly pools: readonly LivePool[];
  /** Pools there are assumed because of what cannot be judged of it. */
  readonly isAssumed: boolean;
}

/** Of a cluster that was not read. */
export const nothingSeen: SeenThere = { pools: [], isAssumed: false };

/** An Application that the change creates. */
export interface NewApplication {
  readonly ref: ApplicationRef;
  /** The Application that creates it. */
  readonly writer: ApplicationRef | undefined;
}

/** What was read for a prediction. */
export interface JudgedFrom {
  readonly files: FilesRead;
  /** All that were read, also those that the change does not concern. */
  readonly applications: readonly Application[];
  /** New Applications whose content is part of the change. */
  readonly expected?: readonly NewApplication[] | undefined;
}

/** What cannot be judged of a change: what an Application renders from files that are no manifests, and what a changed
 *  Application will deploy. Where an Application manages what the MCO renders, its pools are assumed besides. Pure.
 *  @param seenBy what is known of the cluster that it is deployed to */
export function unjudgedOf<Each extends Deployed>(
  deployed: readonly Each[],
  from: JudgedFrom,
  seenBy: (each: Each) => SeenThere,
): readonly Unjudged[] {
  const mayBring = doubts(from.files);
  const isElsewhere = once(() => bringsElsewhere(deployed, from.files));
  const live = liveIn(from.applications);
  const { expected = [] } = from;
  const created = new Set(expected.map(({ ref }) => syncHoldId(ref)));
  const written = new Set(expected.map(({ ref, writer }) => writtenKey(writer, ref)));
  const found = deployed.flatMap((each): readonly Found[] => {
    const { pools, isAssumed } = seenBy(each);
    const own = [...unknownIn(each, mayBring, created), ...builtIn(each)];
    return [
      ...(isAssumed ? own.map((one) => ({ ...one, isAssumed: true as const })) : own),
      ...changedApplications(each.change, {
        namespace: each.application.namespace,
        live,
        isElsewhere,
        isCreated: (name) => written.has(writtenKey(each.application, name)),
      }),
      ...newPools(each, pools),
      ...carriedIn(each),
    ];
  });
  return distinct(found, from.files);
}

/** The same where all of a change counts, whoever deploys it: what is unknown of it is assumed to reach every pool. */
export function unjudgedOfAll(
  change: Change,
  { files, applications }: JudgedFrom,
  pools: readonly LivePool[],
): readonly Unjudged[] {
  const live = liveIn(applications);
  const changed = changedApplications(change, {
    namespace: '',
    live,
    isElsewhere: () => false,
    isCreated: () => false,
  });
  return distinct([...changed, ...newPools({ change }, pools), ...carriedIn({ change })], files);
}

function distinct(found: readonly Found[], { files }: FilesRead): readonly Unjudged[] {
  const paths = new Set(files.map(({ path }) => path));
  const unique = new Map<string, Unjudged>();
  for (const each of found) {
    const key = `${each.path}\n${each.why}`;
    const known = unique.get(key);
    if (known === undefined || weightOf(each) > weightOf(known))
      unique.set(key, { ...each, isFile: paths.has(each.path) });
  }
  return [...unique.values()];
}

/** Of several that deploy the same, one of which no pool is assumed is to be told. */
function weightOf({ mayBring, isAssumed }: Found): number {
  if (!mayBring) return 0;
  return isAssumed === true ? 1 : 2;
}

/** Whether a change may matter to what could not be read: it has files besides texts and pictures for people. */
export function hasContent({ files, incomplete }: FilesRead): boolean {
  return incomplete !== undefined || files.some(({ path }) => !isForPeople(path));
}

/** Whether any of its files may bring what the MCO renders. */
export function mayBringRendered(read: FilesRead): boolean {
  const mayBring = doubts(read);
  return read.incomplete !== undefined || read.files.some(({ path }) => mayBring(path));
}

/** No chart, kustomization or folder makes an object of these. */
export function isForPeople(path: string): boolean {
  return (
    !isTemplate(path) &&
    /\.(?:md|adoc|rst|png|jpe?g|gif|svg|ico|pdf)$|(?:^|\/)(?:LICENSE|NOTICE|CODEOWNERS|\.gitignore)$/i.test(path)
  );
}

/** Helm renders everything there, whatever its name, but for the notes. Source: helm pkg/engine, pkg/action. */
function isTemplate(path: string): boolean {
  return isOfTemplates(path) && !path.endsWith('NOTES.txt');
}

function unknownIn(
  { application, change }: Deployed,
  mayBring: (path: string) => boolean,
  created: ReadonlySet<string>,
): readonly Found[] {
  const { named } = application;
  const parts = change.unknown.filter(({ path, why }) => why === behindLink || !isForPeople(path));
  if (decidesAlone(named)) return parts.map((each) => ({ ...each, mayBring: false }));
  const manages = !created.has(syncHoldId(application)) && mayManageRendered(application);
  return parts.map((each) => ({ ...each, mayBring: manages || mayBring(each.path) }));
}

/** Of one namespace and name, several Argo CDs may have an Application. */
function writtenKey(
  writer: ApplicationRef | undefined,
  { namespace, name }: Pick<ApplicationRef, 'namespace' | 'name'>,
): string {
  return `${writer && syncHoldId(writer)} ${namespace}/${name}`;
}

/** What Argo CD has not compared yet lists nothing. */
export function mayManageRendered(application: Application): boolean {
  return application.resources.length === 0 || renderedResources(application).length > 0;
}

/** Whether a file, or what stands for files that are not listed, may bring what the MCO renders. */
function doubts({ files, tools, incomplete }: FilesRead): (path: string) => boolean {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const submodules = new Set(tools.filter(({ tool }) => tool === 'submodule').map(({ folder }) => folder));
  const answers = new Map<string, boolean>();
  const answer = (path: string): boolean => {
    if (submodules.has(path)) return true;
    if (path === anyChangedFile) return incomplete !== undefined || files.some((each) => mayHold(each));
    const file = byPath.get(path);
    return file === undefined ? incomplete !== undefined : mayHold(file);
  };
  return (path) => {
    const known = answers.get(path) ?? answer(path);
    answers.set(path, known);
    return known;
  };
}

/** Asked for each cluster; a change may have megabytes. */
function mayHold(file: ChangedFile): boolean {
  const known = holding.get(file) ?? mayHoldUnread(file);
  holding.set(file, known);
  return known;
}

const holding = new WeakMap<ChangedFile, boolean>();

function mayHoldUnread({ path, before, after }: ChangedFile): boolean {
  if (isForPeople(path)) return false;
  if (isButaneFile(path)) return true;
  return [before, after].some((side) => {
    if (side.kind === 'text') return namesRenderedKind(side.text) || isButaneText(side.text);
    // Pictures and archives are not read either.
    return side.kind === 'unread' && (isManifestFile(path) || path.endsWith('.tpl') || isTemplate(path));
  });
}

/** What changed Applications are compared with: there may be thousands of either. */
interface Elsewhere {
  /** Whether the Application that the change belongs to creates one of that name with it. */
  readonly isCreated: (name: Pick<ApplicationRef, 'namespace' | 'name'>) => boolean;
  /** Of objects that name none. */
  readonly namespace: string;
  readonly live: LiveApplications;
  readonly isElsewhere: () => boolean;
}

/** Applications and ApplicationSets that the change adds, removes or gives another spec: what they deploy then is
 *  elsewhere. */
function changedApplications(
  { manifests }: Change,
  { namespace: own, live, isElsewhere, isCreated }: Elsewhere,
): readonly Found[] {
  return manifests.flatMap((each) => {
    const manifest = each.after ?? each.before;
    if (manifest === undefined || !isDeploying(manifest) || isSameDeployment(each)) return [];
    const namespace = manifest.namespace || own;
    if (each.before === undefined && isCreated({ namespace, name: manifest.name })) return [];
    const mayBring = live.mayManageRendered({ ...manifest, namespace }) ?? isElsewhere();
    const [path = ''] = each.files;
    return [{ path, why: `what the ${manifest.kind} in it deploys is not judged`, mayBring }];
  });
}

/** Pools that the change adds: which nodes move to one, and what it renders for them, is known once it is there. */
function newPools({ change }: Pick<Deployed, 'change'>, live: readonly LivePool[]): readonly Found[] {
  return change.manifests.flatMap(({ before, after, files: [path = ''] }) =>
    before === undefined &&
    after?.group === machineConfigGroup &&
    after.kind === 'MachineConfigPool' &&
    !isAsLive(after, live)
      ? [{ path, why: 'nodes may move to the new pool in it', mayBring: true }]
      : [],
  );
}

/** What other controllers bring to nodes, wherever they are. */
function carriedIn({ change }: Pick<Deployed, 'change'>): readonly Found[] {
  return change.manifests.flatMap(carriedBy).map((each) => ({ ...each, mayBring: true }));
}

/** What Kustomize builds an object of that the Application does not manage under that name: of what it manages, the
 *  pools are assumed. */
function builtIn({ application, change }: Deployed): readonly Found[] {
  const built = change.manifests.filter((each) => builtObject(each) !== undefined);
  if (built.length === 0 || decidesAlone(application.named)) return [];
  const isManaged = isManagedIn(renderedResources(application));
  return built
    .filter((each) => !isManaged(each))
    .map(({ files: [path = ''] }) => ({ path, why: builtOtherwise, mayBring: true }));
}

function isDeploying({ group, kind }: Manifest): boolean {
  return group === 'argoproj.io' && (kind === 'Application' || kind === 'ApplicationSet');
}

/** What it deploys, and the sync that is asked for in it, which Argo CD runs. */
function isSameDeployment({ before, after }: ManifestChange): boolean {
  if (before === undefined || after === undefined) return false;
  return ['spec', 'operation'].every((field) => isSameContent(before.body[field], after.body[field]));
}

interface LiveApplications {
  /** Whether any Application of that name, or of that ApplicationSet, may manage what the MCO renders; undefined: there
   *  is none. */
  mayManageRendered(manifest: Pick<Manifest, 'kind' | 'namespace' | 'name'>): boolean | undefined;
}

function liveIn(applications: readonly Application[]): LiveApplications {
  const found = new Map<string, boolean>();
  const add = (key: string, application: Application) =>
    found.set(key, found.get(key) === true || mayManageRendered(application));
  for (const each of applications) {
    add(`Application ${each.namespace}/${each.name}`, each);
    if (each.generatedBy !== undefined) add(`ApplicationSet ${each.namespace}/${each.generatedBy}`, each);
  }
  return { mayManageRendered: ({ kind, namespace, name }) => found.get(`${kind} ${namespace}/${name}`) };
}

/** Whether the change has something that the MCO renders in a file that no Application deploys yet. */
export function bringsElsewhere(deployed: readonly Deployed[], { files }: FilesRead): boolean {
  const known = new Set(
    deployed.flatMap(({ change }) => [
      ...change.manifests.flatMap((each) => each.files),
      ...change.unknown.map(({ path }) => path),
    ]),
  );
  return files.some((file) => !known.has(file.path) && mayHold(file));
}
