import type { GateView } from '../gates/gate-view.ts';
import type { Snapshot } from './snapshot.ts';

/** What a pass keeps of when it first saw something; keys of gates are `<pool>|gate|<name>`. */
type FirstSeen = Readonly<Record<string, string>>;

const gateKey = /^(.+)\|gate\|([^|]+)$/;

/** Since when each gate is closed, from what the last pass kept. */
export function gatesClosedSince(firstSeen: FirstSeen): Snapshot['gatesClosedSince'] {
  const found = Object.entries(firstSeen).flatMap(([key, since]) => {
    const [, pool, gate] = gateKey.exec(key) ?? [];
    return pool === undefined || gate === undefined ? [] : [{ pool, gate, since }];
  });
  const ofPool = (pool: string) => found.filter((each) => each.pool === pool).map(({ gate, since }) => [gate, since]);
  return Object.fromEntries(found.map(({ pool }) => [pool, Object.fromEntries(ofPool(pool))]));
}

/** The same with the clocks of exactly those gates that are closed now: one that opened begins anew when it closes. */
export function withGateClocks(
  firstSeen: FirstSeen,
  pools: readonly { readonly pool: string; readonly gates: readonly GateView[] }[],
): FirstSeen {
  const others = Object.entries(firstSeen).filter(([key]) => !gateKey.test(key));
  const clocks = pools.flatMap(({ pool, gates }) =>
    gates.flatMap(({ gate, since }) => (since === undefined ? [] : [[`${pool}|gate|${gate}`, since] as const])),
  );
  return Object.fromEntries([...others, ...clocks]);
}
