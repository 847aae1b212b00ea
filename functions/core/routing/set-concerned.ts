import { fromRoot } from './go-path.ts';
import type { PreparedPush } from './is-concerned.ts';
import { shortRevision } from './push.ts';
import { followedAs } from './repository.ts';
import { followingOf, follows } from './revision.ts';
import { type GitGenerator, isTemplated, type SetRoute } from './route.ts';

/** Whether this push may change what an ApplicationSet generates. Argo CD refreshes it at every push to the repository
 *  and revision of one of its Git generators; if the changed files are known, those that it does not read change
 *  nothing. Source: argo-cd applicationset/webhook/webhook.go. */
export function isSetConcerned({ generators, readsAnyPush }: SetRoute, push: PreparedPush): boolean {
  if (readsAnyPush) return true;
  const reading = generators.filter((generator) => isReadBy(generator, push));
  return hasTooMany(reading, push.paths?.count ?? 0) || reading.some((generator) => isRead(generator, push));
}

/** Comparisons of the patterns of one ApplicationSet with the files of one push: a twentieth of a second. It may name
 *  tens of thousands, and follow the repository of others, whose pauses wait for the answer. */
const comparisonsAtMost = 50_000;

/** Whether these generators name more patterns than are compared with so many files or folders: anything may matter. */
export function hasTooMany(generators: readonly Pick<GitGenerator, 'paths'>[], places: number): boolean {
  return generators.reduce((sum, { paths }) => sum + paths.length, 0) * places > comparisonsAtMost;
}

function isRead(generator: GitGenerator, { paths: changed }: PreparedPush): boolean {
  if (changed === undefined || generator.paths.length === 0) return true;
  return generator.paths.some((pattern) =>
    generator.reads === 'files'
      ? changed.paths.some((path) => mayBeFile(pattern, path))
      : changed.touched.has(literalPart(pattern)),
  );
}

/** Whether the generator reads what was pushed. What another generator fills in may be anything. */
export function isReadBy(
  { repoURL, revision, now }: Pick<GitGenerator, 'repoURL' | 'revision' | 'now'>,
  { repositories, pushed }: Pick<PreparedPush, 'repositories' | 'pushed'>,
): boolean {
  if (!isTemplated(repoURL) && !followedAs({ repoURL, now }).some((each) => repositories.includes(each))) return false;
  const short = shortRevision(revision);
  // Where another generator lists branches, one may be gone with its Application.
  if (isTemplated(revision)) return true;
  // Of what is gone a generator reads nothing, and its Applications stay as they are.
  if (pushed.isDeleted && pushed.version === undefined && !pushed.isTwin) return false;
  if (short === 'HEAD' || short === '') return pushed.isDefault;
  // Argo CD's webhook handler knows no ranges, but when it polls, its repo server resolves them.
  const isInRange = pushed.version !== undefined && follows(followingOf(revision), pushed);
  const isOther = revision.startsWith(pushed.kind === 'tag' ? 'refs/heads/' : 'refs/tags/');
  return isInRange || (!isOther && [short, revision].includes(pushed.revision));
}

/** Whether the pattern may match that file, by its parts before the first and after the last special character: Argo CD
 *  matches by the rules of Git or, if configured, with `**`, braces and classes. What Git reads in a way of its own may
 *  be any file. Source: gitglossary, "pathspec"; argo-cd util/git/client.go `LsFiles`. */
export function mayBeFile(pattern: string, path: string): boolean {
  // Magic: `:/x`, `:(icase)x`, `:!x`.
  if (pattern.startsWith(':')) return true;
  const first = pattern.search(special);
  // To Git a text is first of all a name, also if it looks like a pattern.
  if (isIn(fromRoot(path), fromRoot(pattern))) return true;
  if (first < 0) return false;
  // In `*/../x`, `..` goes up from a folder that is not known.
  if (pattern.slice(first).split('/').includes('..')) return true;
  const last = Math.max(...['*', '?', ']', '}', '\\'].map((each) => pattern.lastIndexOf(each)));
  const folder = literalPart(pattern);
  const begun = pattern.slice(pattern.slice(0, first).lastIndexOf('/') + 1, first);
  const head = folder === '' ? begun : `${folder}/${begun}`;
  const tail = pattern.slice(last + 1).replace(/\/(?:\.?\/)+/g, '/');
  return path.startsWith(head) && path.endsWith(tail.replace(/^\.?\/+/, ''));
}

/** For Git a folder means everything in it. */
function isIn(path: string, folder: string): boolean {
  return folder === '' || `${path}/`.startsWith(`${folder}/`);
}

const special = /[*?[{\\]/;

/** The folder, from the root, that contains everything that a pattern may match. */
export function literalPart(pattern: string): string {
  const first = pattern.search(special);
  return fromRoot(first < 0 ? pattern : pattern.slice(0, Math.max(0, pattern.slice(0, first).lastIndexOf('/'))));
}
