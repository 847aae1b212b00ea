import { argocdOf } from '../openshift/collective-hold-id.ts';
import { syncHoldId } from '../openshift/hold.ts';
import type { Push } from '../routing/awaited-push.ts';
import { ifGiven } from '../text/if-given.ts';
import type { Snapshot } from './snapshot.ts';

/** The push of a pass as it is for each Application, also for those that it will create: by hold id. */
export function pushesIn({ pushes, expected = [] }: Pick<Snapshot, 'pushes' | 'expected'>): ReadonlyMap<string, Push> {
  return new Map([...pushes, ...expected.map(({ id, push }) => [id, push] as const)]);
}

/** The Argo CDs that have to get a push before the sync of each of these holds can follow it: that of the Application
 *  itself, and of all above it whose specs it changes, because in a hub and spokes they may be in others. Any
 *  Application may claim to write any other, so that there may be circles.
 *  @param pushes by sync hold id */
export function argocdsOfPush(pushes: ReadonlyMap<string, Push>): ReadonlyMap<string, ReadonlySet<string>> {
  const claims = [...pushes].flatMap(([hold, push]) => writersOf(push).map((writer) => ({ hold, writer })));
  const below = Map.groupBy(claims, ({ writer }) => syncHoldId(writer));
  const all = new Map([...pushes.keys()].map((hold) => [hold, new Set([argocdOf(hold)])]));
  for (const { hold, writer } of claims) all.get(hold)?.add(writer.argocd);
  const toPassOn = [...all];
  for (const [writer, argocds] of toPassOn) {
    for (const { hold } of below.get(writer) ?? []) {
      const own = all.get(hold);
      if (own !== undefined && addAll(argocds, own)) toPassOn.push([hold, own]);
    }
  }
  return all;
}

function writersOf({ via, claimants }: Push): readonly NonNullable<Push['via']>[] {
  return claimants ?? ifGiven(via);
}

/** Whether that adds any. */
function addAll(more: ReadonlySet<string>, to: Set<string>): boolean {
  const before = to.size;
  for (const each of more) to.add(each);
  return to.size > before;
}
