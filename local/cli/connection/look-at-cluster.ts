import * as z from 'zod';
import type { ClusterConnection } from '../../../functions/adapters/kubernetes/connect.ts';
import { isRequiredForUpgrade, type Pool } from '../../../functions/core/openshift/pool.ts';
import { Misconfigured, Transient } from '../../../functions/core/text/errors.ts';
import { type FoundArgoCd, findArgoCd } from '../../run/find-argocd.ts';

/** The facts about a cluster that connecting to it depends on. */
export interface ClusterSight {
  /** Address of its API server. */
  readonly server: string;
  readonly kubernetes: string;
  /** Undefined: no ClusterVersion, or we may not read it. */
  readonly openshift: string | undefined;
  readonly pools: readonly Pool[];
  /** ValidatingAdmissionPolicies are served (Kubernetes >= 1.30). */
  readonly limitsAdmission: boolean;
  /** Who signs tokens of service accounts, by default also the API server's audience; undefined: it does not say. */
  readonly issuer: string | undefined;
  /** Undefined: the cluster does not have Argo CD's kinds. */
  readonly argocd: FoundArgoCd | undefined;
}

const Version = z.object({ status: z.object({ desired: z.object({ version: z.string() }) }) });

/** Throws Misconfigured for a cluster without pools, Transient if it does not answer. */
export async function lookAtCluster(connection: ClusterConnection, server: string): Promise<ClusterSight> {
  const { client } = connection;
  const kubernetes = await connection.readVersion();
  const group = '/apis/machineconfiguration.openshift.io/v1';
  if ((await client.get(group, { mayBeUnserved: true })) === undefined) {
    throw new Misconfigured([
      'this cluster has no MachineConfigPools. Hosted control planes (HyperShift, ROSA HCP) have NodePools instead, and other Kubernetes has neither: there is nothing to pause here',
    ]);
  }
  return {
    server,
    kubernetes,
    openshift: await openshiftVersion(connection),
    pools: (await connection.pools.listPools()).items,
    limitsAdmission: await servesPolicies(connection),
    issuer: await tokenIssuer(connection),
    argocd: await findArgoCd(client),
  };
}

async function openshiftVersion({ client }: ClusterConnection): Promise<string | undefined> {
  try {
    const path = '/apis/config.openshift.io/v1/clusterversions/version';
    const read = Version.safeParse(await client.get(path, { mayBeUnserved: true }));
    return read.success ? read.data.status.desired.version : undefined;
  } catch (cause) {
    // Only shown; a person who may not read it can still connect.
    if (cause instanceof Transient && cause.kind === 'forbidden') return undefined;
    throw cause;
  }
}

const Discovery = z.object({ issuer: z.string() });

/** A cluster with tokens for a cloud's identity service has an issuer of its own. */
async function tokenIssuer({ client }: ClusterConnection): Promise<string | undefined> {
  try {
    const read = Discovery.safeParse(await client.get('/.well-known/openid-configuration', { mayBeUnserved: true }));
    return read.success ? read.data.issuer : undefined;
  } catch (cause) {
    if (cause instanceof Transient && cause.kind === 'forbidden') return undefined;
    throw cause;
  }
}

const Resources = z.object({ resources: z.array(z.object({ name: z.string() })) });

async function servesPolicies({ client }: ClusterConnection): Promise<boolean> {
  const served = Resources.safeParse(
    await client.get('/apis/admissionregistration.k8s.io/v1', { mayBeUnserved: true }),
  );
  return served.success && served.data.resources.some(({ name }) => name === 'validatingadmissionpolicies');
}

/** The pools that Poolkeeper may pause: those named, else all that no cluster upgrade waits for. Throws Misconfigured
 *  for an unknown name. */
export function choosePools(pools: readonly Pool[], named: readonly string[]): readonly string[] {
  const known = pools.map(({ name }) => name);
  const unknown = named.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new Misconfigured([
      `--pools: there is no pool ${unknown.join(', ')}; the cluster has ${known.join(', ') || 'none'}`,
    ]);
  if (named.length > 0) return named;
  return pools
    .filter((pool) => !isRequiredForUpgrade(pool))
    .map(({ name }) => name)
    .toSorted();
}
