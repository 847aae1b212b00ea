import { connectCluster } from '../../adapters/kubernetes/connect.ts';
import { secretToken } from '../../adapters/kubernetes/secret-token.ts';
import type { Configuration } from '../../core/configuration.ts';
import { Misconfigured } from '../../core/errors.ts';
import type { KeepPorts } from '../../keep-pools/keep-ports.ts';
import type { Clock, Secrets } from '../../ports.ts';

export interface ClustersOptions {
  readonly configuration: Configuration;
  readonly secrets: Secrets;
  readonly clock: Clock;
}

/** The configured clusters and the Argo CD instances in them, each connected when it is first asked for and then kept for
 *  the life of the container: a fleet of a thousand costs nothing until it is looked at. */
export function clusters({ configuration, secrets, clock }: ClustersOptions): Pick<KeepPorts, 'cluster' | 'argocd'> {
  const connect = perName((name) => {
    const { api } = named(configuration.clusters, name, 'cluster');
    return connectCluster({ ...api, token: secretToken(secrets, api.tokenSecret), userAgent: 'poolkeeper', clock });
  });
  const instance = perName((name) => {
    const settings = named(configuration.argocd, name, 'Argo CD instance');
    return connect(settings.cluster).argocd(settings);
  });
  return {
    cluster: async (name) => connect(name),
    argocd: async (name) => instance(name),
  };
}

/** Remembers what was made for a name; what threw is made again. */
function perName<T>(make: (name: string) => T): (name: string) => T {
  const made = new Map<string, T>();
  return (name) => {
    const known = made.get(name);
    if (known !== undefined) return known;
    const fresh = make(name);
    made.set(name, fresh);
    return fresh;
  };
}

function named<T extends { readonly name: string }>(all: readonly T[], name: string, what: string): T {
  const found = all.find((each) => each.name === name);
  if (found !== undefined) return found;
  throw new Misconfigured([`${what} ${name} is not configured`]);
}
