import { fromRoot } from './go-path.ts';
import type { PreparedPush } from './is-concerned.ts';
import { shortRevision } from './push.ts';
import { repositoriesOf } from './repository.ts';
import type { Pushed } from './revision.ts';
import { type GitGenerator, isTemplated, type SetRoute } from './route.ts';

/** May this push change what an ApplicationSet generates? Argo CD lets it look for news at every push to the repository
 *  and revision of one of its Git generators; where the changed files are known, those that it does not read give no
 *  news.
 *  Source: argo-cd applicationset/webhook/webhook.go. */
export function isSetConcerned({ generators, readsAnyPush }: SetRoute, push: PreparedPush): boolean {
  return readsAnyPush || generators.some((generator) => isRead(generator, push));
}

function isRead(generator: GitGenerator, push: PreparedPush): boolean {
  const { paths: changed } = push;
  if (!isReadBy(generator, push)) return false;
  if (changed === undefined || generator.paths.length === 0) return true;
  return generator.paths.some((pattern) =>
    generator.reads === 'files'
      ? changed.paths.some((path) => mayBeFile(pattern, path))
      : changed.touched.has(literalPart(pattern)),
  );
}

/** Does the generator read what was pushed to? What another generator fills in may be anything. */
export function isReadBy(
  { repoURL, revision }: Pick<GitGenerator, 'repoURL' | 'revision'>,
  { repository, pushed }: { readonly repository: string | undefined; readonly pushed: Pushed },
): boolean {
  if (!isTemplated(repoURL) && (repository === undefined || !repositoriesOf(repoURL).includes(repository)))
    return false;
  const short = shortRevision(revision);
  if (isTemplated(revision)) return true;
  return short === 'HEAD' || short === '' ? pushed.isDefault : [short, revision].includes(pushed.revision);
}

/** May the pattern mean that file? By what stands before its first and behind its last special character: Argo CD
 *  reads them by the rules of Git, or, when told so, with `**`, braces and classes. */
export function mayBeFile(pattern: string, path: string): boolean {
  const first = pattern.search(special);
  // To Git a folder means all that is in it.
  if (first < 0) return `${fromRoot(path)}/`.startsWith(`${fromRoot(pattern)}/`);
  const last = Math.max(...['*', '?', ']', '}', '\\'].map((each) => pattern.lastIndexOf(each)));
  const [head, tail] = [pattern.slice(0, first).replace(/^\.?\/+/, ''), pattern.slice(last + 1).replace(/^\/+/, '')];
  return path.startsWith(head) && path.endsWith(tail);
}

const special = /[*?[{\\]/;

/** The folder, from the root, in which everything that a pattern may mean lies. */
export function literalPart(pattern: string): string {
  const first = pattern.search(special);
  return fromRoot(first < 0 ? pattern : pattern.slice(0, Math.max(0, pattern.slice(0, first).lastIndexOf('/'))));
}
