import { fromRoot } from './go-path.ts';
import type { PreparedPush } from './is-concerned.ts';
import { shortRevision } from './push.ts';
import { repositoriesOf } from './repository.ts';
import type { GitGenerator, SetRoute } from './route.ts';

/** May this push change what an ApplicationSet generates? Argo CD lets it look for news at every push to the repository and revision of one of
 *  its Git generators; where the changed files are known, those that it does not read give no news.
 *  Source: argo-cd applicationset/webhook/webhook.go. */
export function isSetConcerned({ generators, readsAnyPush }: SetRoute, push: PreparedPush): boolean {
  return readsAnyPush || generators.some((generator) => isRead(generator, push));
}

function isRead(
  { repoURL, revision, paths }: GitGenerator,
  { repository, pushed, paths: changed }: PreparedPush,
): boolean {
  if (repository === undefined || !repositoriesOf(repoURL).includes(repository)) return false;
  const short = shortRevision(revision);
  const follows = short === 'HEAD' || short === '' ? pushed.isDefault : [short, revision].includes(pushed.revision);
  if (!follows || changed === undefined || paths.length === 0) return follows;
  return paths.some((path) => changed.touched.has(folderOf(path)));
}

/** The folder in which everything that a pattern may mean lies; these patterns have `**`, braces and classes. */
function folderOf(pattern: string): string {
  const special = pattern.search(/[*?[{\\]/);
  return fromRoot(special < 0 ? pattern : pattern.slice(0, Math.max(0, pattern.slice(0, special).lastIndexOf('/'))));
}
