import {
  type Application,
  type ApplicationRef,
  isSameApplication,
  type ObservedApplication,
  refOf,
} from '../../core/argocd/application.ts';
import { clusterOf } from '../../core/argocd/destination.ts';
import type { ArgoCdSettings } from '../../core/configuration/argocd.ts';
import { type Listed, namedItems } from '../../core/findings/listed.ts';
import type { Snapshot } from '../../core/holds/snapshot.ts';
import { syncHoldId } from '../../core/openshift/hold.ts';
import { type Route, routeOf, type SetRoute } from '../../core/routing/route.ts';
import { byName } from '../../core/text/by-name.ts';
import { Transient } from '../../core/text/errors.ts';
import type { ArgoCd } from '../../ports/argocd.ts';
import type { KnownName, Routes, StoredRoutes } from '../../ports/tables.ts';
import type { KeepPorts } from '../keep-ports.ts';
import { askNames, routesWithNames, setsWithNames } from './repository-names.ts';
import type { Scope } from './scope.ts';

/** The routing table of an instance; undefined when there is none or it cannot be read: then the Applications are
 *  listed. */
export async function loadRoutes(
  argocd: string,
  { routes, logger }: Pick<KeepPorts, 'routes' | 'logger'>,
): Promise<StoredRoutes | undefined> {
  try {
    return await routes.load(argocd);
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    logger.warn('the routing table could not be read', { argocd, why: cause.message });
    return undefined;
  }
}

/** The routes of all Applications of an instance. One that cannot be parsed or listed now keeps the route that it
 *  had. */
export function routesOf(
  { items, unreadable }: Listed<Application>,
  { settings, stored }: { readonly settings: ArgoCdSettings; readonly stored: StoredRoutes | undefined },
): readonly Route[] {
  const own = items.map((application) => routeOf(application, clusterOf(application, settings) ?? ''));
  const routes = routesWithNames(own, stored?.names ?? []);
  if (unreadable.length === 0) return routes;
  const before = new Map(stored?.routes.map((route) => [syncHoldId(route.ref), route]));
  const kept = namedItems(unreadable, stored?.routes).map(({ namespace, name }) => {
    const ref = { argocd: settings.name, namespace, name };
    return before.get(syncHoldId(ref)) ?? unknownRoute(ref);
  });
  return [...routes, ...kept];
}

/** Of an Application that was never parsed. No push concerns it; it counts as one of those that are listed. */
function unknownRoute(ref: ApplicationRef): Route {
  return {
    ref,
    uid: '',
    cluster: '',
    sources: [],
    generatePaths: undefined,
    automated: false,
    renders: false,
    children: [],
  };
}

/** The ApplicationSets of an instance; `isComplete` is false if they could not be listed now. */
export interface ListedSets extends Listed<SetRoute> {
  readonly isComplete: boolean;
}

/** The ApplicationSets of an instance; if they cannot be listed now, those of the last successful list. One that cannot
 *  be parsed now is as it was. */
export async function listSets(
  argocd: Pick<ArgoCd, 'name' | 'listApplicationSets'>,
  stored: StoredRoutes | undefined,
  { logger, routes }: KeepPorts,
): Promise<ListedSets> {
  try {
    const { items, unreadable } = await argocd.listApplicationSets();
    const known = stored?.sets ?? [];
    const named = namedItems(unreadable, known);
    const invalid = new Set(named.map(({ namespace, name }) => `${namespace}/${name}`));
    const before = known.filter(({ ref }) => invalid.has(`${ref.namespace}/${ref.name}`));
    return { items: [...setsWithNames(items, stored?.names ?? []), ...before], unreadable, isComplete: true };
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    const logged = loggedForbidden.get(routes) ?? new Set<string>();
    if (cause.kind !== 'forbidden' || !logged.has(argocd.name))
      logger.warn('ApplicationSets could not be listed: what they generate is seen when it syncs', {
        argocd: argocd.name,
        why: cause.message,
      });
    if (cause.kind === 'forbidden') loggedForbidden.set(routes, logged.add(argocd.name));
    return { items: stored?.sets ?? [], unreadable: [], isComplete: false };
  }
}

/** Instances whose ApplicationSets we may not list, by where their routes are kept: logged once a process. */
const loggedForbidden = new WeakMap<Routes, Set<string>>();

/** All Applications of an instance, as routes. */
export interface ListedRoutes {
  readonly argocd: string;
  readonly routes: readonly Route[];
  readonly sets: readonly SetRoute[];
  /** Just before the list began. */
  readonly listedAt: Date;
  /** The table as loaded before the list began: a save in between by another pass wins. */
  readonly stored: StoredRoutes | undefined;
}

/** Stores the routes of a whole list. */
export async function keepRoutes(
  { argocd, listedAt, stored, ...listed }: ListedRoutes,
  ports: KeepPorts,
): Promise<void> {
  const names = await askNames(listed, stored?.names ?? noNames, ports);
  const routes = routesWithNames(listed.routes, names);
  const sets = setsWithNames(listed.sets, names);
  const isStored = await save(
    {
      argocd,
      version: stored?.version ?? 0,
      listedAt: listedAt.toISOString(),
      routes: stored !== undefined && isSame(stored.routes, routes) ? stored.routes : routes,
      sets: stored !== undefined && isSame(stored.sets, sets) ? stored.sets : sets,
      ...(names.length === 0 ? {} : { names }),
    },
    ports,
  );
  if (!isStored && names !== (stored?.names ?? noNames)) await saveNames(argocd, names, ports);
}

/** Answers are worth keeping whoever stored the table first: nobody asks for them again at once. */
async function saveNames(argocd: string, names: readonly KnownName[], ports: KeepPorts): Promise<void> {
  const fresh = await loadRoutes(argocd, ports);
  if (fresh === undefined || fresh.listedAt === '') return;
  const known = new Map(fresh.names?.map((each) => [each.name, each]));
  const isOlder = ({ name, askedAt }: KnownName) => Date.parse(known.get(name)?.askedAt ?? '') > Date.parse(askedAt);
  for (const each of names.filter((one) => !isOlder(one))) known.set(each.name, each);
  const all = [...known.values()];
  const [routes, sets] = [routesWithNames(fresh.routes, all), setsWithNames(fresh.sets, all)];
  await save({ ...fresh, routes, sets, names: all }, ports);
}

const noNames: readonly KnownName[] = [];

/** Stores what a pass has learnt about the Applications: all of them if it listed them, else the one of its event. */
export async function keepRoutesOf(
  { toRead }: Pick<Scope, 'toRead'>,
  { listed, snapshot }: { readonly listed: readonly ListedRoutes[]; readonly snapshot: Pick<Snapshot, 'applications'> },
  ports: KeepPorts,
): Promise<void> {
  for (const each of listed) await keepRoutes(each, ports);
  const read = snapshot.applications.filter((observed) =>
    toRead.some((ref) => isSameApplication(ref, refOf(observed))),
  );
  await learnRoutes(read, ports);
}

/** Updates the routes of single Applications with what was just read. Nothing is stored if nothing changed, or if the
 *  Applications were never listed as a whole. */
export async function learnRoutes(observations: readonly ObservedApplication[], ports: KeepPorts): Promise<void> {
  for (const [argocd, seen] of Map.groupBy(observations, (observed) => refOf(observed).argocd)) {
    const settings = byName(ports.configuration.argocd, argocd);
    const stored = settings && (await loadRoutes(argocd, ports));
    if (settings === undefined || stored === undefined || stored.listedAt === '') continue;
    const news = seen.filter(
      (observed) => observed.kind === 'seen' || (observed.kind === 'gone' && observed.elsewhere === undefined),
    );
    const ids = new Set(news.map((observed) => syncHoldId(refOf(observed))));
    const fresh = news.flatMap((observed) => (observed.kind === 'seen' ? [observed.application] : []));
    const before = stored.routes.filter(({ ref }) => ids.has(syncHoldId(ref)));
    const after = routesOf({ items: fresh, unreadable: [] }, { settings, stored });
    if (isSame(before, after)) continue;
    const others = stored.routes.filter(({ ref }) => !ids.has(syncHoldId(ref)));
    await save({ ...stored, routes: [...others, ...after] }, ports);
  }
}

/** A lost or failed write costs one list later. False: it was lost or failed. */
async function save(stored: StoredRoutes, { routes, logger }: KeepPorts): Promise<boolean> {
  try {
    const isFirst = await routes.save(stored);
    if (!isFirst) logger.info('another pass stored the routing table first', { argocd: stored.argocd });
    return isFirst;
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    logger.warn('the routing table could not be stored', { argocd: stored.argocd, why: cause.message });
    return false;
  }
}

/** In any order. */
function isSame<T extends Pick<Route, 'ref'>>(a: readonly T[], b: readonly T[]): boolean {
  if (a.length !== b.length) return false;
  const known = new Map(a.map((route) => [syncHoldId(route.ref), JSON.stringify(route)]));
  return b.every((route) => known.get(syncHoldId(route.ref)) === JSON.stringify(route));
}
