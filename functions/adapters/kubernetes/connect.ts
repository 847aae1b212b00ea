import * as z from 'zod';
import type { ArgoCdSettings } from '../../core/configuration/argocd.ts';
import { forbiddenHost } from '../../core/configuration/outgoing-host.ts';
import { Misconfigured } from '../../core/text/errors.ts';
import type { ArgoCd } from '../../ports/argocd.ts';
import type { HealthChecks, ObjectReader, Pools, Renderings } from '../../ports/cluster.ts';
import type { NodeTurnPorts } from '../../ports/node-turns.ts';
import type { ObjectWriter, SequenceRecords } from '../../ports/sequences.ts';
import type { Clock } from '../../ports/time.ts';
import { clusterArgoCd } from './argocd.ts';
import { clusterHealthChecks } from './health-checks.ts';
import { createKubeClient, type KubeClient, type KubeClientOptions } from './kube-client.ts';
import { understand } from './metadata.ts';
import { clusterNodeTurns } from './node-turns.ts';
import { clusterReader } from './object-reader.ts';
import { clusterPools } from './pools.ts';
import { clusterRenderings } from './renderings.ts';
import { clusterObjectWriter, clusterSequenceRecords } from './sequences.ts';

export interface ClusterConnectionOptions extends KubeClientOptions {
  /** Time of each read. */
  readonly clock: Clock;
}

/** Everything that is read from and written to one cluster, over one connection pool. Created once per cold start. */
export interface ClusterConnection {
  readonly pools: Pools;
  readonly reader: ObjectReader;
  readonly renderings: Renderings;
  readonly healthChecks: HealthChecks;
  readonly sequenceRecords: SequenceRecords;
  readonly writer: ObjectWriter;
  readonly nodeTurns: NodeTurnPorts;
  argocd(settings: Pick<ArgoCdSettings, 'name' | 'namespaces' | 'controllerNamespace'>): ArgoCd;
  /** Version of Kubernetes, e.g. `v1.31.6`. Throws Transient. */
  readVersion(): Promise<string>;
  /** For what has no port of its own (doctor, manifests). */
  readonly client: KubeClient;
  /** Closes the connections; for CLI programs and tests. */
  close(): Promise<void>;
}

/** Opens no connection yet. Throws Misconfigured for a server that could be intercepted or impersonated (plain http and
 *  unverified certificates are for loopback only), and for an address that no API server can have. */
export function connectCluster(options: ClusterConnectionOptions): ClusterConnection {
  refuseUnsafe(options);
  const client = createKubeClient(options);
  return {
    pools: clusterPools(client),
    reader: clusterReader(client, options.clock),
    renderings: clusterRenderings(client),
    healthChecks: clusterHealthChecks(client),
    sequenceRecords: clusterSequenceRecords(client),
    writer: clusterObjectWriter(client),
    nodeTurns: clusterNodeTurns(client),
    argocd: (settings) => clusterArgoCd(client, settings),
    async readVersion() {
      return understand(z.object({ gitVersion: z.string() }), await client.get('/version'), '/version').gitVersion;
    },
    client,
    close: () => client.close(),
  };
}

function refuseUnsafe({ server, skipTLSVerify }: ClusterConnectionOptions): void {
  const url = URL.parse(server);
  if (url === null || !['https:', 'http:'].includes(url.protocol))
    throw new Misconfigured([`server ${server} is not an https:// URL`]);
  if (isLoopback(url.hostname)) return;
  const forbidden = forbiddenHost(url.hostname);
  if (forbidden !== undefined) throw new Misconfigured([`server ${url.host} ${forbidden}`]);
  const problems = [
    ...(url.protocol === 'http:' ? [`server ${server}: plain http is for loopback hosts only`] : []),
    ...(skipTLSVerify === true ? [`server ${server}: skipTLSVerify is for loopback hosts only, set ca instead`] : []),
  ];
  if (problems.length > 0) throw new Misconfigured(problems);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
