import type { VersionUpdateSeen } from '../../core/gates/evidence.ts';
import { mcoClusterOperatorPath } from '../../core/openshift/machine-config-operator.ts';
import { readVersionUpdate } from '../../core/openshift/version-update.ts';
import { type Observed, seen, unreadable } from '../../core/text/observed.ts';
import type { ObjectReader } from '../../ports/cluster.ts';

/** Whether an update of the cluster's version is under way: two reads. A cluster without a ClusterVersion is not
 *  updated that way. */
export async function readUpdateOf(reader: ObjectReader, now: Date): Promise<Observed<VersionUpdateSeen>> {
  const [version, operator] = await Promise.all([
    reader.read({ path: '/apis/config.openshift.io/v1/clusterversions/version', query: {} }),
    reader.read({ path: mcoClusterOperatorPath, query: {} }),
  ]);
  if (version.kind === 'absent') return seen({ kind: 'none' }, now);
  if (version.kind === 'failed') return version.isForbidden === true ? seen(forbidden, now) : unreadable(version.why);
  const read = readVersionUpdate(version.body, operator.kind === 'found' ? operator.body : undefined);
  return read.kind === 'invalid' ? unreadable('the ClusterVersion cannot be parsed') : seen(read, now);
}

const forbidden: VersionUpdateSeen = {
  kind: 'forbidden',
  why: 'whether an update of the cluster is under way is not known: Poolkeeper may not read ClusterVersions, run `poolkeeper connect` again',
};
