import { repositoriesOf, repositoryOf } from '../core/routing/repository.ts';
import { Misconfigured, Transient } from '../core/text/errors.ts';
import type { RepositoryNames } from '../ports/repositories.ts';
import type { Logger } from '../ports/telemetry.ts';

/** Names that are asked for one preview. */
const askedAtMost = 50;

/** Which of the repositories that are followed are this one by an earlier name: the Git host leads Argo CD on, and
 *  nothing is known of it but that name. Those that cannot be read are none of them. */
export async function earlierNames(
  htmlUrl: string,
  followed: readonly { readonly repoURL: string }[],
  { repositoryNames, logger }: { readonly repositoryNames?: RepositoryNames | undefined; readonly logger: Logger },
): Promise<readonly string[]> {
  const own = repositoryOf(htmlUrl);
  if (repositoryNames === undefined || own === undefined) return [];
  const names = [...new Set(followed.flatMap(({ repoURL }) => repositoriesOf(repoURL)))];
  // Mostly the owner or the name stays: whoever follows many repositories takes nobody's turn there.
  const isUnlike = (name: string) => Number(!name.split('/').some((part, at) => at > 0 && part === own.split('/')[at]));
  const others = names
    .filter((name) => name !== own && repositoryNames.isAsked(name))
    .toSorted((a, b) => isUnlike(a) - isUnlike(b))
    .slice(0, askedAtMost);
  const asked = await Promise.all(
    others.map(async (name) => {
      try {
        return (await repositoryNames.nameNow(name)) === own ? [name] : [];
      } catch (error) {
        if (!(error instanceof Transient) && !(error instanceof Misconfigured)) throw error;
        logger.info('it is not known for a preview what a repository is called now', { name, why: error.message });
        return [];
      }
    }),
  );
  return asked.flat();
}
