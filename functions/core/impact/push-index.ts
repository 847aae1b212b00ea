import type { Change, ManifestChange } from '../openshift/manifest.ts';
import { type ByFolder, belowAnyOf, byFolder, meetsAnyOf } from '../routing/by-folder.ts';
import type { ToolFolder } from '../routing/changed-file.ts';
import { filesNamedBy, type NamedFile, namedFiles, type PathRule } from '../routing/generate-paths.ts';
import type { Effort } from '../routing/glob.ts';
import type { ParsedFile } from '../routing/manifest-file.ts';
import type { ParsedFiles } from '../routing/parsed-files.ts';
import { effortAtMost } from '../routing/pushed-paths.ts';
import { oncePer } from '../text/once-per.ts';
import { type DirectoryGlobs, directoryGlobs } from './directory-glob.ts';

/** What all Applications that one push concerns share: its files and tools, indexed once, and what may still be spent
 *  on them. */
export interface PushIndex {
  readonly files: ByFolder<ParsedFile>;
  /** Paths of the symbolic links at either revision. */
  readonly links: ByFolder<string>;
  /** Changed files that are submodules: any file may be below them, and none is read. */
  readonly submodules: ByFolder<ParsedFile>;
  readonly kustomizations: ByFolder<ToolFolder>;
  readonly scripts: ByFolder<ToolFolder>;
  has(tool: ToolFolder['tool'], folder: string): boolean;
  /** What all charts read, wherever they are. */
  charts(): ChartsRead;
  /** Files below any kustomization but that of the root. */
  built(): readonly ParsedFile[];
  /** Files that a rule names; undefined: any. */
  named(rule: NamedFiles): ReadonlySet<ParsedFile> | undefined;
  /** Without repetitions, in the order of the push. */
  ordered(files: Iterable<ParsedFile>): readonly ParsedFile[];
  /** What may be spent on the patterns of annotations. */
  readonly effort: Effort;
  /** What may be spent on the patterns of include and exclude. */
  readonly globs: DirectoryGlobs;
  /** What one source, or one comparison, may look at. */
  looks(): Looks;
  /** What changed in these files, by their positions: thousands of Applications may read the same ones. */
  readonly differences: Map<string, readonly ManifestChange[]>;
  position(file: ParsedFile): number | undefined;
  /** What changed for an Application of which it is not looked at; undefined: it was not asked for yet. */
  anything: Change | undefined;
}

export type NamedFiles = Extract<PathRule, { readonly kind: 'some' }>;

export interface ChartsRead {
  readonly files: readonly ParsedFile[];
  readonly submodules: readonly ParsedFile[];
  readonly meetLink: boolean;
}

/** Counts looks at a file, a folder or an object; false: there were too many. */
export type Looks = (count: number) => boolean;

/** Looks at the files of one push for all of its sources together, some seconds: sources may share all of a
 *  repository, and a tool may read any file. Then any file counts, except for a source that has next to none. */
const looksAtMost = 2_000_000;
const looksAtLeast = 20;

/** One for each push. */
export const pushIndexOf = oncePer(indexOf, new WeakMap());

function indexOf({ files: all, tools }: ParsedFiles): PushIndex {
  const pathOf = ({ path }: ParsedFile) => path;
  const folderOf = ({ folder }: ToolFolder) => folder;
  const of = (name: ToolFolder['tool']) => tools.filter(({ tool }) => tool === name);
  const places = new Set(tools.map(({ tool, folder }) => `${tool} ${folder}`));
  const [links, submodulePaths] = [of('link').map(folderOf), new Set(of('submodule').map(folderOf))];
  const kustomizations = of('kustomize');
  const submodules = all.filter(({ path }) => submodulePaths.has(path));
  const positions = new Map(all.map((file, at) => [file, at]));
  const shared = { left: looksAtMost };
  const effort = { left: effortAtMost };
  const rules = new Map<NamedFiles, ReadonlySet<ParsedFile> | undefined>();
  const position = (file: ParsedFile) => positions.get(file);
  const charts = lazy((): ChartsRead => {
    const folders = of('helm').map(folderOf);
    const meets = meetsAnyOf(folders);
    return {
      files: below(all, folders),
      submodules: submodules.filter(({ path }) => meets(path)),
      meetLink: links.some(meets),
    };
  });
  const byName = lazy((): ByFolder<NamedFile<ParsedFile>> => namedFiles(all));

  return {
    files: byFolder(all, pathOf),
    links: byFolder(links, (link) => link),
    submodules: byFolder(submodules, pathOf),
    kustomizations: byFolder(kustomizations, folderOf),
    scripts: byFolder(of('jsonnet'), folderOf),
    has: (tool, folder) => places.has(`${tool} ${folder}`),
    charts,
    built: lazy(() =>
      below(
        all,
        kustomizations.map(folderOf).filter((folder) => folder !== ''),
      ),
    ),
    named(rule) {
      if (!rules.has(rule)) rules.set(rule, filesNamedBy(rule, byName(), effort));
      return rules.get(rule);
    },
    ordered: (some) => [...new Set(some)].toSorted((one, other) => (position(one) ?? 0) - (position(other) ?? 0)),
    effort,
    globs: directoryGlobs(),
    looks() {
      let own = 0;
      return (count) => {
        own += count;
        shared.left -= count;
        return shared.left >= 0 || own <= looksAtLeast;
      };
    },
    differences: new Map(),
    position,
    anything: undefined,
  };
}

function below(files: readonly ParsedFile[], folders: readonly string[]): readonly ParsedFile[] {
  const isBelow = belowAnyOf(folders);
  return files.filter(({ path }) => isBelow(path));
}

function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
