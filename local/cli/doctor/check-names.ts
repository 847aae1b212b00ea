import { repositoriesOf } from '../../../functions/core/routing/repository.ts';
import { Misconfigured, Transient } from '../../../functions/core/text/errors.ts';
import { byTurns } from '../../../functions/core/text/rounds.ts';
import { unique } from '../../../functions/core/text/unique.ts';
import type { ArgoCd } from '../../../functions/ports/argocd.ts';
import type { RepositoryNames } from '../../../functions/ports/repositories.ts';
import { type Finding, ok, unchecked, warning } from './finding.ts';

/** Repositories that are asked for, and that are named. */
const [askedAtMost, namedAtMost] = [100, 20];

/** Applications that name a repository as it was called before: GitHub leads Argo CD on, and the pushes come under the
 *  name of today. Whoever has many hides none of others. Throws Transient. */
export async function checkNames(
  about: string,
  argocd: Pick<ArgoCd, 'listApplications'>,
  names: RepositoryNames,
): Promise<readonly Finding[]> {
  const { items } = await argocd.listApplications();
  const written = items.flatMap(({ namespace, name: application, sources }) =>
    sources
      .flatMap(({ repoURL }) => repositoriesOf(repoURL))
      .filter(names.isAsked)
      .map((name) => ({ namespace, application, name })),
  );
  const followed = inTurns(written);
  if (followed.length === 0) return [];
  const asked = await Promise.all(followed.slice(0, askedAtMost).map((name) => ask(name, names)));
  const today = new Map(
    asked.flatMap((each) => (each.now === undefined || each.now === each.name ? [] : [[each.name, each.now]])),
  );
  const moved = inTurns(written.filter(({ name }) => today.has(name)));
  const silent = asked.flatMap(({ name, why }) => (why === undefined ? [] : [{ name, why }]));
  const [first] = silent;
  const [unnamed, unasked] = [moved.length - namedAtMost, followed.length - askedAtMost];
  const remedy = 'the name of today in spec.source.repoURL';
  return [
    ...(moved.length + silent.length === 0 && unasked <= 0
      ? [ok(about, 'repositories: are called what Applications call them')]
      : []),
    ...moved
      .slice(0, namedAtMost)
      .map((name) => warning(about, `repositories: GitHub calls ${name} ${today.get(name)} now`, remedy)),
    ...(unnamed > 0 ? [warning(about, `repositories: and ${unnamed} more are called otherwise now`, remedy)] : []),
    ...(first === undefined
      ? []
      : [unchecked(about, `repositories: ${silent.length}, as ${first.name}: ${first.why}`)]),
    ...(unasked > 0
      ? [unchecked(about, `repositories: ${unasked} more than the ${askedAtMost} that are asked for`)]
      : []),
  ];
}

interface WrittenName {
  readonly namespace: string;
  readonly application: string;
  readonly name: string;
}

/** Each name once: the first of each namespace, there of each Application, then the second, and so on. */
function inTurns(written: readonly WrittenName[]): readonly string[] {
  const ofApplications = byTurns(written, ({ namespace, application }) => `${namespace}/${application}`);
  return unique(byTurns(ofApplications, ({ namespace }) => namespace).map(({ name }) => name));
}

async function ask(name: string, { nameNow }: RepositoryNames): Promise<{ name: string; now?: string; why?: string }> {
  try {
    const now = await nameNow(name);
    return now === undefined ? { name, why: 'GitHub has none of that name, or it may not be read' } : { name, now };
  } catch (cause) {
    if (!(cause instanceof Transient) && !(cause instanceof Misconfigured)) throw cause;
    return { name, why: cause.message };
  }
}
