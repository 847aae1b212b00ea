import { ifGiven } from '../text/if-given.ts';
/** One changed file of a push, at both revisions, as reported by the Git host. */
export interface ChangedFile {
  /** Path from the root of the repository, without a leading slash. */
  readonly path: string;
  readonly before: ObservedFile;
  readonly after: ObservedFile;
}

/** One file at one revision. `unread`: too large, not text, or not answered; unknown counts as a match. */
export type ObservedFile =
  | { readonly kind: 'absent' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'unread'; readonly why: string };

/** The changed files of a push or a pull request, read within limits. */
export interface FilesRead {
  readonly files: readonly ChangedFile[];
  /** Folders at either revision with a file that makes a tool render them: with Kustomize, Helm, Jsonnet or a plugin a
   *  changed file shows only part of the change. `link`, `submodule`: there is one, which may bring files from
   *  elsewhere. The root is the empty text. */
  readonly tools: readonly ToolFolder[];
  /** Folders that have files at one revision only, the topmost of each: for a new one every file is among `files`.
   *  Absent: unknown. */
  readonly folders?: { readonly appeared: readonly string[]; readonly vanished: readonly string[] } | undefined;
  /** Changed files that a Butane file at either revision includes, or may include. Absent: not read. */
  readonly included?: readonly IncludedFile[] | undefined;
  /** Why the list of files or folders is incomplete; undefined: it is complete. */
  readonly incomplete: string | undefined;
  /** Seconds until what the rate limit or a failure of the Git host kept back may be asked for again. Absent: it kept
   *  nothing back. */
  readonly keptBackSeconds?: number | undefined;
}

/** What differs between two commits, by names alone. */
export interface ChangedPaths {
  readonly paths: readonly string[];
  /** Folders that the later one has no more, the topmost of each. */
  readonly vanished: readonly string[];
  /** Why not all are known; undefined: they are. */
  readonly incomplete: string | undefined;
  /** As of `FilesRead`. */
  readonly keptBackSeconds?: number | undefined;
}

export interface IncludedFile {
  readonly path: string;
  /** Path of the Butane file; empty: any. */
  readonly by: string;
  /** Name of the MachineConfig that this becomes; undefined: not known. */
  readonly makes: string | undefined;
}

export interface ToolFolder {
  /** Path from the root. Of a `link` or a `submodule`: where it is itself. What a link leads to is not read. */
  readonly folder: string;
  readonly tool: 'kustomize' | 'helm' | 'jsonnet' | 'plugin' | 'link' | 'submodule';
  /** Kustomize: what its file references elsewhere in the repository (`../base`), from the root, at either revision.
   *  Absent: not read. */
  readonly uses?: readonly string[] | undefined;
}

/** What an entry that is no plain file triggers. A link has the effect of its own name besides: Argo CD and the tools
 *  look for names, and read what is behind them. */
export function toolsOfEntry(path: string, kind: 'file' | 'link' | 'submodule'): readonly ToolFolder[] {
  if (kind === 'submodule') return [{ folder: path, tool: 'submodule' }];
  const own = toolOfFile(path);
  const named = ifGiven(own);
  return kind === 'file' ? named : [...named, { folder: path, tool: 'link' }];
}

export function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}

/** The tool that a file triggers in its folder, by its name. Source: argo-cd util/app/discovery, reposerver
 *  `.argocd-source` files. */
export function toolOfFile(path: string): ToolFolder | undefined {
  const [folder, name] = [folderOf(path), path.slice(path.lastIndexOf('/') + 1)];
  if (['kustomization.yaml', 'kustomization.yml', 'Kustomization'].includes(name)) return { folder, tool: 'kustomize' };
  if (name.endsWith('Chart.yaml')) return { folder, tool: 'helm' };
  if (/^\.argocd-source(?:-.*)?\.yaml$/.test(name)) return { folder, tool: 'plugin' };
  return name.endsWith('.jsonnet') || name.endsWith('.libsonnet') ? { folder, tool: 'jsonnet' } : undefined;
}

/** Links and submodules render nothing: what changes behind them is judged by what it says. */
export function isRendering({ tool }: Pick<ToolFolder, 'tool'>): boolean {
  return tool !== 'link' && tool !== 'submodule';
}

/** Whether a tool renders anything in the repository. */
export function hasRenderingTool({ tools }: Pick<FilesRead, 'tools'>): boolean {
  return tools.some(isRendering);
}

/** Argo CD reads these from a plain folder. Source: argo-cd reposerver/repository.go `manifestFile`. */
export function isManifestFile(path: string): boolean {
  return /\.(?:ya?ml|json)$/.test(path);
}

/** A source that `butane` makes a MachineConfig of, before it is committed or in a plugin, or a template of one.
 *  Argo CD does not read it. By its text, a manifest file may be one as well. */
export function isButaneFile(path: string): boolean {
  return /\.(?:bu|butane|fcc)(?:\.(?:erb|gotmpl|in|j2|jinja2?|template|tmpl|tpl))?$/i.test(path);
}

export function isButaneTemplate(path: string): boolean {
  return isButaneFile(path) && !/\.(?:bu|butane|fcc)$/i.test(path);
}

/** As `isButaneFile`, and what Argo CD would read as a manifest: `worker.bu.yaml`. */
export function isNamedAsButane(path: string): boolean {
  return isButaneFile(path) || /\.(?:bu|butane|fcc)\.ya?ml$/i.test(path);
}

/** What the MachineConfig made of a Butane file is usually called. */
export function butaneTwins(path: string): readonly string[] {
  const stem = path.replace(/\.(?:bu|butane|fcc)(?:\.[a-z0-9]{1,10})?$/i, '');
  return ['.yaml', '.yml'].map((end) => `${stem}${end}`);
}
