import { listAt, mappingAt, memberOf, textAt } from '../openshift/member.ts';

/** Releases on which a node was let go by hand with the real Machine Config Operator. Its source says that others do
 *  the same, from 4.12 on; that is not known until somebody has tried it. */
const triedReleases: readonly string[] = ['4.21'];

/** `4.21` of a ClusterVersion: the last version that was completed; undefined: none is told. */
export function releaseOf(clusterVersion: unknown): string | undefined {
  const history = listAt(mappingAt(clusterVersion, 'status'), 'history');
  const completed = history.find((each) => memberOf(each, 'state') === 'Completed');
  return /^(\d+\.\d+)\./.exec(textAt(completed, 'version') ?? '')?.[1];
}

/** Why mode turns is refused on this release; undefined: it is not. */
export function whyNotKnown(release: string | undefined, triedOn: readonly string[]): string | undefined {
  if (release === undefined) return 'the release of the cluster is not known, and mode turns depends on it';
  if ([...triedReleases, ...triedOn].includes(release)) return undefined;
  return `mode turns was not tried on release ${release}: try it there, and add "${release}" to triedOn of the run`;
}
