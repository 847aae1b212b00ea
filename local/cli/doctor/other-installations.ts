import { listed } from '../../../functions/core/text/phrases.ts';
import { unique } from '../../../functions/core/text/unique.ts';
import { limitNames } from '../../manifests/admission-limit.ts';
import { type Finding, ok, warning } from './finding.ts';
import type { NamedLimit } from './limit-as-printed.ts';

interface Policy {
  readonly name: string;
  /** Namespace of the account of its installation. */
  readonly home: string;
}

interface Policies {
  readonly limits: readonly (Policy & Pick<NamedLimit, 'limit'>)[];
  readonly policies: readonly Policy[];
}

/** The policies of other installations on the cluster, with nothing to do: whoever runs these asks their doctor.
 *  @param home namespace of our account */
export function otherInstallations(about: string, home: string, { limits, policies }: Policies): readonly Finding[] {
  const theirs = [...limits, ...policies].filter((each) => each.home !== home);
  return unique(theirs.map((each) => each.home)).map((other) => {
    const names = theirs.filter((each) => each.home === other).map(({ name }) => name);
    const are = names.length === 1 ? 'is' : 'are';
    return ok(about, `policies: ${listed(names, 10)} ${are} another installation's, whose account is in ${other}`);
  });
}

/** Another installation that guards syncs, where ours does: of one for the same cluster each takes the other's guards
 *  away, and neither can tell whose they were.
 *  @param home namespace of our account */
export function otherGuards(about: string, home: string, { limits }: Pick<Policies, 'limits'>): readonly Finding[] {
  const theirs = limits.filter((each) => each.home !== home && each.limit === limitNames.projects);
  return unique(theirs.map((each) => each.home)).map((other) =>
    warning(
      about,
      `guards: the installation whose account is in ${other} may guard syncs, too. If it does for pools of a cluster that this one guards, each takes the other's guards away, and syncs go past them`,
      'give level guard to pools of one of them only (docs/guard.md)',
    ),
  );
}
