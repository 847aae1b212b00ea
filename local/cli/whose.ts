import * as z from 'zod';
import type { KubeClient } from '../../functions/adapters/kubernetes/kube-client.ts';
import { isUnserved } from '../../functions/adapters/kubernetes/refusal.ts';
import { Transient } from '../../functions/core/text/errors.ts';
import { listed } from '../../functions/core/text/phrases.ts';
import { roleName } from '../manifests/access.ts';
import { ourLabels } from '../manifests/kube-object.ts';
import { accountName } from '../manifests/manifests.ts';
import { GrantedRules } from './granted-rules.ts';

/** Which installations of Poolkeeper on a cluster have the right to something, and so may have written it. */
export type Whose = 'ours' | 'theirs' | 'either' | 'nobodys';

/** What on a cluster is whose, as far as rights tell: records say nothing of the installation that keeps them, or
 *  nothing that is known here. */
export interface Shares {
  pool(name: string): Whose;
  /** What accounts change in a namespace by one of their roles with these endings. */
  inNamespace(namespace: string, suffixes: readonly string[]): Whose;
  /** There is no other installation. */
  readonly isSole: boolean;
  /** The others, for people. */
  readonly others: string;
}

/** Of a cluster with one installation: whatever rights it still has. */
const allOurs: Shares = { pool: () => 'ours', inNamespace: () => 'ours', isSole: true, others: '' };

const Roles = z.array(
  z.object({
    metadata: z.object({ name: z.string(), namespace: z.string().optional() }),
    rules: GrantedRules.nullish(),
  }),
);
type Role = z.infer<typeof Roles>[number];

/** Reads the roles of every installation. Throws Transient.
 *  @param homes namespaces of the other accounts; undefined: not known, and any role that is not ours is another's */
export async function readShares(
  client: Pick<KubeClient, 'list'>,
  namespace: string,
  homes: readonly string[] | undefined,
): Promise<Shares> {
  if (homes?.length === 0) return allOurs;
  const clusterRoles = await rolesOf(client, 'clusterroles');
  const roles = await rolesOf(client, 'roles');
  const nameIn = (home: string, suffix: string) => roleName({ namespace: home, name: accountName }, suffix);
  const isOurs = ({ metadata }: Role, suffix: string) => metadata.name === nameIn(namespace, suffix);
  const isTheirs = (role: Role, suffix: string) =>
    homes === undefined
      ? !isOurs(role, suffix) && role.metadata.name.endsWith(`${accountName}-${suffix}`)
      : homes.some((home) => role.metadata.name === nameIn(home, suffix));
  return {
    pool(name) {
      const covering = clusterRoles.filter((role) => mayPause(role, name));
      return whose({
        ours: covering.some((role) => isOurs(role, 'pause')),
        theirs: covering.some((role) => isTheirs(role, 'pause')),
      });
    },
    inNamespace(place, suffixes) {
      const here = roles.filter(({ metadata }) => metadata.namespace === place);
      return whose({
        ours: place === namespace || suffixes.some((suffix) => here.some((role) => isOurs(role, suffix))),
        theirs:
          homes?.includes(place) === true || suffixes.some((suffix) => here.some((role) => isTheirs(role, suffix))),
      });
    },
    isSole: false,
    others: homes === undefined ? 'another Poolkeeper' : `the Poolkeeper in namespace ${listed(homes)}`,
  };
}

/** Names of the pools that an account in another namespace may pause, of these. Throws Transient. */
export async function pausedByOthers(
  client: Pick<KubeClient, 'list'>,
  namespace: string,
  pools: readonly string[],
): Promise<readonly string[]> {
  const { pool } = await readShares(client, namespace, undefined);
  return pools.filter((name) => ['theirs', 'either'].includes(pool(name)));
}

function whose({ ours, theirs }: { readonly ours: boolean; readonly theirs: boolean }): Whose {
  if (ours) return theirs ? 'either' : 'ours';
  return theirs ? 'theirs' : 'nobodys';
}

function mayPause({ rules }: Role, pool: string): boolean {
  return (rules ?? []).some(
    ({ resources, resourceNames, verbs }) =>
      resources.includes('machineconfigpools') &&
      verbs.includes('patch') &&
      (resourceNames.length === 0 || resourceNames.includes(pool)),
  );
}

async function rolesOf(client: Pick<KubeClient, 'list'>, plural: 'clusterroles' | 'roles'): Promise<readonly Role[]> {
  const labelSelector = Object.entries(ourLabels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  try {
    const path = `/apis/rbac.authorization.k8s.io/v1/${plural}`;
    return Roles.parse(await client.list(path, { query: { labelSelector }, pageSize: 100 }));
  } catch (cause) {
    if (cause instanceof Transient && isUnserved(cause)) return [];
    throw cause;
  }
}

/** What is ours, and what is left for others or for want of knowing. */
export interface Divided<T> {
  readonly ours: readonly T[];
  /** Lines about what somebody has to decide about. */
  readonly stays: readonly string[];
  /** Lines about what others go on with. */
  readonly theirs: readonly string[];
}

/** @param whoseIs of each
 *  @param said what each is, for people */
export function divided<T>(items: readonly T[], { whoseIs, said, shares: { others } }: Division<T>): Divided<T> {
  const of = (wanted: Whose) => items.filter((item) => whoseIs(item) === wanted);
  return {
    ours: of('ours'),
    stays: [
      ...of('either').map(
        (item) => `${said(item)}: stays as it is, because ${others} has the right to it, too, and may have written it`,
      ),
      ...of('nobodys').map((item) => `${said(item)}: stays as it is, because no account here has the right to it`),
    ],
    theirs: of('theirs').map((item) => `${said(item)}: stays as it is, with ${others}`),
  };
}

interface Division<T> {
  readonly whoseIs: (item: T) => Whose;
  readonly said: (item: T) => string;
  readonly shares: Shares;
}
