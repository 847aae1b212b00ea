import type { GateView } from '../gates/gate-view.ts';
import type { Pool } from '../openshift/pool.ts';
import type { GatedConfig, Snapshot } from './snapshot.ts';

/** When passes first saw something; keys of gates are `<pool>|gate|<name>`, of those that every look since has read as
 *  closed `<pool>|read|<name>`, of the rendered config that waits behind them `<pool>|gated|<config>`. */
type FirstSeen = Readonly<Record<string, string>>;

const gateKey = /^(.+)\|gate\|([^|]+)$/;
const readKey = /^(.+)\|read\|([^|]+)$/;
const configKey = /^(.+)\|gated\|([^|]*)$/;

/** Since when each gate has been closed, as stored by the last pass. */
export function gatesClosedSince(firstSeen: FirstSeen): Snapshot['gatesClosedSince'] {
  return timesByPool(firstSeen, gateKey);
}

/** Since when each gate has been read as closed at every look, as stored by the last pass. */
export function gatesReadSince(firstSeen: FirstSeen): NonNullable<Snapshot['gatesReadSince']> {
  return timesByPool(firstSeen, readKey);
}

function timesByPool(firstSeen: FirstSeen, form: RegExp): Snapshot['gatesClosedSince'] {
  const found = Object.entries(firstSeen).flatMap(([key, since]) => {
    const [, pool, gate] = form.exec(key) ?? [];
    return pool === undefined || gate === undefined ? [] : [{ pool, gate, since }];
  });
  const ofPool = (pool: string) => found.filter((each) => each.pool === pool).map(({ gate, since }) => [gate, since]);
  return Object.fromEntries(found.map(({ pool }) => [pool, Object.fromEntries(ofPool(pool))]));
}

/** The rendered config that waited behind the gates of each pool in the last pass, and since when. */
export function configsGatedSince(firstSeen: FirstSeen): NonNullable<Snapshot['configsGatedSince']> {
  const found = Object.entries(firstSeen).flatMap(([key, since]) => {
    const [, pool, config] = configKey.exec(key) ?? [];
    return pool === undefined || config === undefined ? [] : [[pool, { config, since }] as const];
  });
  return Object.fromEntries(found);
}

/** A gate whose clock runs on. */
export interface RunningOn {
  readonly gate: string;
  /** That it is closed is known; otherwise nobody has read it. */
  readonly isKnown: boolean;
}

/** What a pass knows of the gates of one pool. */
export interface GatedPool {
  readonly pool: string;
  /** The rendered config that waits behind them, and since when. */
  readonly gated: GatedConfig;
  readonly gates: readonly GateView[];
  /** Gates whose clocks run on, as they were before this pass (`gatesRunningOn`). */
  readonly runningOn: readonly RunningOn[];
}

/** `firstSeen` with the clocks of the gates closed now: a gate that opened starts over when it closes again, and a
 *  config when it is rendered. */
export function withGateClocks(
  firstSeen: FirstSeen,
  pools: readonly GatedPool[],
  { before, now }: { readonly before: FirstSeen; readonly now: Date },
): FirstSeen {
  const others = Object.entries(firstSeen).filter(([key]) => !isClock(key));
  const clocks = pools.flatMap(({ pool, gates }) =>
    gates.flatMap(({ gate, since }) => {
      const read = `${pool}|read|${gate}`;
      return since === undefined ? [] : [[`${pool}|gate|${gate}`, since] as const, [read, readSince(read)] as const];
    }),
  );
  const goneOn = pools.flatMap(({ pool, runningOn }) =>
    runningOn.flatMap(({ gate, isKnown }) => [
      ...asBefore(`${pool}|gate|${gate}`),
      ...(isKnown ? asBefore(`${pool}|read|${gate}`) : []),
    ]),
  );
  const configs = pools.flatMap(({ pool, gated, gates, runningOn }) =>
    gates.length === 0 && runningOn.length === 0 ? [] : [[`${pool}|gated|${gated.config}`, gated.since] as const],
  );
  return Object.fromEntries([...others, ...goneOn, ...clocks, ...configs]);

  function asBefore(key: string): readonly (readonly [string, string])[] {
    const since = before[key];
    return since === undefined ? [] : [[key, since]];
  }

  function readSince(key: string): string {
    return before[key] ?? now.toISOString();
  }
}

/** Without the clocks of gates that every look has read as closed: nobody looks. */
export function withoutReadClocks(firstSeen: FirstSeen): FirstSeen {
  return Object.fromEntries(Object.entries(firstSeen).filter(([key]) => !readKey.test(key)));
}

function isClock(key: string): boolean {
  return gateKey.test(key) || readKey.test(key) || configKey.test(key);
}

/** The clocks of the gates of these pools, as they were. */
export function gateClocksOf(firstSeen: FirstSeen, pools: readonly string[]): FirstSeen {
  const kept = Object.entries(firstSeen).filter(([key]) => {
    const [, pool] = gateKey.exec(key) ?? readKey.exec(key) ?? configKey.exec(key) ?? [];
    return pool !== undefined && pools.includes(pool);
  });
  return Object.fromEntries(kept);
}

/** The rendered config of a pool that waits behind its gates, or would wait. */
export function gatedConfig(
  { name, target }: Pick<Pool, 'name' | 'target'>,
  { configsGatedSince: known = {} }: Pick<Snapshot, 'configsGatedSince'>,
  now: Date,
): GatedConfig {
  const before = known[name];
  return before?.config === target.name ? before : { config: target.name, since: now.toISOString() };
}
