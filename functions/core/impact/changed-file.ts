/** What a Git host says of one changed file at both revisions of a push. */
export interface ChangedFile {
  /** Path from the root of the repository, without a leading slash. */
  readonly path: string;
  readonly before: FileSight;
  readonly after: FileSight;
}

/** One file at one revision. `unread`: too large, no text, or not answered; unknown counts as a match. */
export type FileSight =
  | { readonly kind: 'absent' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'unread'; readonly why: string };

/** The changed files of a push or a pull request, read within bounds. */
export interface FilesRead {
  readonly files: readonly ChangedFile[];
  /** Folders at either revision that hold a file which makes a tool render them: where Kustomize, Helm, Jsonnet or a plugin is at work,
   *  a changed file says less than it seems to. */
  readonly tools: readonly { readonly folder: string; readonly tool: 'kustomize' | 'helm' | 'jsonnet' | 'plugin' }[];
  /** Why the list of files or folders is not whole; undefined = it is. */
  readonly incomplete: string | undefined;
}
