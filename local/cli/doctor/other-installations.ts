import { listed } from '../../../functions/core/text/phrases.ts';
import { unique } from '../../../functions/core/text/unique.ts';
import { type Finding, ok } from './finding.ts';

interface Policy {
  readonly name: string;
  /** Namespace of the account of its installation. */
  readonly home: string;
}

/** The policies of other installations on the cluster, with nothing to do: whoever runs these asks their doctor.
 *  @param home namespace of our account */
export function otherInstallations(
  about: string,
  home: string,
  { limits, policies }: { readonly limits: readonly Policy[]; readonly policies: readonly Policy[] },
): readonly Finding[] {
  const theirs = [...limits, ...policies].filter((each) => each.home !== home);
  return unique(theirs.map((each) => each.home)).map((other) => {
    const names = theirs.filter((each) => each.home === other).map(({ name }) => name);
    const are = names.length === 1 ? 'is' : 'are';
    return ok(about, `policies: ${listed(names, 10)} ${are} another installation's, whose account is in ${other}`);
  });
}
