import type { KubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import type { Configuration } from '../../../functions/core/configuration/configuration.ts';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { sequenceRights } from '../../manifests/sequence-access.ts';
import { lackingOf } from './check-rights.ts';
import { type Finding, ok, unchecked, wrong } from './finding.ts';
import { grantMore } from './grants.ts';
import type { Connected } from './remedy-commands.ts';

/** Whether the account has the rights that the sequences of the configuration need on a cluster. Throws Transient. */
export async function checkSequences(
  connected: Connected,
  configuration: Pick<Configuration, 'sequences' | 'argocd'>,
  client: KubeClient,
): Promise<readonly Finding[]> {
  const { cluster, file } = connected;
  const rights = rightsOn(cluster, configuration);
  if (rights instanceof Misconfigured) return [unchecked(cluster, `sequences: their rights: ${rights.message}`)];
  const { needed, lacking } = await lackingOf(rights, client);
  if (needed === 0) return [];
  if (lacking.length === 0) return [ok(cluster, `sequences: all ${needed} rights that they need`)];
  return [
    wrong(
      cluster,
      `sequences: the account may not ${lacking.join('; ')}`,
      grantMore(connected, '--sequences', file, '--cluster', cluster),
    ),
  ];
}

/** A kind that nobody can name without asking a cluster is for a person to write out. */
function rightsOn(cluster: string, { sequences, argocd }: Pick<Configuration, 'sequences' | 'argocd'>) {
  try {
    return sequenceRights(sequences, cluster, argocd);
  } catch (cause) {
    if (cause instanceof Misconfigured) return cause;
    throw cause;
  }
}
