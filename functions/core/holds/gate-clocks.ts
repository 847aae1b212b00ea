import type { GateView } from '../gates/gate-view.ts';
import type { Pool } from '../openshift/pool.ts';
import { secondsSince } from '../text/instant.ts';
import type { GatedConfig, Snapshot } from './snapshot.ts';

/** When passes first saw something. Keys of a gate are `<pool>|gate|<name>`, since when it has been closed;
 *  `<pool>|read|<name>`, since when it has been read as closed again and again; and `<pool>|seen|<name>`, when it was
 *  last. That of the rendered config that waits behind them is `<pool>|gated|<config>`. */
type FirstSeen = Readonly<Record<string, string>>;

const gateKey = /^(.+)\|gate\|([^|]+)$/;
const readKey = /^(.+)\|read\|([^|]+)$/;
const seenKey = /^(.+)\|seen\|([^|]+)$/;
const configKey = /^(.+)\|gated\|([^|]*)$/;

/** Since when each gate has been closed, as stored by the last pass. */
export function gatesClosedSince(firstSeen: FirstSeen): Snapshot['gatesClosedSince'] {
  return timesByPool(firstSeen, gateKey);
}

/** Since when each gate has been read as closed again and again, as stored by the last pass. */
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
    gates.flatMap(({ gate, since, isUnseen }) => {
      if (since === undefined) return [];
      const clock = [`${pool}|gate|${gate}`, since] as const;
      return isUnseen === true ? [clock, ...readBefore(pool, gate)] : [clock, ...readNow(pool, gate)];
    }),
  );
  const goneOn = pools.flatMap(({ pool, runningOn }) =>
    runningOn.flatMap(({ gate, isKnown }) => [
      ...asBefore(`${pool}|gate|${gate}`),
      ...(isKnown ? readOn(pool, gate) : readBefore(pool, gate)),
    ]),
  );
  const configs = pools.flatMap(({ pool, gated, gates, runningOn }) =>
    gates.length === 0 && runningOn.length === 0 ? [] : [[`${pool}|gated|${gated.config}`, gated.since] as const],
  );
  return Object.fromEntries([...others, ...goneOn, ...clocks, ...configs]);

  function asBefore(key: string): Entries {
    const since = before[key];
    return since === undefined ? [] : [[key, since]];
  }

  function readBefore(pool: string, gate: string): Entries {
    return [...asBefore(`${pool}|read|${gate}`), ...asBefore(`${pool}|seen|${gate}`)];
  }

  function readOn(pool: string, gate: string): Entries {
    return before[`${pool}|read|${gate}`] === undefined ? [] : readNow(pool, gate);
  }

  function readNow(pool: string, gate: string): Entries {
    const [read, at] = [`${pool}|read|${gate}`, now.toISOString()];
    return [
      [read, before[read] ?? at],
      [`${pool}|seen|${gate}`, at],
    ];
  }
}

type Entries = readonly (readonly [string, string])[];

/** Seconds without a read of it, for which a gate that was closed counts as closed: a tick comes every minute, and one
 *  or two may fail. After that it may have been open. */
const unreadAtMost = 180;

/** As a look finds it: without the clocks of gates that nobody has read for long, whatever kept them from it. */
export function withoutStaleReads(firstSeen: FirstSeen, now: Date): FirstSeen {
  const isStale = (key: string) => {
    const [, pool, gate] = readKey.exec(key) ?? [];
    if (pool === undefined || gate === undefined) return false;
    const seen = firstSeen[`${pool}|seen|${gate}`];
    return seen === undefined || secondsSince(seen, now) > unreadAtMost;
  };
  return Object.fromEntries(Object.entries(firstSeen).filter(([key]) => !isStale(key)));
}

/** After a look that has found nothing out about its pools. That an approval is missing is known all the same: who
 *  gives it needs no cluster. */
export function afterBlindLook(firstSeen: FirstSeen, now: Date): FirstSeen {
  const entries = Object.entries(withoutStaleReads(firstSeen, now));
  return Object.fromEntries(
    entries.map(([key, at]) => [key, seenKey.exec(key)?.[2] === 'approval' ? now.toISOString() : at]),
  );
}

function isClock(key: string): boolean {
  return [gateKey, readKey, seenKey, configKey].some((form) => form.test(key));
}

function poolOfClock(key: string): string | undefined {
  return [gateKey, readKey, seenKey, configKey].flatMap((form) => form.exec(key)?.[1] ?? [])[0];
}

/** The clocks of the gates of these pools, as they were. */
export function gateClocksOf(firstSeen: FirstSeen, pools: readonly string[]): FirstSeen {
  const kept = Object.entries(firstSeen).filter(([key]) => {
    const pool = poolOfClock(key);
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
