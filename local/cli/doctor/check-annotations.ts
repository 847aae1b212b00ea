import { ignoredRemedy, poolsAnnotation, whyIgnored } from '../../../functions/core/argocd/pools-annotation.ts';
import type { ArgoCd } from '../../../functions/ports/argocd.ts';
import { type Finding, ok, warning } from './finding.ts';

/** Most Applications that are named. */
const mostNamed = 20;

/** Applications that name pools by annotation: which of them the configuration lets do so, and the entry that the
 *  others lack. Throws Transient. */
export async function checkAnnotations(
  about: string,
  argocd: Pick<ArgoCd, 'name' | 'listApplications'>,
): Promise<readonly Finding[]> {
  const annotated = (await argocd.listApplications()).items.flatMap(({ namespace, name, named }) =>
    named === undefined ? [] : [{ application: `${namespace}/${name}`, named, why: whyIgnored(named) }],
  );
  if (annotated.length === 0) return [];
  const ignored = annotated.filter(({ why }) => why !== undefined);
  const allowed = annotated.filter(({ why }) => why === undefined).map(({ application }) => application);
  const more = ignored.length - mostNamed;
  return [
    ...(allowed.length === 0 ? [] : [ok(about, `annotations: ${poolsAnnotation} counts for ${shortened(allowed)}`)]),
    ...ignored
      .slice(0, mostNamed)
      .map(({ application, named, why }) =>
        warning(about, `annotations: ${application}: ${why}`, ignoredRemedy(named, argocd.name)),
      ),
    ...(more > 0
      ? [
          warning(
            about,
            `annotations: ignored for ${more} more Applications`,
            'the same for their namespaces or projects',
          ),
        ]
      : []),
  ];
}

function shortened(names: readonly string[]): string {
  const more = names.length - mostNamed;
  return `${names.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
