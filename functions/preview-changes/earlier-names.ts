import { repositoriesOf, repositoryOf } from '../core/routing/repository.ts';
import { Misconfigured, Transient } from '../core/text/errors.ts';
import type { RepositoryNames } from '../ports/repositories.ts';
import type { Logger } from '../ports/telemetry.ts';

/** Names that are asked for one preview, besides those whose answers are at hand. */
const askedAtMost = 50;

/** The earlier names of a repository, as far as they could be learnt. */
export interface EarlierNames {
  readonly names: readonly string[];
  /** How many may be others, for now: nobody answered. */
  readonly unanswered: number;
  /** How many may be others for good: they are refused, or too many to ask. */
  readonly unlearnt: number;
}

/** Which of the repositories that are followed are this one by an earlier name: the Git host leads Argo CD on, and
 *  nothing is known of it but that name. One that keeps neither its owner nor its name is seldom this one: where it is
 *  refused, as those of strangers are to a GitHub App, it counts as another. */
export async function earlierNames(
  htmlUrl: string,
  followed: readonly { readonly repoURL: string }[],
  { repositoryNames, logger }: { readonly repositoryNames?: RepositoryNames | undefined; readonly logger: Logger },
): Promise<EarlierNames> {
  const own = repositoryOf(htmlUrl);
  if (repositoryNames === undefined || own === undefined) return { names: [], unanswered: 0, unlearnt: 0 };
  const names = [...new Set(followed.flatMap(({ repoURL }) => repositoriesOf(repoURL)))];
  // Mostly the owner or the name stays: whoever follows many repositories takes nobody's turn there.
  const isLike = (name: string) => name.split('/').some((part, at) => at > 0 && part === own.split('/')[at]);
  const others = names
    .filter((name) => name !== own && repositoryNames.isAsked(name))
    .toSorted((a, b) => Number(isLike(b)) - Number(isLike(a)));
  const [kept, unknown] = [
    others.filter(repositoryNames.isKept),
    others.filter((each) => !repositoryNames.isKept(each)),
  ];
  const toAsk = [...kept, ...unknown.slice(0, askedAtMost)];
  const answers = await Promise.all(
    toAsk.map(async (name) => ({ name, answer: await ask(name, { nameNow: repositoryNames.nameNow, logger }) })),
  );
  const refused = answers.filter(({ name, answer }) => answer instanceof Misconfigured && isLike(name));
  return {
    names: answers.filter(({ answer }) => answer === own).map(({ name }) => name),
    unanswered: answers.filter(({ answer }) => answer instanceof Transient).length,
    unlearnt: refused.length + Math.max(0, unknown.length - askedAtMost),
  };
}

/** What it is called now, or why that is not known. */
async function ask(
  name: string,
  { nameNow, logger }: Pick<RepositoryNames, 'nameNow'> & { readonly logger: Logger },
): Promise<string | undefined | Transient | Misconfigured> {
  try {
    return await nameNow(name);
  } catch (error) {
    if (!(error instanceof Transient) && !(error instanceof Misconfigured)) throw error;
    logger.info('it is not known for a preview what a repository is called now', { name, why: error.message });
    return error;
  }
}
