import { type ObservedApplication, refOf } from '../../core/argocd/application.ts';
import type { ArgoCdSettings } from '../../core/configuration/argocd.ts';
import { syncHoldId } from '../../core/openshift/hold.ts';
import type { Concerned } from '../../core/routing/concerned.ts';
import { Transient } from '../../core/text/errors.ts';
import type { KeepPorts } from '../keep-ports.ts';
import { readApplications } from '../read/read-applications.ts';
import { mayAffectPools, type Routed } from './route-push.ts';

/** How often Applications of one Argo CD that write those of another one are followed: from a hub to its spokes is
 *  one. */
const instancesDeep = 3;

/** One Argo CD instance, and its answer to a push. */
export interface RoutedInstance {
  readonly settings: ArgoCdSettings;
  readonly routed: Promise<Routed>;
}

/** Applications of one instance that a push concerns through parents that another one syncs into its cluster. */
export interface WrittenElsewhere {
  readonly settings: ArgoCdSettings;
  readonly concerned: readonly Concerned[];
  /** Those that write them, and those that write these. */
  readonly writers: readonly Concerned[];
  /** What is known of all of them. */
  readonly observations: readonly ObservedApplication[];
  /** Those of them that were read for this. */
  readonly read: readonly ObservedApplication[];
}

/** What is known so far, by sync hold id. */
interface Known {
  readonly concerned: Map<string, Concerned>;
  readonly observations: Map<string, ObservedApplication>;
}

/** Follows the parents that a push concerns in one instance into another one that runs in the cluster they deploy to,
 *  as from a hub into a spoke, or in two instances of one cluster, and from there into others. No table is read that
 *  the push has not read anyway; what an instance says of itself that cannot be read is missing here as it is there.
 *  @param asks called with the name of an instance that is waited for */
export async function writtenElsewhere(
  { from, first }: { readonly from: RoutedInstance; readonly first: RoutedInstance },
  all: readonly RoutedInstance[],
  { ports, asks }: { readonly ports: KeepPorts; readonly asks: (argocd: string) => void },
): Promise<readonly WrittenElsewhere[]> {
  const routed = await unlessUnread(from.routed);
  if (routed === undefined || !routed.concerned.some(isParent)) return [];
  const known: Known = { concerned: new Map(), observations: new Map() };
  learn(known, routed);
  const every: WrittenElsewhere[] = [];
  let level: readonly Pick<WrittenElsewhere, 'settings' | 'concerned'>[] = [{ ...routed, settings: from.settings }];
  for (let depth = 0; depth < instancesDeep && level.length > 0; depth += 1) {
    const pairs = level.flatMap(({ settings, concerned }) => {
      const parents = Map.groupBy(concerned.filter(isParent), ({ route }) => route.cluster);
      return (depth === 0 ? [first] : all)
        .filter((each) => each.settings.name !== settings.name)
        .flatMap((below) => ({ below, parents: parents.get(below.settings.cluster) ?? [] }));
    });
    const asked = pairs.filter(({ parents }) => parents.length > 0);
    for (const { below } of asked) asks(below.settings.name);
    const answers = await Promise.all(asked.map(({ below, parents }) => writtenIn(below, parents, { known, ports })));
    const found = answers.flatMap((answer) => answer ?? []);
    for (const each of found) learn(known, each);
    every.push(...found);
    level = found;
  }
  return every;
}

function isParent({ route: { children, childSets = [] } }: Concerned): boolean {
  return children.length + childSets.length > 0;
}

function learn(known: Known, { concerned, observations }: Pick<Routed, 'concerned' | 'observations'>): void {
  for (const each of concerned) known.concerned.set(syncHoldId(each.route.ref), each);
  for (const each of observations) known.observations.set(syncHoldId(refOf(each)), each);
}

async function writtenIn(
  { settings, routed: answer }: RoutedInstance,
  parents: readonly Concerned[],
  { known, ports }: { readonly known: Known; readonly ports: KeepPorts },
): Promise<WrittenElsewhere | undefined> {
  const routed = await unlessUnread(answer);
  const found =
    routed?.writtenFrom(parents, settings).filter(({ route }) => !known.concerned.has(syncHoldId(route.ref))) ?? [];
  if (routed === undefined || found.length === 0) return undefined;
  const wanted = found.filter(({ route }) => mayAffectPools(route)).map(({ route }) => route.ref);
  const read = await readApplications(wanted, routed.observations, ports);
  const ids = new Set(found.map(({ route }) => syncHoldId(route.ref)));
  const own = routed.observations.filter((each) => ids.has(syncHoldId(refOf(each))));
  const writers = withWriters(parents, known);
  const above = writers.flatMap(({ route }) => known.observations.get(syncHoldId(route.ref)) ?? []);
  return { settings, concerned: found, writers, observations: [...above, ...own, ...read], read };
}

/** With all that write them, and so on: what the push changes in the first of them is what changes the last. */
function withWriters(parents: readonly Concerned[], { concerned }: Known): readonly Concerned[] {
  const all = new Set(parents);
  for (const { through, writers = [] } of all) {
    for (const writer of [...through, ...writers]) {
      const above = concerned.get(syncHoldId(writer));
      if (above !== undefined) all.add(above);
    }
  }
  return [...all];
}

/** One that cannot be read has its own failure. */
async function unlessUnread(routed: Promise<Routed>): Promise<Routed | undefined> {
  try {
    return await routed;
  } catch (cause) {
    if (cause instanceof Transient) return undefined;
    throw cause;
  }
}
