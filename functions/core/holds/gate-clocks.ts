import type { GateView } from '../gates/gate-view.ts';
import type { Snapshot } from './snapshot.ts';

/** When passes first saw something; keys of gates are `<pool>|gate|<name>`. */
type FirstSeen = Readonly<Record<string, string>>;

const gateKey = /^(.+)\|gate\|([^|]+)$/;

/** Since when each gate has been closed, as stored by the last pass. */
export function gatesClosedSince(firstSeen: FirstSeen): Snapshot['gatesClosedSince'] {
  const found = Object.entries(firstSeen).flatMap(([key, since]) => {
    const [, pool, gate] = gateKey.exec(key) ?? [];
    return pool === undefined || gate === undefined ? [] : [{ pool, gate, since }];
  });
  const ofPool = (pool: string) => found.filter((each) => each.pool === pool).map(({ gate, since }) => [gate, since]);
  return Object.fromEntries(found.map(({ pool }) => [pool, Object.fromEntries(ofPool(pool))]));
}

/** `firstSeen` with the clocks of the gates closed now: a gate that opened starts over when it closes again. */
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
