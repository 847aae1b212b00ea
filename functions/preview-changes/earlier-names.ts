import { repositoriesOf, repositoryOf } from '../core/routing/repository.ts';
import { Misconfigured, Transient } from '../core/text/errors.ts';
import { secondsSince } from '../core/text/instant.ts';
import { unique } from '../core/text/unique.ts';
import type { RepositoryNames } from '../ports/repositories.ts';
import type { KnownName, Routes } from '../ports/tables.ts';
import type { Logger } from '../ports/telemetry.ts';
import type { Clock } from '../ports/time.ts';

/** Names that are asked for one preview, besides those whose answers are at hand. */
const askedAtMost = 50;
/** How long an answer that keep-pools has stored counts. It asks each once a day, one of many names later. */
const learntForSeconds = 2 * 24 * 3600;
/** How long an answer or a refusal that is older counts where there are too many to ask. */
const believedForSeconds = 14 * 24 * 3600;

/** The earlier names of a repository, as far as they could be learnt. */
export interface EarlierNames {
  readonly names: readonly string[];
  /** How many may be others, for now: nobody answered. */
  readonly unanswered: number;
  /** How many may be others for good: they are refused, or too many to ask. */
  readonly unlearnt: number;
}

/** What answers, and what keep-pools has stored. */
export interface EarlierNamesPorts {
  /** Undefined: nobody is asked. */
  readonly repositoryNames?: RepositoryNames | undefined;
  readonly configuration: { readonly argocd: readonly { readonly name: string }[] };
  readonly routes: Pick<Routes, 'load'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Which of the repositories that are followed are this one by an earlier name: the Git host leads Argo CD on, and
 *  nothing is known of it but that name. Asked are those of which keep-pools has stored no answer. One that keeps
 *  neither its owner nor its name is seldom this one: where it is refused, as those of strangers are to a GitHub App,
 *  it counts as another. */
export async function earlierNames(
  htmlUrl: string,
  followed: readonly { readonly repoURL: string }[],
  ports: EarlierNamesPorts,
): Promise<EarlierNames> {
  const { repositoryNames, logger } = ports;
  const own = repositoryOf(htmlUrl);
  if (repositoryNames === undefined || own === undefined) return { names: [], unanswered: 0, unlearnt: 0 };
  const names = unique(followed.flatMap(({ repoURL }) => repositoriesOf(repoURL)));
  // Mostly the owner or the name stays: whoever follows many repositories takes nobody's turn there.
  const isLike = (name: string) => name.split('/').some((part, at) => at > 0 && part === own.split('/')[at]);
  const others = names
    .filter((name) => name !== own && repositoryNames.isAsked(name))
    .toSorted((a, b) => Number(isLike(b)) - Number(isLike(a)));
  const stored = Map.groupBy(await storedNames(ports), ({ name }) => name);
  const now = ports.clock();
  const isLearnt = ({ askedAt, isUnanswered, ...each }: KnownName) =>
    each.now === own || (isUnanswered !== true && Math.abs(secondsSince(askedAt, now)) < learntForSeconds);
  const kept = others.filter(repositoryNames.isKept);
  const unknown = others.filter((name) => !repositoryNames.isKept(name) && !stored.get(name)?.some(isLearnt));
  const isAnswered = ({ askedAt, isUnanswered, isRefused }: KnownName) =>
    (isUnanswered !== true || isRefused === true) && Math.abs(secondsSince(askedAt, now)) < believedForSeconds;
  const beyond = unknown.slice(askedAtMost).filter((name) => isLike(name) || !stored.get(name)?.some(isAnswered));
  const toAsk = [...kept, ...unknown.slice(0, askedAtMost)];
  const answers = await Promise.all(
    toAsk.map(async (name) => ({ name, answer: await ask(name, { nameNow: repositoryNames.nameNow, logger }) })),
  );
  const refused = answers.filter(({ name, answer }) => answer instanceof Misconfigured && isLike(name));
  return {
    names: [
      ...others.filter((name) => stored.get(name)?.some((each) => each.now === own)),
      ...answers.filter(({ answer }) => answer === own).map(({ name }) => name),
    ],
    unanswered: answers.filter(({ answer }) => answer instanceof Transient).length,
    unlearnt: refused.length + beyond.length,
  };
}

/** What keep-pools has learnt for every Argo CD, as far as it can be read. */
async function storedNames({ configuration, routes, logger }: EarlierNamesPorts): Promise<readonly KnownName[]> {
  const tables = await Promise.all(
    configuration.argocd.map(async ({ name }) => {
      try {
        return (await routes.load(name))?.names ?? [];
      } catch (error) {
        if (!(error instanceof Transient)) throw error;
        logger.info('the stored names of repositories could not be read for a preview', { argocd: name, error });
        return [];
      }
    }),
  );
  return tables.flat();
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
