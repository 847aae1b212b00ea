import type { ApplicationSource } from '../argocd/application.ts';
import { type Change, type Manifest, type ManifestChange, manifestKey } from '../openshift/manifest.ts';
import { isButaneFile, isManifestFile, type ToolFolder, toolOfFile } from '../routing/changed-file.ts';
import { filesNamedBy, type PathRule, pathRuleOf } from '../routing/generate-paths.ts';
import type { Effort } from '../routing/glob.ts';
import { fromRoot } from '../routing/go-path.ts';
import type { ParsedFile } from '../routing/manifest-file.ts';
import type { ParsedFiles } from '../routing/parsed-files.ts';
import { effortAtMost } from '../routing/pushed-paths.ts';
import type { Route } from '../routing/route.ts';
import { type DirectoryGlobs, directoryGlobs } from './directory-glob.ts';
import { changedSubmodules, isThrough, linksIn, meets } from './git-links.ts';
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
  const found = application.concerned.map((source) => changeOfSource(source, application, read));
  const unknown = [
    ...(read.incomplete === undefined ? [] : [{ path: 'the list of changed files', why: read.incomplete }]),
    ...found.flatMap((each) => each.unknown),
  ];
  const unique = new Map(unknown.map((each) => [`${each.path}\n${each.why}`, each]));
  return {
    manifests: differencesIn(
      distinct(found.flatMap((each) => each.files)),
      new Set(found.flatMap((each) => each.built ?? [])),
      read,
    ),
    unknown: [...unique.values()],
  };
}

interface SourceChange {
  /** Files whose manifests are part of the source. */
  readonly files: readonly ParsedFile[];
  /** Those that Kustomize builds from; absent: none. */
  readonly built?: readonly ParsedFile[] | undefined;
  readonly unknown: Change['unknown'];
}

/** A file may be part of several sources. */
function distinct(files: readonly ParsedFile[]): readonly ParsedFile[] {
  return [...new Set(files)];
}

function changeOfSource(source: ApplicationSource, application: ChangedApplication, read: ParsedFiles): SourceChange {
  if (source.chart !== '') return allUnknown(read.files, `it may be part of chart ${source.chart}`);
  const values = source.ref ? allUnknown(read.files, `other sources take files from here as $${source.ref}`) : nothing;
  // A source that is only referenced has no manifests of its own.
  if (source.ref && source.path === '') return values;
  const own = changeOfPath({ source, folder: fromRoot(source.path), application, read });
  return { ...own, unknown: [...values.unknown, ...own.unknown] };
}

const nothing: SourceChange = { files: [], unknown: [] };

function allUnknown(files: readonly ParsedFile[], why: string): SourceChange {
  return { files: [], unknown: files.map(({ path }) => ({ path, why })) };
}

interface Asked {
  readonly source: ApplicationSource;
  /** Path of the source; empty for the root. */
  readonly folder: string;
  readonly application: ChangedApplication;
  readonly read: ParsedFiles;
}

function changeOfPath(asked: Asked): SourceChange {
  const { source, folder, application, read } = asked;
  const isNamed = pathRuleOf(source, application, comparingIn(read).effort).kind === 'some';
  if (!isNamed && linksIn(read.tools).some((link) => isThrough(link, folder)))
    return allUnknown(read.files, 'the path of the source leads through a symbolic link');
  const tool = toolOf(asked);
  if (tool === undefined) return changeOfDirectory(asked);
  const { isPart, places } = toolReach(tool, asked);
  const parts = read.files.filter(({ path }) => isPart(path)).map((file) => throughTool(file, tool));
  const isMet = (at: string) => places.some((place) => meets(at, place));
  const rest = read.files.filter(({ path }) => !isPart(path));
  const others = linksIn(read.tools).some(isMet)
    ? allUnknown(rest, behindLink)
    : allUnknown(
        changedSubmodules(rest, read.tools).filter(({ path }) => isMet(path)),
        unreadSubmodule,
      );
  const files = parts.flatMap((each) => each.files);
  return {
    files,
    built: tool === 'kustomize' ? files : [],
    unknown: [...parts.flatMap((each) => each.unknown), ...others.unknown],
  };
}

/** Why a file counts whose name says nothing of what it is read as. */
export const behindLink = 'a symbolic link may lead to it';
const unreadSubmodule = 'it is a submodule, whose files are not read';

type Tool = 'kustomize' | 'helm' | 'plugin';

/** The tool that the Application specifies, else by the files in the folder itself, not below it. A parameter file
 *  beside the manifests may change any of them. */
function toolOf({ source, folder, read }: Asked): Tool | undefined {
  const here = read.tools.filter((each) => each.folder === folder).map(({ tool }) => tool);
  if (here.includes('plugin')) return 'plugin';
  if (source.tool === 'helm' || source.tool === 'kustomize' || source.tool === 'plugin') return source.tool;
  if (source.tool === 'jsonnet' || source.directory !== undefined || source.hydration === 'hydrated') return undefined;
  if (here.includes('kustomize')) return 'kustomize';
  return here.includes('helm') ? 'helm' : undefined;
}

/** A file with a complete object counts as that object, if the tool applies it as it stands. */
function throughTool(file: ParsedFile, tool: Tool): SourceChange {
  const { path, before, after } = file;
  const isOwn = toolOfFile(path) !== undefined;
  const isObjects =
    !isOwn && isManifestFile(path) && [before, after].every((side) => side.kind === 'absent' || isWhole(side));
  if (isObjects && (tool === 'kustomize' || isAppliedByHelm(file, tool))) return { files: [file], unknown: [] };
  const why = tool === 'plugin' ? 'a plugin or a parameter file decides what it becomes' : `${tool} renders it`;
  return { files: isOwn || !isManifestFile(path) ? [] : [file], unknown: [{ path, why }] };
}

/** Of a chart, Helm applies what is in these folders, if its actions stay as they are; what else is an object may be
 *  part of a template. Source: helm pkg/chart, `Chart.CRDObjects`; pkg/engine. */
function isAppliedByHelm({ path, before, after }: ParsedFile, tool: Tool): boolean {
  if (tool !== 'helm') return false;
  const [was, is] = [before, after].map((side) => (side.kind === 'read' ? side.actions : undefined));
  return /(?:^|\/)crds\//.test(path) || (/(?:^|\/)templates\//.test(path) && was === is);
}

function isWhole(side: ParsedFile['before']): boolean {
  return side.kind === 'read' && side.isWhole;
}

/** What a tool may read. */
interface Reach {
  readonly isPart: (path: string) => boolean;
  /** Folders that it reads with everything below them; empty where every file is part anyway, or where Argo CD looks
   *  at the paths that an annotation names and no further. */
  readonly places: readonly string[];
}

const everywhere: Reach = { isPart: () => true, places: [] };

/** Files that a tool may read: those below its folder, those that its annotation names, and what the tool can reach
 *  elsewhere. */
function toolReach(tool: Tool, asked: Asked): Reach {
  const { folder, source, application, read } = asked;
  const rule = pathRuleOf(source, application, comparingIn(read).effort);
  if (rule.kind === 'some') {
    const named = filesNamed(rule, read);
    return { isPart: (path) => isBelow(path, folder) || named.has(path), places: [] };
  }
  if (rule.isTooLong === true) return everywhere;
  if (tool === 'kustomize') return kustomizeReach(asked);
  // Value files and parameters may be anywhere in the repository if the Application refers to them.
  if (tool === 'plugin' || source.tool === 'helm') return everywhere;
  const charts = read.tools.filter((each) => each.tool === 'helm').map((each) => each.folder);
  const places = [...new Set([folder, ...charts])];
  return { isPart: (path) => places.some((place) => isBelow(path, place)), places };
}

type NamedFiles = Extract<PathRule, { readonly kind: 'some' }>;

interface Comparing {
  /** What all Applications that one push concerns may spend on the patterns of their annotations. */
  readonly effort: Effort;
  /** A rule is that of all sources of an Application. */
  readonly named: Map<NamedFiles, ReadonlySet<string>>;
  /** What changed in these files, by their positions: thousands of Applications may read the same ones. */
  readonly differences: Map<string, readonly ManifestChange[]>;
  readonly positions: ReadonlyMap<ParsedFile, number>;
}

const comparing = new WeakMap<ParsedFiles, Comparing>();

function comparingIn(read: ParsedFiles): Comparing {
  const known = comparing.get(read) ?? {
    effort: { left: effortAtMost },
    named: new Map(),
    differences: new Map(),
    positions: new Map(read.files.map((file, at) => [file, at])),
  };
  comparing.set(read, known);
  return known;
}

function differencesIn(
  files: readonly ParsedFile[],
  built: ReadonlySet<ParsedFile>,
  read: ParsedFiles,
): readonly ManifestChange[] {
  const { differences: found, positions } = comparingIn(read);
  const key = files.map((file) => `${positions.get(file)}${built.has(file) ? '*' : ''}`).join(' ');
  const known = found.get(key) ?? marked(differences(files), new Set([...built].map(({ path }) => path)));
  found.set(key, known);
  return known;
}

function marked(changes: readonly ManifestChange[], built: ReadonlySet<string>): readonly ManifestChange[] {
  if (built.size === 0) return changes;
  return changes.map((each) => (each.files.some((path) => built.has(path)) ? { ...each, isBuilt: true } : each));
}

function filesNamed(rule: NamedFiles, read: ParsedFiles): ReadonlySet<string> {
  const { effort, named } = comparingIn(read);
  const paths = read.files.map(({ path }) => path);
  const known = named.get(rule) ?? filesNamedBy(rule, paths, effort);
  named.set(rule, known);
  return known;
}

/** Places that a kustomization leads to, and comparisons of them with folders: about a second. */
const placesAtMost = 2_000;
const comparisonsAtMost = 5_000_000;

/** Kustomize loads files below its root only; other folders are named in its file, and have one of their own. Source:
 *  kustomize api/internal/loader, LoadRestrictionsRootOnly. */
function kustomizeReach({ folder, read }: Asked): Reach {
  const bases = read.tools.filter(({ tool }) => tool === 'kustomize');
  const reached = new Set([folder]);
  let isTold = true;
  const compared = Math.max(bases.length, read.files.length, linksIn(read.tools).length, 1);
  let left = Math.min(placesAtMost, Math.floor(comparisonsAtMost / compared));
  for (const place of reached) {
    left -= 1;
    // It leads to more than is followed: any file may be part.
    if (left < 0) return everywhere;
    // Sub-folders are named without `..` and are below the root anyway; what these take from elsewhere counts too.
    for (const base of bases.filter((each) => isBelow(each.folder, place) || each.folder === place)) {
      isTold &&= base.uses !== undefined;
      for (const use of base.uses ?? []) reached.add(use);
    }
  }
  if (!bases.some((each) => each.folder === folder)) isTold = false;
  const places = [...reached];
  const isPart = (path: string) =>
    places.some((place) => isBelow(path, place) || path === place) ||
    (!isTold && bases.some((each) => each.folder !== '' && holds(each, path)));
  return { isPart, places };
}

function holds({ folder }: ToolFolder, path: string): boolean {
  return isBelow(path, folder);
}

function isBelow(path: string, folder: string): boolean {
  return folder === '' || path.startsWith(`${folder}/`);
}

function changeOfDirectory(asked: Asked): SourceChange {
  const { source, folder, read, application } = asked;
  const inScope = ({ folder: at }: ToolFolder) => at === folder || (isRecursive(source) && isBelow(at, folder));
  const scripts = source.tool === 'jsonnet' || read.tools.some((each) => each.tool === 'jsonnet' && inScope(each));
  const links = linksIn(read.tools).some((link) => isReadLink(link, asked));
  const files: ParsedFile[] = [];
  const unknown: { readonly path: string; readonly why: string }[] = [];
  for (const file of read.files) {
    const isPart = isBelow(file.path, folder) && isInDirectory(file.path, asked);
    const isRead = isManifestFile(file.path) || (application.countsButane === true && isButaneFile(file.path));
    if (isPart && isRead) {
      files.push(file);
      unknown.push(...unreadable(file));
    }
    if (scripts) unknown.push({ path: file.path, why: 'a Jsonnet file may import it' });
    else if (links && !(isPart && isRead)) unknown.push({ path: file.path, why: behindLink });
  }
  const submodules = changedSubmodules(read.files, read.tools).filter(
    ({ path }) => isThrough(path, folder) || (isRecursive(source) && meets(path, folder)),
  );
  return { files, unknown: [...unknown, ...allUnknown(submodules, unreadSubmodule).unknown] };
}

/** Of a link, Argo CD checks its own name and place; what it leads to may have any name and be anywhere in the
 *  repository. A link to a folder is not entered. Source: argo-cd reposerver/repository/repository.go
 *  `getPotentiallyValidManifestFile`, `filepath.Walk`. */
function isReadLink(link: string, asked: Asked): boolean {
  const isRead = isManifestFile(link) || (asked.application.countsButane === true && isButaneFile(link));
  return isRead && isBelow(link, asked.folder) && isInDirectory(link, asked);
}

function unreadable({ path, before, after }: ParsedFile): Change['unknown'] {
  const why = [after, before].flatMap((side) => (side.kind === 'unreadable' ? [side.why] : []))[0];
  return why === undefined ? [] : [{ path, why }];
}

function isRecursive({ directory, hydration }: ApplicationSource): boolean {
  return hydration === 'hydrated' || directory?.recurse === true;
}

/** A pattern that cannot be evaluated counts as included. */
function isInDirectory(path: string, { source, folder, read }: Asked): boolean {
  const within = folder === '' ? path : path.slice(folder.length + 1);
  if (within.includes('/') && !isRecursive(source)) return false;
  const { include = '', exclude = '' } = source.directory ?? {};
  if (include === '' && exclude === '') return true;
  const patterns = globsOf(read);
  if (exclude !== '' && patterns.matches(exclude, within) === true) return false;
  return include === '' || patterns.matches(include, within) !== false;
}

const globs = new WeakMap<ParsedFiles, DirectoryGlobs>();

/** All Applications that one push concerns share what their patterns may cost. */
function globsOf(read: ParsedFiles): DirectoryGlobs {
  const known = globs.get(read) ?? directoryGlobs();
  globs.set(read, known);
  return known;
}

interface Placed {
  readonly manifest: Manifest;
  readonly path: string;
}

function differences(files: readonly ParsedFile[]): readonly ManifestChange[] {
  const before = byKey(files, 'before');
  const after = byKey(files, 'after');
  const keys = new Set([...before.keys(), ...after.keys()]);
  const pairs = { left: pairsAtMost };
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
