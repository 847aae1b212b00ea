import type { ApplicationSource } from '../../argocd/application.ts';
import { ApplicationSpec, specOf } from '../../argocd/application-spec.ts';
import { clusterOf, clustersServedBy } from '../../argocd/destination.ts';
import { namedPools } from '../../argocd/pools-annotation.ts';
import type { ArgoCdSettings } from '../../configuration/argocd.ts';
import { changeOf } from '../../impact/change-of.ts';
import { isSameContent } from '../../impact/same-content.ts';
import { syncHoldId } from '../../openshift/hold.ts';
import type { Change, Manifest, ManifestChange } from '../../openshift/manifest.ts';
import { memberOf } from '../../openshift/member.ts';
import { isRendered } from '../../openshift/rendered-kinds.ts';
import { type ByFolder, byFolder } from '../../routing/by-folder.ts';
import type { Concerned } from '../../routing/concerned.ts';
import { fromRoot } from '../../routing/go-path.ts';
import { concernedSources, isFollowing } from '../../routing/is-concerned.ts';
import type { ParsedContent } from '../../routing/manifest-file.ts';
import type { ParsedFiles } from '../../routing/parsed-files.ts';
import type { RoutedPush } from '../../routing/push.ts';
import { isTemplated, type Route, type SetRoute, type SetTemplate } from '../../routing/route.ts';
import { setNews } from '../../routing/set-news.ts';
import { isOfTemplates } from '../../routing/template-actions.ts';
import { shown } from '../../routing/words.ts';
import { byName } from '../../text/by-name.ts';
import { ifGiven } from '../../text/if-given.ts';
import { mayBeObjectName } from '../../text/object-name.ts';
import { oncePer } from '../../text/once-per.ts';
import { viaOf } from '../push-news.ts';
import { type ExpectedApplication, setHoldId } from './expected-application.ts';

/** A push, and what its changed files are. */
export interface ExpectedQuestion {
  /** ISO instant of its receipt. */
  readonly at: string;
  readonly revision: string | undefined;
  readonly before: string;
  readonly pushed: RoutedPush;
  /** Applications of every cluster that it concerns. */
  readonly everywhere: readonly Concerned[];
  /** ApplicationSets that read what was pushed. */
  readonly sets: readonly SetRoute[];
  readonly files: ParsedFiles;
  readonly argocd: readonly ArgoCdSettings[];
}

/** Which Applications will a push create? Those in its changed manifests, where an Application with automated sync
 *  writes them, and those that an ApplicationSet will generate from what is new, as far as it is known what they will
 *  write. Pure. */
export function expectedApplications(question: ExpectedQuestion): readonly ExpectedApplication[] {
  const manifests = question.sets.length === 0 ? [] : undeployed(question);
  const bySets = manifests.length === 0 ? [] : question.sets.flatMap((set) => generatedBySet(set, manifests, question));
  return [...newApplications(question), ...bySets];
}

/** Levels of Applications below one that is new itself. */
const levelsAtMost = 10;
/** New Applications held for, at most; more at once is a migration. */
const expectedAtMost = 200;
/** Files and objects of the push that are looked at to find out what new Applications will write: some seconds. Each
 *  looks at all of them, and one file may hold thousands of either. What others write is unknown. */
const lookedAtMost = 2_000_000;

type Writing = Pick<Route, 'ref' | 'cluster' | 'automated' | 'sources' | 'generatePaths'>;

function newApplications(question: ExpectedQuestion): readonly ExpectedApplication[] {
  const files = question.files.files.filter(({ after }) => holdsApplication(after));
  if (files.length === 0) return [];
  const places = byFolder(files, ({ path }) => path);
  const found = new Map<string, ExpectedApplication>();
  const writers = new Map<string, Set<string>>();
  const there = new Map(question.everywhere.map(({ route }) => [syncHoldId(route.ref), route]));
  const looks = looksAt(question);
  let level: readonly Writing[] = question.everywhere.map(({ route }) => route);
  for (let depth = 0; depth < levelsAtMost && level.length > 0 && found.size < expectedAtMost; depth += 1) {
    level = level.flatMap((writer) => {
      if (!writer.automated || !mayContain(writer, places)) return [];
      const by = syncHoldId(writer.ref);
      const created = createdBy(writer, question).filter(
        ({ expected: { id }, route }) => id !== by && isNewThere(route, there.get(id), looks),
      );
      for (const {
        expected: { id },
      } of created)
        writers.set(id, (writers.get(id) ?? new Set()).add(by));
      // Each manifest counts once, whoever else reads it, and none hides another one.
      const fresh = created.filter(({ key }) => !found.has(key));
      for (const { key, expected, route } of fresh) {
        const change = looks.mayLook() ? wholeChange(route, question) : tooMany(question);
        found.set(key, { ...expected, change });
      }
      return fresh.map(({ route }) => route);
    });
  }
  return [...found.values()].map((each) =>
    (writers.get(each.id)?.size ?? 0) > 1 ? { ...each, hasSeveralWriters: true } : each,
  );
}

/** What may be looked at of one push. */
interface Looks {
  readonly question: ExpectedQuestion;
  /** Counts one look. */
  mayLook(): boolean;
}

function looksAt(question: ExpectedQuestion): Looks {
  const each = sizeOf(question.files);
  let left = lookedAtMost;
  return {
    question,
    mayLook() {
      left -= each;
      return left >= 0;
    },
  };
}

/** Whether it is to deploy to a cluster that it does not deploy to yet, and may bring there what the MCO renders. */
function isNewThere(to: Writing, from: Route | undefined, { question, mayLook }: Looks): boolean {
  if (from === undefined) return true;
  if (from.cluster === to.cluster) return false;
  return from.renders || !mayLook() || changeFor(to, question).manifests.some(bringsRendered);
}

function bringsRendered({ after }: ManifestChange): boolean {
  return after !== undefined && isRendered(after);
}

/** Files and objects of both sides. */
function sizeOf({ files }: ParsedFiles): number {
  const objects = files.flatMap(({ before, after }) =>
    [before, after].map((side) => (side.kind === 'read' ? side.manifests.length : 0)),
  );
  return objects.reduce((sum, count) => sum + count, files.length);
}

function holdsApplication(side: ParsedFiles['files'][number]['after']): boolean {
  return side.kind === 'read' && side.manifests.some(isApplication);
}

function isApplication({ group, kind }: Manifest): boolean {
  return group === 'argoproj.io' && kind === 'Application';
}

/** Is any of the files in a folder that it reads? */
function mayContain({ sources }: Writing, places: ByFolder<unknown>): boolean {
  return sources.some(({ path }) => places.countWithin(fromRoot(path)) > 0);
}

interface Created {
  /** Of the Application and its manifest. */
  readonly key: string;
  /** What it will write is found out only for one that is not known yet. */
  readonly expected: Omit<ExpectedApplication, 'change'>;
  readonly route: Writing;
}

/** Applications whose manifests the push adds to those of their parent, or points to another cluster. */
function createdBy(writer: Writing, question: ExpectedQuestion): readonly Created[] {
  const { manifests } = changeFor(writer, question);
  return manifests.flatMap(({ before, after, files }) =>
    after !== undefined && isApplication(after) && !isSameContent(destinationIn(before), destinationIn(after))
      ? createdFrom({ ...after, files, isMoved: before !== undefined }, writer, question)
      : [],
  );
}

function createdFrom(
  manifest: Manifest & Pick<ManifestChange, 'files'> & { readonly isMoved: boolean },
  writer: Writing,
  question: ExpectedQuestion,
): readonly Created[] {
  const { name, annotations, body } = manifest;
  const namespace = manifest.namespace || writer.ref.namespace;
  const settings = argocdFor(writer, namespace, question.argocd);
  const spec = specIn(body);
  if (settings === undefined || !mayBeObjectName(name) || spec === undefined) return [];
  const { destination, sources, automated } = specOf(spec);
  const cluster = clusterOf({ destination }, settings);
  if (cluster === undefined || !automated) return [];
  const ref = { argocd: settings.name, namespace, name };
  const route: Writing = { ref, cluster, automated, sources, generatePaths: undefined };
  const { at } = question;
  const via = viaOf(writer.ref, question);
  const does = manifest.isMoved
    ? `point Application ${shown(name)} to this cluster`
    : `create Application ${shown(name)}`;
  const because = `the push makes ${shown(writer.ref.name)} ${does}`;
  return [
    {
      key: [syncHoldId(ref), cluster, ...manifest.files].join(' '),
      route,
      expected: {
        id: syncHoldId(ref),
        ref,
        cluster,
        named: namedPools({ namespace, project: spec.project, annotations }, settings),
        push: { at, revision: undefined, because, via },
      },
    },
  ];
}

/** Undefined: there is no manifest. */
function destinationIn(manifest: Manifest | undefined): unknown {
  return manifest && (memberOf(manifest.body['spec'], 'destination') ?? {});
}

/** Every Application that reads the files asks for it. */
function specIn(body: Manifest['body']): ApplicationSpec | undefined {
  if (!specs.has(body)) specs.set(body, ApplicationSpec.safeParse(body['spec']).data);
  return specs.get(body);
}

const specs = new WeakMap<Manifest['body'], ApplicationSpec | undefined>();

/** The Argo CD instance in the cluster that the parent deploys to; the parent's own, if it runs there. */
function argocdFor(
  { ref, cluster }: Writing,
  namespace: string,
  all: readonly ArgoCdSettings[],
): ArgoCdSettings | undefined {
  const there = all.filter((each) => each.cluster === cluster && each.namespaces.includes(namespace));
  return byName(there, ref.argocd) ?? there[0];
}

function changeFor({ sources, generatePaths }: Writing, { pushed, files, revision }: ExpectedQuestion): Change {
  const concerned = concernedSources({ sources, generatePaths }, pushed);
  return { ...changeOf({ sources, generatePaths, concerned }, files), to: revision };
}

function tooMany({ revision }: ExpectedQuestion): Change {
  const why = 'the push creates too many Applications from too many objects';
  return { to: revision, manifests: [], unknown: [{ path: 'what it writes', why }] };
}

/** The whole content of a new Application. What is not part of the push is unknown: other repositories, and files that
 *  existed before. */
function wholeChange(route: Writing, question: ExpectedQuestion): Change {
  const change = changeFor(route, question);
  const gaps = route.sources.flatMap((source) => gapOf(source, question) ?? []);
  const none = route.sources.length === 0 ? [{ path: 'its spec', why: 'it names no source' }] : [];
  return { ...change, unknown: [...change.unknown, ...gaps, ...none] };
}

function gapOf(source: ApplicationSource, { pushed, files }: ExpectedQuestion): Change['unknown'][number] | undefined {
  if (!isFollowing(source, pushed)) return { path: shown(source.repoURL), why: 'it is another repository or revision' };
  if (source.ref !== undefined && source.path === '') return undefined;
  const folder = fromRoot(source.path);
  const isNew = appearedIn(files).atOrAbove(folder).length > 0;
  return isNew ? undefined : { path: folder === '' ? 'the repository' : folder, why: 'it may have existed before' };
}

const appearedIn = oncePer(
  ({ folders }: ParsedFiles) => byFolder(folders?.appeared ?? [], (folder) => folder),
  new WeakMap(),
);

function isWithin(path: string, folder: string): boolean {
  return folder === '' || `${path}/`.startsWith(`${folder}/`);
}

/** Rendered manifests that no Application deploys yet, in folders that the set's Applications may be generated from,
 *  if the push may change what it generates. */
function generatedBySet(
  set: SetRoute,
  all: readonly ManifestChange[],
  question: ExpectedQuestion,
): readonly ExpectedApplication[] {
  const { at, revision, pushed, files, argocd } = question;
  const settings = byName(argocd, set.ref.argocd);
  const news = setNews(set, pushed, files);
  if (settings === undefined || news === undefined || set.template?.automated === false) return [];
  const manifests = all.filter((change) => isForSet(change, set.template, pushed));
  if (manifests.length === 0) return [];
  const because = `the push makes ApplicationSet ${shown(set.ref.name)} generate Applications from ${shown(news.path)}`;
  const via = viaOf({ ...set.ref, set }, question);
  return clustersOf(set.template, settings).map((cluster) => ({
    id: setHoldId(set.ref),
    ref: set.ref,
    cluster,
    push: { at, revision: undefined, because, via },
    change: { to: revision, manifests, unknown: templatesOf(manifests, files) },
  }));
}

/** Files of charts that are not applied as they stand. */
function templatesOf(manifests: readonly ManifestChange[], { files }: ParsedFiles): Change['unknown'] {
  const paths = new Set(manifests.flatMap((each) => each.files));
  return files
    .filter(({ path, before, after }) => paths.has(path) && isOfTemplates(path) && [before, after].some(isGivenByHelm))
    .map(({ path }) => ({ path, why: 'helm renders it' }));
}

function isGivenByHelm(side: ParsedContent): boolean {
  return side.kind === 'read' && side.givenByHelm !== undefined;
}

/** A templated destination may be any cluster that the instance deploys to. */
function clustersOf(template: SetTemplate | undefined, settings: ArgoCdSettings): readonly string[] {
  const { server, name } = template?.destination ?? { server: '{{}}', name: '' };
  if (isTemplated(server) || isTemplated(name)) return clustersServedBy(settings);
  const cluster = clusterOf({ destination: { server, name } }, settings);
  return ifGiven(cluster);
}

/** Rendered manifests of the push that are in no folder of an Application that it concerns. */
function undeployed({ everywhere, pushed, files }: ExpectedQuestion): readonly ManifestChange[] {
  const all: ApplicationSource = {
    repoURL: pushed.htmlUrl,
    path: '',
    targetRevision: '',
    chart: '',
    directory: { recurse: true, include: '', exclude: '' },
  };
  const change = changeOf({ sources: [all], generatePaths: undefined, concerned: [all] }, files);
  const folders = everywhere.flatMap(({ route, through }) =>
    through.length === 0
      ? route.sources.filter((source) => isFollowing(source, pushed)).map(({ path }) => fromRoot(path))
      : [],
  );
  const deployed = byFolder(folders, (folder) => folder);
  const isRoot = folders.includes('');
  return change.manifests.filter(
    (each) => bringsRendered(each) && !isRoot && deployed.atOrAbove(each.files[0] ?? '').length === 0,
  );
}

/** May an Application of the set deploy it? Judged by the part of a path before its first template. */
function isForSet(
  { files: [path = ''] }: ManifestChange,
  template: SetTemplate | undefined,
  pushed: RoutedPush,
): boolean {
  if (template === undefined) return true;
  return template.sources.some((source) => {
    const filled = {
      ...source,
      repoURL: isTemplated(source.repoURL) ? pushed.htmlUrl : source.repoURL,
      targetRevision: isTemplated(source.targetRevision) ? pushed.ref : source.targetRevision,
    };
    const literal = source.path.split('{{')[0] ?? '';
    const folder = isTemplated(source.path) ? literal.slice(0, Math.max(0, literal.lastIndexOf('/'))) : literal;
    return isFollowing(filled, pushed) && isWithin(path, fromRoot(folder));
  });
}
