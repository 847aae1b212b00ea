import * as z from 'zod';
import type { KubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { isRequiredForUpgrade, type Pool } from '../../../functions/core/openshift/pool.ts';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { accessObjects } from '../../manifests/access.ts';
import { limitNames } from '../../manifests/admission-limit.ts';
import type { Account, KubeObject } from '../../manifests/kube-object.ts';
import { isOurs } from './disconnect-pools.ts';
import { GrantedRules } from './granted-rules.ts';
import { objectName, objectPath } from './object-path.ts';
import { pauseFirstBindings } from './pause-first-bindings.ts';
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

/** Pools that the account may pause now, but not any more with the chosen ones, where that would leave somebody waiting
 *  for good. */
export interface LostPools {
  /** Poolkeeper holds them, and nobody would resume them. */
  readonly held: readonly string[];
  /** The policy of level admission refuses their changes until they are paused, and nobody would pause them. */
  readonly refused: readonly string[];
}

/** None that another account of ours may pause. Throws Transient. */
export async function lostPools(
  client: Pick<KubeClient, 'get' | 'list'>,
  { account, pools, chosen }: LostQuestion,
): Promise<LostPools> {
  const rules = await pauseRules(client, account);
  const dropped = pools
    .filter(({ name }) => rules.some(({ resourceNames }) => resourceNames.length === 0 || resourceNames.includes(name)))
    .filter(({ name }) => !chosen.includes(name));
  if (dropped.length === 0) return { held: [], refused: [] };
  const isRefused = await pausedFirst(client, account);
  const held = dropped.filter(isOurs).map(({ name }) => name);
  const refused = dropped.filter(isRefused).map(({ name }) => name);
  if (held.length + refused.length === 0) return { held, refused };
  const isLimited = await poolLimits(client, pools);
  const asked = { pools: [...held, ...refused], isRefused: isLimited };
  const others = await pausedByOthers(client, account.namespace, asked);
  const isLost = (name: string) => !others.includes(name) && !isLimited(account.namespace, name);
  return { held: held.filter(isLost), refused: refused.filter(isLost) };
}

/** Which pools the bindings of level admission cover. */
async function pausedFirst(client: Pick<KubeClient, 'list'>, { namespace }: Account): Promise<(pool: Pool) => boolean> {
  const covered = (await pauseFirstBindings(client, namespace)).map(({ pool }) => pool);
  return (pool) => covered.includes(pool.name) || (covered.includes(undefined) && !isRequiredForUpgrade(pool));
}

interface LostQuestion {
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
    `--observe: the account may pause pools here, by ${objectName(binding)}; poolkeeper disconnect lets them go and takes that away first`,
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
