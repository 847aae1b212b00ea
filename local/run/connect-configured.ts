import { type ClusterConnection, connectCluster } from '../../functions/adapters/kubernetes/connect.ts';
import { secretToken } from '../../functions/adapters/kubernetes/secret-token.ts';
import type { Configuration } from '../../functions/core/configuration/configuration.ts';
import type { Secrets } from '../../functions/ports/secrets.ts';
import type { Runtime } from '../../functions/ports/time.ts';
import { product } from '../../functions/shell/product.ts';

/** A connection to each cluster of a configuration, by its name, with the tokens of its secrets. */
export function connectConfigured(
  configuration: Pick<Configuration, 'clusters'>,
  secrets: Secrets,
  runtime: Runtime,
): ReadonlyMap<string, ClusterConnection> {
  return new Map(
    configuration.clusters.map(({ name, api }) => [
      name,
      connectCluster({ ...api, token: secretToken(secrets, api.tokenSecret), userAgent: product, ...runtime }),
    ]),
  );
}
