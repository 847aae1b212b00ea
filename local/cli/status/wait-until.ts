import { Misconfigured, Transient } from '../../../functions/core/text/errors.ts';
import { counted, listed } from '../../../functions/core/text/phrases.ts';
import type { ClusterStatus, PoolStatus } from '../../../functions/status/status.ts';
import type { ExitStatus, Surroundings } from '../command.ts';
import { poolsLeftOut } from './pools-left-out.ts';
import { readStatus } from './read-status.ts';
import { unreadablePools } from './unreadable-pools.ts';

interface Awaited {
  readonly url: string;
  readonly cluster: string | undefined;
  readonly pool: string;
  readonly state: 'paused' | 'resumed' | 'updated';
  /** How long to wait. */
  readonly seconds: number;
}

/** Milliseconds between two looks. */
const lookEveryMs = 5_000;

/** Waits, and says each time why it is not so yet if that has changed. Throws Misconfigured for an unknown pool, one
 *  whose name several clusters have, and as `readStatus` does. */
export async function waitUntil(awaited: Awaited, surroundings: Surroundings): Promise<ExitStatus> {
  const until = surroundings.now().getTime() + awaited.seconds * 1_000;
  let asked: string | undefined;
  const pause = surroundings.wait ?? ((ms: number) => new Promise((resolve) => setTimeout(resolve, ms)));
  let said = '';
  for (;;) {
    const { at, missing } = await lookOnce(awaited, asked, surroundings);
    asked ??= at;
    if (missing === undefined) {
      surroundings.out(`${awaited.pool} is ${awaited.state}\n`);
      return 0;
    }
    if (missing !== said) surroundings.note(`${awaited.pool} is not ${awaited.state} yet: ${missing}`);
    said = missing;
    if (surroundings.now().getTime() >= until) {
      surroundings.note(`poolkeeper: ${awaited.pool} is not ${awaited.state}: ${missing}`);
      return 1;
    }
    await pause(lookEveryMs);
  }
}

interface Looked {
  /** When it was answered, by Poolkeeper's clock; undefined: it was not. */
  readonly at: string | undefined;
  /** Why it is not so; undefined: it is. */
  readonly missing: string | undefined;
}

/** @param asked when the first look was answered: what was read before says nothing about what was just changed */
async function lookOnce(awaited: Awaited, asked: string | undefined, surroundings: Surroundings): Promise<Looked> {
  try {
    const { at, clusters } = await readStatus(awaited.url, awaited.cluster, surroundings);
    return { at, missing: missingOf(awaited, clusters, asked ?? at) };
  } catch (cause) {
    if (cause instanceof Transient) return { at: undefined, missing: cause.message };
    throw cause;
  }
}

function missingOf(
  { pool: name, state, url }: Awaited,
  clusters: readonly ClusterStatus[],
  asked: string,
): string | undefined {
  const [first] = clusters.flatMap((cluster) =>
    cluster.pools.filter((pool) => pool.name === name).map((pool) => ({ cluster, pool })),
  );
  const having = clusters.filter(({ pools, unreadablePools: unread = [] }) =>
    [...pools, ...unread].some((pool) => pool.name === name),
  );
  if (having.length > 1)
    throw new Misconfigured([`--cluster is missing: ${listed(having.map((each) => each.name))} have a pool ${name}`]);
  const inShort = clusters
    .filter(({ whole, inShort: isCut, poolsLeftOut: left }) => !whole || (isCut === true && left !== undefined))
    .map((cluster) => cluster.name);
  if (inShort.length > 0)
    throw new Misconfigured([`--cluster is missing: of ${counted(clusters.length, 'cluster')}, not all are listed`]);
  const [unparsed] = clusters.flatMap((cluster) => unreadablePools(cluster, name));
  if (unparsed !== undefined) return unparsed;
  const unseen = clusters.filter(({ sight }) => sight !== 'seen').map((cluster) => cluster.name);
  if (first === undefined && unseen.length > 0) return `${listed(unseen)} cannot be seen`;
  const [left] = clusters.filter((cluster) => cluster.poolsLeftOut !== undefined);
  if (first === undefined && left !== undefined) return poolsLeftOut(left.name, left.poolsLeftOut ?? 0);
  if (first === undefined) throw new Misconfigured([`${url} knows no pool ${name}`]);
  if (first.cluster.sight !== 'seen') return `${first.cluster.name} cannot be seen`;
  if (first.cluster.readAt === undefined || Date.parse(first.cluster.readAt) < Date.parse(asked))
    return `${first.cluster.name} has not been read since you asked`;
  return lacks[state](first.pool);
}

/** What a pool lacks of each state; undefined: nothing. */
const lacks: Readonly<Record<Awaited['state'], (pool: PoolStatus) => string | undefined>> = {
  paused: ({ pause }) => {
    if (pause === undefined) return 'it is not paused';
    return pause.confirmed ? undefined : 'the MCO has not observed the pause';
  },
  resumed: ({ pause, why }) =>
    pause === undefined
      ? undefined
      : `it is kept paused by ${listed((why?.now ?? []).map(({ name }) => name)) || pause.by || pause.whose}`,
  updated: ({ pause, why, counts, pending, state }) => {
    if (pause !== undefined && pending) return 'a change waits, and it is paused';
    // Between its pause and the render of what is synced, a pool looks updated.
    const held = listed((why?.now ?? []).filter(({ kind }) => kind !== 'pause').map(({ name }) => name));
    if (held !== '') return `it is held by ${held}: its change may not be rendered yet`;
    if (state === 'updated' && !pending) return undefined;
    return `it is ${state}, ${counts.updated} of ${counted(counts.machines, 'node')} updated`;
  },
};
