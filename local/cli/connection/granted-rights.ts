import * as z from 'zod';
import type { KubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { isUnserved } from '../../../functions/adapters/kubernetes/refusal.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { unique } from '../../../functions/core/text/unique.ts';
import { accessObjects } from '../../manifests/access.ts';
import type { KubeObject } from '../../manifests/kube-object.ts';
import { accountName } from '../../manifests/manifests.ts';
import { hasOurLabels } from './apply-objects.ts';
import { GrantedRules } from './granted-rules.ts';

/** A role or a binding. */
interface Right {
  readonly object: KubeObject;
  readonly hasOurLabels: boolean;
  /** Of a role. */
  readonly rules: GrantedRules;
  /** Namespaces of the accounts with our account's name that a binding names. */
  readonly homes: readonly string[];
  /** Namespaces of all whose accounts a binding names. */
  readonly groups: readonly string[];
  /** Name of the ClusterRole of a binding. */
  readonly grants: string | undefined;
  /** Place of the Role of a binding. */
  readonly grantsIn: string | undefined;
}

/** The roles and bindings of a cluster, in every namespace: which ones have something of Poolkeeper is in no file that
 *  is here for certain. */
export interface GrantedRights {
  readonly roles: readonly Right[];
  readonly bindings: readonly Right[];
  /** What could not be listed, in the API server's words. */
  readonly unread: readonly string[];
}

const Stored = z.object({
  metadata: z.object({ name: z.string(), namespace: z.string().optional() }),
  rules: GrantedRules.nullish(),
  subjects: z.array(z.object({ kind: z.string(), name: z.string(), namespace: z.string().optional() })).nullish(),
  roleRef: z.object({ kind: z.string(), name: z.string() }).optional(),
});
type Subject = NonNullable<z.infer<typeof Stored>['subjects']>[number];

const apiVersion = 'rbac.authorization.k8s.io/v1';

/** Not by label: whoever deploys what was printed may have given it one of their own. Throws Transient, also where one
 *  of the kinds is answered by 404 and another is not: all of them are served together, and that is the answer of
 *  something in between, to which an installation would be one without rights. */
export async function grantedRights(client: Pick<KubeClient, 'list'>): Promise<GrantedRights> {
  const unread: string[] = [];
  const unserved: Transient[] = [];
  const of = async (kind: string): Promise<readonly Right[]> => {
    try {
      const found = await client.list(`/apis/${apiVersion}/${kind.toLowerCase()}s`, { pageSize: 250 });
      return z
        .array(z.unknown())
        .parse(found)
        .map((stored) => rightOf(kind, stored));
    } catch (cause) {
      if (!(cause instanceof Transient)) throw cause;
      if (cause.kind === 'forbidden') unread.push(cause.message);
      else if (isUnserved(cause)) unserved.push(cause);
      else throw cause;
      return [];
    }
  };
  const bindings = [...(await of('ClusterRoleBinding')), ...(await of('RoleBinding'))];
  const roles = [...(await of('ClusterRole')), ...(await of('Role'))];
  const [first] = unserved;
  if (first !== undefined && unserved.length < 4) throw first;
  return { roles, bindings, unread };
}

function rightOf(kind: string, stored: unknown): Right {
  const { metadata, rules, subjects, roleRef } = Stored.parse(stored);
  const { name, namespace } = metadata;
  return {
    object: { apiVersion, kind, metadata: namespace === undefined ? { name } : { name, namespace } },
    hasOurLabels: hasOurLabels(stored),
    rules: rules ?? [],
    homes: (subjects ?? []).flatMap(homeOf),
    groups: (subjects ?? []).flatMap((each) => (each.kind === 'Group' ? between(each.name, groupPrefix, '') : [])),
    grants: roleRef?.kind === 'ClusterRole' ? roleRef.name : undefined,
    grantsIn: roleRef?.kind === 'Role' ? `${namespace}/${roleRef.name}` : undefined,
  };
}

const groupPrefix = 'system:serviceaccounts:';

/** Of an account with the name of ours, also where it is named as a user. */
function homeOf({ kind, name, namespace = '' }: Subject): readonly string[] {
  if (kind === 'User') return between(name, 'system:serviceaccount:', `:${accountName}`);
  return kind === 'ServiceAccount' && name === accountName && namespace !== '' ? [namespace] : [];
}

function between(text: string, start: string, end: string): readonly string[] {
  const isSo = text.startsWith(start) && text.endsWith(end) && text.length > start.length + end.length;
  return isSo ? [text.slice(start.length, text.length - end.length)] : [];
}

/** Of the roles and bindings of the installation in a namespace, as they are printed or made. */
export function roleNames(namespace: string): ReadonlySet<string> {
  const some = { everywhere: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get'] }], byNamespace: new Map() };
  const all = accessObjects({
    ...{ account: { namespace, name: accountName }, pauses: true, pools: [], readsLogs: true },
    ...{ argocdNamespaces: [namespace], guardsIn: namespace, pausesHealthChecks: true, sequences: some, runs: some },
  });
  return new Set(all.filter(({ kind }) => kind.endsWith('Role')).map(({ metadata }) => metadata.name));
}

/** What is the installation's in this namespace, the bindings first: by its name, and by our label or our account.
 *  A role without our label is known by its binding. */
export function rightsOf({ roles, bindings }: GrantedRights, namespace: string): readonly KubeObject[] {
  const names = roleNames(namespace);
  const isNamed = ({ object }: Right) => names.has(object.metadata.name);
  const bound = bindings.filter((each) => isNamed(each) && (each.hasOurLabels || each.homes.includes(namespace)));
  const places = new Set(bound.map(({ object }) => placeOf(object)));
  const granting = roles.filter((each) => isNamed(each) && (each.hasOurLabels || places.has(placeOf(each.object))));
  return [...bound, ...granting].map(({ object }) => object);
}

/** By which a role and the binding of its name are one right. */
export function placeOf({ metadata: { name, namespace = '' } }: KubeObject): string {
  return `${namespace}/${name}`;
}

/** Namespaces of the accounts that bindings of ours name, or that may pause pools by a role for these of any name,
 *  whether they are there or not. Every installation has some of the whole cluster; those of a namespace are made by
 *  whoever administers it. */
export function homesOf(rights: GrantedRights): readonly string[] {
  const pausing = pausingRoles(rights, namesPools);
  const ofCluster = rights.bindings.filter(({ object }) => object.kind === 'ClusterRoleBinding');
  const all = ofCluster.flatMap(({ object, homes, grants = '' }) =>
    homes.filter((home) => pausing.has(grants) || roleNames(home).has(object.metadata.name)),
  );
  return unique(all).toSorted();
}

/** Names of the ClusterRoles with a right to pools. */
function pausingRoles({ roles }: GrantedRights, isOne = writesPools): ReadonlySet<string> {
  const pausing = roles.filter(({ object, rules }) => object.kind === 'ClusterRole' && rules.some(isOne));
  return new Set(pausing.map(({ object }) => object.metadata.name));
}

/** The bindings by which the account may pause and resume pools, whoever made them: pools are no objects of a
 *  namespace, so a RoleBinding gives no right to them. */
export function pausingBindings(rights: GrantedRights, namespace: string): readonly KubeObject[] {
  const pausing = pausingRoles(rights);
  return bindingsFor(rights, namespace)
    .filter(({ grants }) => grants !== undefined && pausing.has(grants))
    .map(({ object }) => object);
}

/** Names of the ClusterRoles that the account has on the whole cluster, whoever made them. */
export function rolesGranted(rights: GrantedRights, namespace: string): ReadonlySet<string> {
  return new Set(bindingsFor(rights, namespace).flatMap(({ grants }) => grants ?? []));
}

/** Whether the account may change things in the namespace by a binding of another name than its own ones have, as a
 *  tool may give them. */
export function writesIn({ roles, bindings }: GrantedRights, home: string, place: string): boolean {
  const names = roleNames(home);
  const granted = bindings
    .filter(({ object: { kind, metadata } }) => kind === 'RoleBinding' && metadata.namespace === place)
    .filter(({ object, homes, groups }) => [...homes, ...groups].includes(home) && !names.has(object.metadata.name))
    .flatMap(({ grants, grantsIn }) => grantsIn ?? (grants === undefined ? [] : `/${grants}`));
  return roles.some(({ object, rules }) => granted.includes(placeOf(object)) && rules.some(isWrite));
}

/** What an installation writes wherever it reads Applications is nothing that disconnecting another one lets go. */
function isWrite({ resources, verbs }: GrantedRules[number]): boolean {
  const isRead = verbs.every((verb) => ['get', 'list', 'watch'].includes(verb));
  return !isRead && !resources.every((each) => ['applications', 'events', 'serviceaccounts/token'].includes(each));
}

/** Of the whole cluster. */
function bindingsFor({ bindings }: GrantedRights, namespace: string): readonly Right[] {
  return bindings.filter(
    ({ object, homes, groups }) => object.kind === 'ClusterRoleBinding' && [...homes, ...groups].includes(namespace),
  );
}

/** Whether a rule has the right to pause this pool. */
export function writesPool(rule: GrantedRules[number], pool: string): boolean {
  return writesPools(rule) && (rule.resourceNames.length === 0 || rule.resourceNames.includes(pool));
}

function writesPools({ apiGroups, resources, verbs }: GrantedRules[number]): boolean {
  const has = (all: readonly string[], ...wanted: readonly string[]) =>
    all.includes('*') || wanted.some((each) => all.includes(each));
  return (
    has(apiGroups, 'machineconfiguration.openshift.io') &&
    has(resources, 'machineconfigpools') &&
    has(verbs, 'patch', 'update')
  );
}

/** As roles of an installation do, by whatever name: whoever may do everything, as a pipeline, is none for that. */
function namesPools(rule: GrantedRules[number]): boolean {
  return writesPools(rule) && rule.resources.includes('machineconfigpools');
}

/** Bindings that give the account rights, and that no installation makes. */
export function foreignBindings({ bindings }: GrantedRights, namespace: string): readonly KubeObject[] {
  const names = roleNames(namespace);
  return bindings
    .filter((each) => each.homes.includes(namespace) && !names.has(each.object.metadata.name))
    .filter((each) => !(each.hasOurLabels && each.object.metadata.namespace === namespace))
    .map(({ object }) => object);
}
