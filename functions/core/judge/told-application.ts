import { type ApplicationRef, type ObservedApplication, refOf } from '../argocd/application.ts';
import { ref } from '../findings/make-finding.ts';
import type { ObjectRef } from '../findings/trouble.ts';
import { applicationOfHold } from '../openshift/hold.ts';
import type { Pool } from '../openshift/pool.ts';
import { holdsOf } from '../openshift/pool-record.ts';
import { type Observed, seenValue } from '../text/observed.ts';

/** Where Applications of one name may be found. */
export interface Known {
  readonly pools: Observed<readonly { readonly pool: Pool }[]>;
  /** Applications that deploy to the cluster. */
  readonly known: Observed<readonly { readonly ref: ApplicationRef }[]>;
  readonly applications: readonly ObservedApplication[];
}

/** An Application as people are told of it: `<namespace>/<name>`, and of which Argo CD where more than one has an
 *  Application of that name. Whoever ends or starts its sync must not do so to the other. */
export function toldName(of: ApplicationRef, known: Known): string {
  const name = nameOf(of);
  return hasNamesake(of, known) ? `${name} of Argo CD ${of.argocd}` : name;
}

/** The same of the Application of a sync hold, by the hold's id; the id itself, if it is no sync hold's. */
export function toldHold(id: string, known: Known): string {
  const of = applicationOfHold(id);
  return of === undefined ? id : toldName(of, known);
}

/** For the title of a command that names only namespace and name: ` in Argo CD hub`, where that fits another one, too;
 *  otherwise empty. */
export function inArgoCd(of: ApplicationRef, known: Known): string {
  return hasNamesake(of, known) ? ` in Argo CD ${of.argocd}` : '';
}

/** It as what a finding is about: that the sync of its namesake fails as well is news. */
export function applicationRef(of: ApplicationRef, known: Known): ObjectRef {
  const object = ref('Application', of.name, of.namespace);
  return hasNamesake(of, known) ? { ...object, argocd: of.argocd } : object;
}

function hasNamesake(of: ApplicationRef, known: Known): boolean {
  return [...(instancesOf(known).get(nameOf(of)) ?? [])].some((argocd) => argocd !== of.argocd);
}

function nameOf({ namespace, name }: Pick<ApplicationRef, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}

type Instances = ReadonlyMap<string, ReadonlySet<string>>;

const found = new WeakMap<Known, Instances>();

/** The Argo CD instances that have an Application of each name, of those that deploy to the cluster or hold a pool of
 *  it. */
function instancesOf(known: Known): Instances {
  const instances = found.get(known) ?? findInstances(known);
  found.set(known, instances);
  return instances;
}

function findInstances({ pools, known, applications }: Known): Instances {
  const refs = [
    ...(seenValue(known) ?? []).map((each) => each.ref),
    ...(seenValue(pools) ?? []).flatMap(({ pool }) => holdsOf(pool).flatMap(({ id }) => applicationOfHold(id) ?? [])),
    ...applications.map(refOf),
  ];
  const instances = new Map<string, Set<string>>();
  for (const each of refs) instances.set(nameOf(each), (instances.get(nameOf(each)) ?? new Set()).add(each.argocd));
  return instances;
}
