import { applicationLink, commitLink, type LinkPlaces, type PlaceLink, poolLink } from '../../configuration/links.ts';
import type { Finding, Trouble } from '../../findings/trouble.ts';
import { safeLine } from '../../text/safe-text.ts';
import { unique } from '../../text/unique.ts';

/** Applications and commits that one message links. */
const linksAtMost = 3;

/** Where people look further about a trouble: its pool in the console, its Applications in Argo CD, its commits. */
export function linksOf(trouble: Trouble | undefined, places: LinkPlaces | undefined): readonly PlaceLink[] {
  if (trouble === undefined || places === undefined) return [];
  const { cluster, pool } = trouble.key;
  const all = trouble.findings.flatMap(withCauses);
  const applications = all.flatMap(({ subject: { kind, namespace, name } }) =>
    kind === 'Application' && namespace !== '' ? [`${namespace}/${name}`] : [],
  );
  const commits = all.flatMap(({ evidence }) =>
    evidence.flatMap(({ ref, path, value }) =>
      ref.kind === 'Application' && path.endsWith('.revision') ? [value] : [],
    ),
  );
  return [
    ...linkOf(`${pool} in the console`, poolLink(places, cluster, pool)),
    ...some(applications).flatMap((each) => linkOf(`${each} in Argo CD`, applicationLink(places, each))),
    ...some(commits).flatMap((each) => linkOf(`commit ${each.slice(0, 8)}`, commitLink(places, each))),
  ];
}

function withCauses(finding: Finding): readonly Finding[] {
  return [finding, ...finding.because.flatMap(withCauses)];
}

function some(names: readonly string[]): readonly string[] {
  return unique(names).slice(0, linksAtMost);
}

function linkOf(label: string, url: string | undefined): readonly PlaceLink[] {
  return url === undefined || url.length > 1000 ? [] : [{ label: safeLine(label, 120), url }];
}
