import { repositoriesOf } from '../../../functions/core/routing/repository.ts';
import { Misconfigured, Transient } from '../../../functions/core/text/errors.ts';
import type { ArgoCd } from '../../../functions/ports/argocd.ts';
import type { RepositoryNames } from '../../../functions/ports/repositories.ts';
import { type Finding, ok, unchecked, warning } from './finding.ts';

/** Repositories that are asked for, and that are named. */
const [askedAtMost, namedAtMost] = [100, 20];

/** Applications that name a repository as it was called before: GitHub leads Argo CD on, and the pushes come under the
 *  name of today. Throws Transient. */
export async function checkNames(
  about: string,
  argocd: Pick<ArgoCd, 'listApplications'>,
  names: RepositoryNames,
): Promise<readonly Finding[]> {
  const { items } = await argocd.listApplications();
  const written = items.flatMap(({ sources }) => sources.flatMap(({ repoURL }) => repositoriesOf(repoURL)));
  const followed = [...new Set(written.filter(names.isAsked))];
  if (followed.length === 0) return [];
  const asked = await Promise.all(followed.slice(0, askedAtMost).map((name) => ask(name, names)));
  const moved = asked.flatMap(({ name, now }) => (now === undefined || now === name ? [] : [{ name, now }]));
  const silent = asked.flatMap(({ name, why }) => (why === undefined ? [] : [{ name, why }]));
  const [first] = silent;
  const more = followed.length - askedAtMost;
  return [
    ...(moved.length + silent.length === 0 ? [ok(about, 'repositories: are called what Applications call them')] : []),
    ...moved
      .slice(0, namedAtMost)
      .map(({ name, now }) =>
        warning(about, `repositories: GitHub calls ${name} ${now} now`, 'the name of today in spec.source.repoURL'),
      ),
    ...(first === undefined
      ? []
      : [unchecked(about, `repositories: ${silent.length}, as ${first.name}: ${first.why}`)]),
    ...(more > 0 ? [unchecked(about, `repositories: ${more} more`)] : []),
  ];
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
