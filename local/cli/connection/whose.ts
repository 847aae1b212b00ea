import type { KubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { listed } from '../../../functions/core/text/phrases.ts';
import { unique } from '../../../functions/core/text/unique.ts';
import { roleName } from '../../manifests/access.ts';
import { accountName } from '../../manifests/manifests.ts';
import { otherAccounts, unreadText } from './accounts-elsewhere.ts';
import {
  type GrantedRights,
  grantedRights,
  homesOf,
  placeOf,
  roleNames,
  rolesGranted,
  writesIn,
  writesPool,
} from './granted-rights.ts';
import type { IsRefused } from './pool-limits.ts';

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

type Role = GrantedRights['roles'][number];

/** By the roles of every installation. Throws Misconfigured where another is there and roles cannot be listed.
 *  @param homes namespaces of the other accounts; undefined: not known, and any role that is not ours is another's
 *  @param isRefused what a policy takes from an account; absent: nothing */
export function sharesOf(rights: GrantedRights, { namespace, homes, isRefused = () => false }: Sharing): Shares {
  if (homes?.length === 0) return allOurs;
  const [refused] = rights.unread;
  if (refused !== undefined) {
    // Whoever may list neither accounts nor roles is told so.
    if (homes === undefined) return allOurs;
    throw new Misconfigured([unreadText(homes, refused)]);
  }
  const clusterRoles = rights.roles.filter(({ object }) => object.kind === 'ClusterRole');
  const roles = rights.roles.filter(({ object }) => object.kind === 'Role');
  const nameIn = (home: string, suffix: string) => roleName({ namespace: home, name: accountName }, suffix);
  const isOurs = ({ object }: Role, suffix: string) => object.metadata.name === nameIn(namespace, suffix);
  // A role of others that nothing binds is a remnant.
  const bound = new Set(
    rights.bindings.flatMap(({ object, grants }) => [
      placeOf(object),
      ...(object.kind === 'ClusterRoleBinding' ? [`/${grants}`] : []),
    ]),
  );
  const isTheirs = (role: Role, suffix: string) =>
    bound.has(placeOf(role.object)) &&
    (homes === undefined
      ? !isOurs(role, suffix) && role.object.metadata.name.endsWith(`${accountName}-${suffix}`)
      : homes.some((home) => role.object.metadata.name === nameIn(home, suffix)));
  const own = pausingIn(rights, namespace);
  const others = (homes ?? homesByRole(rights, namespace)).map((home) => pausingIn(rights, home));
  return {
    pool(name) {
      const covering = clusterRoles.filter(({ rules }) => rules.some((rule) => writesPool(rule, name)));
      const may = ({ home, named, granted }: Pausing, isOwn: (role: Role) => boolean) =>
        !isRefused(home, name) &&
        covering.some(
          (role) => granted.has(role.object.metadata.name) || (named.has(role.object.metadata.name) && isOwn(role)),
        );
      return whose({
        // Its bindings go first.
        ours: may(own, () => true),
        theirs: others.some((each) => may(each, (role) => bound.has(placeOf(role.object)))),
      });
    },
    inNamespace: remembered((place, suffixes) => {
      const here = roles.filter(({ object }) => object.metadata.namespace === place);
      return whose({
        ours: place === namespace || suffixes.some((suffix) => here.some((role) => isOurs(role, suffix))),
        theirs:
          homes?.includes(place) === true ||
          suffixes.some((suffix) => here.some((role) => isTheirs(role, suffix))) ||
          others.some(({ home }) => writesIn(rights, home, place)),
      });
    }),
    isSole: false,
    others: homes === undefined ? 'another Poolkeeper' : `the Poolkeeper in namespace ${listed(homes)}`,
  };
}

/** There may be thousands of Jobs in a namespace, and of rights on a cluster. */
function remembered(look: Shares['inNamespace']): Shares['inNamespace'] {
  const known = new Map<string, Whose>();
  return (place, suffixes) => {
    const key = [place, ...suffixes].join('/');
    const found = known.get(key) ?? look(place, suffixes);
    known.set(key, found);
    return found;
  };
}

/** Names of the ClusterRoles by which an account may pause. */
interface Pausing {
  /** Its namespace. */
  readonly home: string;
  /** As they are printed. */
  readonly named: ReadonlySet<string>;
  /** As a tool or somebody else has named them, too. */
  readonly granted: ReadonlySet<string>;
}

function pausingIn(rights: GrantedRights, home: string): Pausing {
  return { home, named: roleNames(home), granted: rolesGranted(rights, home) };
}

/** Namespaces of the other installations where their accounts cannot be listed, also of one whose role alone has the
 *  name of ours. */
function homesByRole(rights: GrantedRights, namespace: string): readonly string[] {
  const ending = `-${accountName}-pause`;
  const named = rights.roles.flatMap(({ object: { metadata } }) =>
    `-${metadata.name}`.endsWith(ending) ? `-${metadata.name}`.slice(1, -ending.length) || accountName : [],
  );
  return unique([...homesOf(rights), ...named]).filter((home) => home !== namespace);
}

/** What was, and is now, ours alone, where an account may have come or gone since it was planned. */
export function oursInBoth(planned: Shares, now: Shares): Shares {
  if (now.isSole) return planned;
  return {
    pool: (name) => both(planned.pool(name), now.pool(name)),
    inNamespace: (place, suffixes) => both(planned.inNamespace(place, suffixes), now.inNamespace(place, suffixes)),
    isSole: false,
    others: now.others,
  };
}

function both(planned: Whose, now: Whose): Whose {
  return planned === 'ours' ? now : planned;
}

interface Sharing {
  readonly namespace: string;
  readonly homes: readonly string[] | undefined;
  readonly isRefused?: IsRefused;
}

/** Names of the pools that an account in another namespace may pause, of these. Throws Transient. */
export async function pausedByOthers(
  client: Pick<KubeClient, 'list'>,
  namespace: string,
  { pools, isRefused }: { readonly pools: readonly string[]; readonly isRefused: IsRefused },
): Promise<readonly string[]> {
  const rights = await grantedRights(client);
  const { homes } = await otherAccounts(client, { namespace, rights });
  if (homes?.length === 0 || rights.unread.length > 0) return [];
  const { pool } = sharesOf(rights, { namespace, homes, isRefused });
  return pools.filter((name) => ['theirs', 'either'].includes(pool(name)));
}

function whose({ ours, theirs }: { readonly ours: boolean; readonly theirs: boolean }): Whose {
  if (ours) return theirs ? 'either' : 'ours';
  return theirs ? 'theirs' : 'nobodys';
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
