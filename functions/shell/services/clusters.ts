import { type ClusterConnection, connectCluster } from '../../adapters/kubernetes/connect.ts';
import { renewingToken } from '../../adapters/kubernetes/renewing-token.ts';
import { secretToken } from '../../adapters/kubernetes/secret-token.ts';
import type { Configuration } from '../../core/configuration/configuration.ts';
import { Misconfigured } from '../../core/text/errors.ts';
import { oncePer } from '../../core/text/once-per.ts';
import type { ArgoCd } from '../../ports/argocd.ts';
import type { Secrets, SecretWriter } from '../../ports/secrets.ts';
import type { Logger } from '../../ports/telemetry.ts';
import type { Runtime } from '../../ports/time.ts';

export interface ClustersOptions {
  readonly configuration: Configuration;
  readonly secrets: Secrets;
  /** Stores renewed tokens; undefined: this function renews none. */
  readonly writer: SecretWriter | undefined;
  readonly runtime: Pick<Runtime, 'clock' | 'deadline' | 'yieldToEventLoop'>;
  readonly logger: Logger;
}

/** By name; throws Misconfigured for one that is not configured. */
export interface Clusters {
  readonly cluster: (name: string) => Promise<ClusterConnection>;
  readonly argocd: (name: string) => Promise<ArgoCd>;
}

/** The configured clusters and the Argo CD instances in them, each connected on first use and then kept for the life of
 *  the container: a fleet of a thousand costs nothing until it is used. A caller whose cluster token has lived half its
 *  life waits for the new one, three calls: once per token, in one of all running containers. */
export function clusters(options: ClustersOptions): Clusters {
  const { configuration, secrets, writer, runtime, logger } = options;
  const connect = oncePer((name: string) => {
    const { api } = named(configuration.clusters, name, 'cluster');
    const common = { ...api, userAgent: 'poolkeeper', ...runtime };
    if (writer === undefined) {
      const connection = connectCluster({ ...common, token: secretToken(secrets, api.tokenSecret) });
      return { connection, renew: async () => {} };
    }
    const token = renewingToken({ secrets, writer, secret: api.tokenSecret, clock: runtime.clock, logger });
    const connection = connectCluster({ ...common, token: token.source });
    return { connection, renew: () => token.renew(connection.client) };
  });
  const instance = oncePer((name: string) => {
    const settings = named(configuration.argocd, name, 'Argo CD instance');
    return connect(settings.cluster).connection.argocd(settings);
  });
  return {
    cluster: async (name) => {
      const { connection, renew } = connect(name);
      await renew();
      return connection;
    },
    argocd: async (name) => instance(name),
  };
}

function named<T extends { readonly name: string }>(all: readonly T[], name: string, what: string): T {
  const found = all.find((each) => each.name === name);
  if (found !== undefined) return found;
  throw new Misconfigured([`${what} ${name} is not configured`]);
}
