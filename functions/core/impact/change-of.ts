import type { ApplicationSource } from '../argocd/application.ts';
import { type Change, type Manifest, type ManifestChange, manifestKey } from '../openshift/manifest.ts';
import type { ByFolder } from '../routing/by-folder.ts';
import { isButaneFile, isManifestFile, toolOfFile } from '../routing/changed-file.ts';
import { pathRuleOf } from '../routing/generate-paths.ts';
import { fromRoot } from '../routing/go-path.ts';
import type { ParsedFile } from '../routing/manifest-file.ts';
import type { ParsedFiles } from '../routing/parsed-files.ts';
import type { Route } from '../routing/route.ts';
import { isOfTemplates } from '../routing/template-actions.ts';
import { unique } from '../text/unique.ts';
import { type ChartsRead, type Looks, type NamedFiles, type PushIndex, pushIndexOf } from './push-index.ts';
import { isSameContent } from './same-content.ts';

/** The fields of an Application needed to map changed files to manifests. */
export interface ChangedApplication extends Pick<Route, 'sources' | 'generatePaths'> {
  /** Its sources that follow the repository and revision that changed. */
  readonly concerned: readonly ApplicationSource[];
  /** Butane files count as the MachineConfigs that they become, although Argo CD reads none. Absent: no. */
  readonly countsButane?: boolean | undefined;
}

/** Maps changed files to changed objects of one Application. Pure. What a tool renders, or could not be read, is
 *  `unknown`; moving a file within the Application without changing its content is no change. Source: argo-cd
 *  reposerver/repository.go `findManifests`, `GetAppSourceType`; util/app/discovery. */
export function changeOf(application: ChangedApplication, read: ParsedFiles): Change {
  const found: SourceChange[] = [];
  for (const source of application.concerned) {
    const change = changeOfSource(source, application, read);
    if (change === undefined) return anything(read);
    found.push(change);
  }
  const built = new Set(found.flatMap((each) => each.built ?? []));
  // A file may be part of several sources.
  const manifests = differencesIn(unique(found.flatMap((each) => each.files)), built, read);
  if (manifests === undefined) return anything(read);
  const unknown = [...unlisted(read), ...found.flatMap((each) => each.unknown)];
  const distinct = new Map(unknown.map((each) => [`${each.path}\n${each.why}`, each]));
  return { manifests, unknown: [...distinct.values()] };
}

function unlisted({ incomplete }: ParsedFiles): Change['unknown'] {
  return incomplete === undefined ? [] : [{ path: 'the list of changed files', why: incomplete }];
}

/** Stands for all changed files. */
export const anyChangedFile = 'any changed file';
const tooManyLooks = 'more files changed than are compared with all sources';

/** Of an Application whose files are not looked at, because too many of the push were: whatever changed counts, each
 *  file by itself, as what is only moved may be new to it. What is gone comes last: it may still be elsewhere. */
export function anything(read: ParsedFiles): Change {
  const index = pushIndexOf(read);
  const pairs = { left: pairsAtMost };
  index.anything ??= {
    manifests: read.files
      .flatMap((file) => differences([file], pairs))
      .sort((one, other) => Number(!one.after) - Number(!other.after)),
    unknown: [...unlisted(read), { path: anyChangedFile, why: tooManyLooks }],
  };
  return index.anything;
}

interface SourceChange {
  /** Files whose manifests are part of the source. */
  readonly files: readonly ParsedFile[];
  /** Those that Kustomize builds from; absent: none. */
  readonly built?: readonly ParsedFile[] | undefined;
  readonly unknown: Change['unknown'];
}

/** Undefined: there is too much to look at. */
function changeOfSource(
  source: ApplicationSource,
  application: ChangedApplication,
  read: ParsedFiles,
): SourceChange | undefined {
  const index = pushIndexOf(read);
  const asked: Asked = { source, folder: fromRoot(source.path), application, index, mayLook: index.looks() };
  if (source.chart !== '') return allUnknown(asked, `it may be part of chart ${source.chart}`);
  const values = source.ref ? allUnknown(asked, `other sources take files from here as $${source.ref}`) : nothing;
  // A source that is only referenced has no manifests of its own.
  if (source.ref && source.path === '') return values;
  const own = values && changeOfPath(asked);
  return own && { ...own, unknown: [...values.unknown, ...own.unknown] };
}

const nothing: SourceChange = { files: [], unknown: [] };

function allUnknown({ index, mayLook }: Asked, why: string): SourceChange | undefined {
  return mayLook(index.files.all.length) ? unknown(index.files.all, why) : undefined;
}

function unknown(files: readonly ParsedFile[], why: string): SourceChange {
  return { files: [], unknown: files.map(({ path }) => ({ path, why })) };
}

interface Asked {
  readonly source: ApplicationSource;
  /** Path of the source; empty for the root. */
  readonly folder: string;
  readonly application: ChangedApplication;
  readonly index: PushIndex;
  readonly mayLook: Looks;
}

function changeOfPath(asked: Asked): SourceChange | undefined {
  const { source, folder, application, index } = asked;
  const isNamed = pathRuleOf(source, application, index.effort).kind === 'some';
  if (!isNamed && index.links.atOrAbove(folder).length > 0)
    return allUnknown(asked, 'the path of the source leads through a symbolic link');
  const tool = toolOf(asked);
  if (tool === undefined) return changeOfDirectory(asked);
  const reach = toolReach(tool, asked);
  if (reach === undefined) return undefined;
  const others = othersThan(reach, asked);
  if (others === undefined) return undefined;
  const parts = reach.files.map((file) => throughTool(file, tool));
  const files = parts.flatMap((each) => each.files);
  return {
    files,
    built: tool === 'kustomize' ? files : [],
    unknown: [...parts.flatMap((each) => each.unknown), ...others.unknown],
  };
}

/** What a tool may come across through a link, or in a submodule, besides its files. */
function othersThan({ files, places, charts }: Reach, asked: Asked): SourceChange | undefined {
  const { links, submodules, ordered } = asked.index;
  const own = new Set(files);
  if (charts?.meetLink === true || places.some((place) => isMet(links, place))) {
    const all = allUnknown(asked, behindLink);
    const paths = new Set(files.map(({ path }) => path));
    return all && { ...all, unknown: all.unknown.filter(({ path }) => !paths.has(path)) };
  }
  const count = places.reduce((sum, place) => sum + submodules.countBelow(place), charts?.submodules.length ?? 0);
  if (!asked.mayLook(count)) return undefined;
  const met = places.flatMap((place) => [...submodules.below(place), ...submodules.atOrAbove(place)]);
  const rest = ordered([...met, ...(charts?.submodules ?? [])]).filter((file) => !own.has(file));
  return unknown(rest, unreadSubmodule);
}

/** Whoever reads the folder with everything below it comes across one of them. A folder is reached through a link, or
 *  is in a submodule: neither has files below it in a listing. */
function isMet(them: ByFolder<unknown>, folder: string): boolean {
  return them.countBelow(folder) > 0 || them.atOrAbove(folder).length > 0;
}

/** Why a file counts whose name says nothing of what it is read as. */
export const behindLink = 'a symbolic link may lead to it';
const unreadSubmodule = 'it is a submodule, whose files are not read';

type Tool = 'kustomize' | 'helm' | 'plugin';

/** The tool that the Application specifies, else by the files in the folder itself, not below it. A parameter file
 *  beside the manifests may change any of them. */
function toolOf({ source, folder, index }: Asked): Tool | undefined {
  if (index.has('plugin', folder)) return 'plugin';
  if (source.tool === 'helm' || source.tool === 'kustomize' || source.tool === 'plugin') return source.tool;
  if (source.tool === 'jsonnet' || source.directory !== undefined || source.hydration === 'hydrated') return undefined;
  if (index.has('kustomize', folder)) return 'kustomize';
  return index.has('helm', folder) ? 'helm' : undefined;
}

/** A file with a complete object counts as that object, if the tool applies it as it stands. */
function throughTool(file: ParsedFile, tool: Tool): SourceChange {
  const { path, before, after } = file;
  const isOwn = toolOfFile(path) !== undefined;
  const isObjects =
    !isOwn && isManifestFile(path) && [before, after].every((side) => side.kind === 'absent' || isWhole(side));
  if (isObjects && isAppliedBy(tool, file)) return { files: [file], unknown: [] };
  const why = tool === 'plugin' ? 'a plugin or a parameter file decides what it becomes' : `${tool} renders it`;
  return { files: isOwn || !isManifestFile(path) ? [] : [file], unknown: [{ path, why }] };
}

/** Of a chart, Helm applies what is in these folders; what else is an object may be part of a template. Kustomize may
 *  have Helm render charts. Source: helm pkg/chart, `Chart.CRDObjects`; pkg/engine. */
function isAppliedBy(tool: Tool, { path, before, after }: ParsedFile): boolean {
  if (tool === 'plugin') return false;
  const [was, is] = [before, after].map((side) => (side.kind === 'read' ? side.givenByHelm : undefined));
  if (isOfTemplates(path)) return was === is;
  return tool === 'kustomize' || /(?:^|\/)crds\//.test(path);
}

function isWhole(side: ParsedFile['before']): boolean {
  return side.kind === 'read' && side.isWhole;
}

/** What a tool may read. */
interface Reach {
  readonly files: readonly ParsedFile[];
  /** Folders that it reads with everything below them; empty where every file is part anyway, or where Argo CD looks
   *  at the paths that an annotation names and no further. */
  readonly places: readonly string[];
  /** All charts of the repository; absent: none of them. */
  readonly charts?: ChartsRead;
}

function everywhere({ index, mayLook }: Asked): Reach | undefined {
  const { all } = index.files;
  return mayLook(all.length) ? { files: all, places: [] } : undefined;
}

/** Files that a tool may read: those below its folder, those that its annotation names, and what the tool can reach
 *  elsewhere. */
function toolReach(tool: Tool, asked: Asked): Reach | undefined {
  const { folder, source, application, index } = asked;
  const rule = pathRuleOf(source, application, index.effort);
  if (rule.kind === 'some') return namedReach(rule, asked);
  if (rule.isTooLong === true) return everywhere(asked);
  if (tool === 'kustomize') return kustomizeReach(asked);
  // Value files and parameters may be anywhere in the repository if the Application refers to them.
  if (tool === 'plugin' || source.tool === 'helm') return everywhere(asked);
  const charts = index.charts();
  const files = withBelow(folder, charts.files, asked);
  return files && { files, places: [folder], charts };
}

function namedReach(rule: NamedFiles, asked: Asked): Reach | undefined {
  const named = asked.index.named(rule);
  if (named === undefined) return everywhere(asked);
  const files = withBelow(asked.folder, [...named], asked);
  return files && { files, places: [] };
}

/** These, and all files below the folder. */
function withBelow(
  folder: string,
  files: readonly ParsedFile[],
  { index, mayLook }: Asked,
): readonly ParsedFile[] | undefined {
  if (!mayLook(files.length + index.files.countBelow(folder))) return undefined;
  return index.ordered([...files, ...index.files.below(folder)]);
}

/** Places that a kustomization leads to. */
const placesAtMost = 2_000;

/** Kustomize loads files below its root only; other folders are named in its file, and have one of their own. Source:
 *  kustomize api/internal/loader, LoadRestrictionsRootOnly. */
function kustomizeReach(asked: Asked): Reach | undefined {
  const { folder, index, mayLook } = asked;
  const { files, built } = index;
  const reached = new Set([folder]);
  let isTold = index.has('kustomize', folder);
  for (const place of reached) {
    const led = ledTo(place, asked);
    if (led === undefined) return undefined;
    isTold &&= led.isTold;
    for (const use of led.uses) reached.add(use);
    // It leads to more than is followed: any file may be part.
    if (reached.size > placesAtMost) return everywhere(asked);
  }
  const places = [...reached];
  const more = isTold ? [] : built();
  if (!mayLook(places.reduce((sum, place) => sum + files.countWithin(place), more.length))) return undefined;
  return { files: index.ordered([...places.flatMap((place) => files.within(place)), ...more]), places };
}

/** Where the kustomizations of a folder and below it lead to: sub-folders are named without `..` and are below the root
 *  anyway; what these take from elsewhere counts too. `isTold`: all of them say so. Undefined: that is too long a
 *  search. */
function ledTo(
  place: string,
  { index, mayLook }: Asked,
): { readonly uses: readonly string[]; readonly isTold: boolean } | undefined {
  if (!mayLook(1 + index.kustomizations.countWithin(place))) return undefined;
  const within = index.kustomizations.within(place);
  if (!mayLook(within.reduce((sum, { uses }) => sum + (uses?.length ?? 0), 0))) return undefined;
  return { uses: within.flatMap(({ uses }) => uses ?? []), isTold: within.every(({ uses }) => uses !== undefined) };
}

function changeOfDirectory(asked: Asked): SourceChange | undefined {
  const isScript = readsJsonnet(asked);
  const isLinked = isScript || readsLink(asked);
  if (isLinked === undefined) return undefined;
  const candidates = isLinked ? everywhere(asked)?.files : inDirectory(asked.index.files, asked);
  const met = submodulesMet(asked);
  if (candidates === undefined || met === undefined) return undefined;
  const files: ParsedFile[] = [];
  const found: Unknown[] = [];
  for (const file of candidates) {
    const isRead = isReadIn(file.path, asked);
    if (isRead) {
      files.push(file);
      found.push(...unreadable(file));
    }
    if (isScript) found.push({ path: file.path, why: 'a Jsonnet file may import it' });
    else if (isLinked && !isRead) found.push({ path: file.path, why: behindLink });
  }
  return { files, unknown: [...found, ...unknown(met, unreadSubmodule).unknown] };
}

function readsJsonnet({ source, folder, index }: Asked): boolean {
  if (source.tool === 'jsonnet' || index.has('jsonnet', folder)) return true;
  return isRecursive(source) && index.scripts.countBelow(folder) > 0;
}

/** Undefined: that is too long a search. */
function readsLink(asked: Asked): boolean | undefined {
  return inDirectory(asked.index.links, asked)?.some((link) => isReadIn(link, asked));
}

/** What is in the folder, and below it where the source is recursive. Undefined: that is too long a search. */
function inDirectory<T>(all: ByFolder<T>, { source, folder, mayLook }: Asked): readonly T[] | undefined {
  if (isRecursive(source)) return mayLook(all.countBelow(folder)) ? all.below(folder) : undefined;
  const direct = all.directlyIn(folder);
  return mayLook(direct.length) ? direct : undefined;
}

/** Submodules that the folder is in, or that are met below it. Undefined: that is too long a search. */
function submodulesMet(asked: Asked): readonly ParsedFile[] | undefined {
  const { source, folder, index } = asked;
  const through = index.submodules.atOrAbove(folder);
  if (!isRecursive(source)) return through;
  const below = inDirectory(index.submodules, asked);
  return below && index.ordered([...through, ...below]);
}

type Unknown = Change['unknown'][number];

function isBelow(path: string, folder: string): boolean {
  return folder === '' || path.startsWith(`${folder}/`);
}

/** Of a link, Argo CD checks its own name and place; what it leads to may have any name and be anywhere in the
 *  repository. A link to a folder is not entered. Source: argo-cd reposerver/repository/repository.go
 *  `getPotentiallyValidManifestFile`, `filepath.Walk`. */
function isReadIn(path: string, asked: Asked): boolean {
  return isReadFile(path, asked) && isBelow(path, asked.folder) && isInDirectory(path, asked);
}

function isReadFile(path: string, { application }: Asked): boolean {
  return isManifestFile(path) || (application.countsButane === true && isButaneFile(path));
}

function unreadable({ path, before, after }: ParsedFile): Change['unknown'] {
  const why = [after, before].flatMap((side) => (side.kind === 'unreadable' ? [side.why] : []))[0];
  return why === undefined ? [] : [{ path, why }];
}

function isRecursive({ directory, hydration }: ApplicationSource): boolean {
  return hydration === 'hydrated' || directory?.recurse === true;
}

/** A pattern that cannot be evaluated counts as included. */
function isInDirectory(path: string, { source, folder, index }: Asked): boolean {
  const within = folder === '' ? path : path.slice(folder.length + 1);
  if (within.includes('/') && !isRecursive(source)) return false;
  const { include = '', exclude = '' } = source.directory ?? {};
  if (include === '' && exclude === '') return true;
  const patterns = index.globs;
  if (exclude !== '' && patterns.matches(exclude, within) === true) return false;
  return include === '' || patterns.matches(include, within) !== false;
}

function differencesIn(
  files: readonly ParsedFile[],
  built: ReadonlySet<ParsedFile>,
  read: ParsedFiles,
): readonly ManifestChange[] | undefined {
  const { differences: found, position, looks } = pushIndexOf(read);
  const key = files.map((file) => `${position(file)}${built.has(file) ? '*' : ''}`).join(' ');
  const known = found.get(key);
  if (known !== undefined) return known;
  if (!looks()(objectsIn(files))) return undefined;
  const made = marked(differences(files), new Set([...built].map(({ path }) => path)));
  found.set(key, made);
  return made;
}

function objectsIn(files: readonly ParsedFile[]): number {
  const sides = files.flatMap(({ before, after }) => [before, after]);
  return sides.reduce((sum, side) => sum + (side.kind === 'read' ? side.manifests.length : 0), 0);
}

function marked(changes: readonly ManifestChange[], built: ReadonlySet<string>): readonly ManifestChange[] {
  if (built.size === 0) return changes;
  return changes.map((each) => (each.files.some((path) => built.has(path)) ? { ...each, isBuilt: true } : each));
}

interface Placed {
  readonly manifest: Manifest;
  readonly path: string;
}

function differences(files: readonly ParsedFile[], pairs = { left: pairsAtMost }): readonly ManifestChange[] {
  const before = byKey(files, 'before');
  const after = byKey(files, 'after');
  const keys = new Set([...before.keys(), ...after.keys()]);
  return [...keys].flatMap((key) => differencesOf(before.get(key) ?? [], after.get(key) ?? [], pairs));
}

/** Comparisons of objects that share a name with others, in all of one change: a file may hold ten thousand. */
const pairsAtMost = 1_000;

function byKey(files: readonly ParsedFile[], side: 'before' | 'after'): ReadonlyMap<string, readonly Placed[]> {
  const placed = files.flatMap((file): readonly Placed[] => {
    const observed = file[side];
    return observed.kind === 'read' ? observed.manifests.map((manifest) => ({ manifest, path: file.path })) : [];
  });
  return Map.groupBy(placed, ({ manifest }) => manifestKey(manifest));
}

/** One object with one content on each side is compared. Of several, any may be the one that Argo CD applies; where
 *  `pairs` does not suffice to compare them, all of them count as changed. */
function differencesOf(
  before: readonly Placed[],
  after: readonly Placed[],
  pairs: { left: number },
): readonly ManifestChange[] {
  const [was, is] = [before[0], after[0]];
  if (before.length <= 1 && after.length <= 1) {
    if (was !== undefined && is !== undefined && isSameManifest(was.manifest, is.manifest)) return [];
    const files = [...new Set([was, is].flatMap((side) => (side === undefined ? [] : [side.path])))];
    return [{ before: was?.manifest, after: is?.manifest, files }];
  }
  pairs.left -= 2 * before.length * after.length;
  const isCompared = pairs.left >= 0;
  const stays = (one: Placed, other: Placed) => one.path === other.path && isSameManifest(one.manifest, other.manifest);
  const gone = before.filter((each) => !(isCompared && after.some((other) => stays(each, other))));
  const come = after.filter((each) => !(isCompared && before.some((other) => stays(each, other))));
  return [
    ...gone.map(({ manifest, path }) => ({ before: manifest, after: undefined, files: [path] })),
    ...come.map(({ manifest, path }) => ({ before: undefined, after: manifest, files: [path] })),
  ];
}

function isSameManifest(a: Manifest, b: Manifest): boolean {
  return (
    isSameContent(a.body, b.body) && isSameContent(a.labels, b.labels) && isSameContent(a.annotations, b.annotations)
  );
}
