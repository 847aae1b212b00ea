import * as z from 'zod';
import type { KubeClient } from '../../functions/adapters/kubernetes/kube-client.ts';
import type { Pool } from '../../functions/core/openshift/pool.ts';
import { Misconfigured } from '../../functions/core/text/errors.ts';
import { accessObjects, roleName } from '../manifests/access.ts';
import { limitNames } from '../manifests/admission-limit.ts';
import type { Account, KubeObject } from '../manifests/kube-object.ts';
import { isOurs } from './disconnect-pools.ts';
import { GrantedRules } from './granted-rules.ts';
import { objectName, objectPath } from './object-path.ts';
import { poolLimits } from './pool-limits.ts';
import { pausedByOthers } from './whose.ts';

const Granted = z.object({ rules: GrantedRules.default([]) });

/** Whether one of the roles of these objects has the right to patch Applications on the cluster already, which
 *  `manifests` grants for level guard and to retry refused syncs, beside the policy that limits it. Connecting again
 *  would take it away. Throws Transient. */
export async function patchesApplications(
  client: Pick<KubeClient, 'get'>,
  { objects, namespace, limits }: PatchQuestion,
): Promise<boolean> {
  if (limits && (await client.get(objectPath(limitOf(namespace)))) === undefined) return false;
  const roles = objects.filter(({ kind }) => kind === 'Role');
  const granted = await Promise.all(roles.map((role) => client.get(objectPath(role), { mayBeUnserved: true })));
  return granted.some((role) =>
    Granted.safeParse(role).data?.rules.some(
      ({ resources, verbs }) => resources.includes('applications') && verbs.includes('patch'),
    ),
  );
}

/** The pools that the account may pause already, by name. Connecting again without naming them, as for a new token,
 *  would take those away that upgrades wait for, and what is held there could not be resumed. Throws Transient. */
export async function keptPools(client: Pick<KubeClient, 'get'>, account: Account): Promise<readonly string[]> {
  return (await pauseRules(client, account)).flatMap(({ resourceNames }) => resourceNames);
}

async function pauseRules(client: Pick<KubeClient, 'get'>, account: Account): Promise<z.infer<typeof GrantedRules>> {
  const role = pausing('ClusterRole', account);
  const stored = role === undefined ? undefined : await client.get(objectPath(role), { mayBeUnserved: true });
  const granted = Granted.safeParse(stored).data;
  return (granted?.rules ?? []).filter(
    ({ resources, verbs }) => resources.includes('machineconfigpools') && verbs.includes('patch'),
  );
}

/** The pools that Poolkeeper holds and that the account may pause now, but not any more with the chosen ones: nobody
 *  would resume them, unless another account of ours may. Throws Transient. */
export async function heldAndLost(
  client: Pick<KubeClient, 'get' | 'list'>,
  { account, pools, chosen }: HeldQuestion,
): Promise<readonly string[]> {
  const rules = await pauseRules(client, account);
  const lost = pools
    .filter(isOurs)
    .map(({ name }) => name)
    .filter((name) => rules.some(({ resourceNames }) => resourceNames.length === 0 || resourceNames.includes(name)))
    .filter((name) => !chosen.includes(name));
  if (lost.length === 0) return [];
  const isRefused = await poolLimits(client, pools);
  const others = await pausedByOthers(client, account.namespace, { pools: lost, isRefused });
  return lost.filter((name) => !others.includes(name) && !isRefused(roleName(account, 'pause'), name));
}

interface HeldQuestion {
  readonly account: Account;
  readonly pools: readonly Pool[];
  /** That the account may pause from now on. */
  readonly chosen: readonly string[];
}

/** What lets the account pause, as connecting makes it. */
function pausing(wanted: 'ClusterRole' | 'ClusterRoleBinding', account: Account): KubeObject | undefined {
  const given = accessObjects({ account, pauses: true, pools: [], argocdNamespaces: [] });
  return given.find(({ kind, metadata }) => kind === wanted && metadata.name.endsWith('-pause'));
}

/** Throws Misconfigured where the account may pause pools already: reading only would not take that right away, and
 *  pools that are held would stay paused. Throws Transient. */
export async function requireNoPausing(client: Pick<KubeClient, 'get'>, account: Account): Promise<void> {
  const binding = pausing('ClusterRoleBinding', account);
  if (binding === undefined || (await client.get(objectPath(binding))) === undefined) return;
  throw new Misconfigured([
    `--observe: the account may pause pools here, by ${objectName(binding)}; npx poolkeeper disconnect lets them go and takes that away first`,
  ]);
}

interface PatchQuestion {
  /** As connecting makes them. */
  readonly objects: readonly KubeObject[];
  /** Of the account. */
  readonly namespace: string;
  /** The cluster has admission policies: without one, the right is more than it should be. */
  readonly limits: boolean;
}

function limitOf(namespace: string): KubeObject {
  const metadata = { name: `${namespace}-${limitNames.applications}` };
  return { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicy', metadata };
}
