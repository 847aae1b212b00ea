import { byName } from '../text/by-name.ts';
import { given } from '../text/given.ts';
import { isPast, plusSeconds, secondsSince } from '../text/instant.ts';
import { listed } from '../text/phrases.ts';
import type { RunPlan } from './run-plan.ts';
import { type CanaryWatch, isOpenTurn, type RunRecord } from './run-record.ts';
import { isAt, type TurnNode } from './turn-node.ts';

/** How far clocks may be apart. */
const skewSeconds = 600;

interface WatchedPool {
  readonly name: string;
  /** The rendered config that its nodes are taken to; empty: not known for now. */
  readonly target: string;
  /** Pools that go before it; absent: none. */
  readonly after?: readonly string[] | undefined;
}

interface Asked {
  readonly plan: Pick<RunPlan, 'run' | 'pools'>;
  readonly nodes: readonly TurnNode[];
  readonly pools: readonly WatchedPool[];
  readonly now: Date;
}

/** The record with what a look sees of each canary node. Their turns do not say it: the MCO takes a node of a pool that
 *  a person resumes, whether it has had one or not. An aborted run stays as it is: while it is out of the
 *  configuration, nobody knows its canary nodes. */
export function withCanariesSeen(record: RunRecord, asked: Asked): RunRecord {
  if (record.aborted !== undefined) return record;
  const { canaries: _, ...rest } = record;
  const seen = asked.plan.run.canaryNodes.flatMap((name) => {
    const watch = seenNow(name, record, asked);
    return watch === undefined ? [] : [[name, watch] as const];
  });
  return seen.length === 0 ? rest : { ...rest, canaries: Object.fromEntries(seen) };
}

/** Undefined: it was never there. */
function seenNow(name: string, record: RunRecord, asked: Asked): CanaryWatch | undefined {
  const known = watchOf(name, record);
  const node = byName(asked.nodes, name);
  const pool = byName(asked.pools, node?.pool);
  if (node === undefined || pool === undefined) return known && goneFrom(known, record, asked);
  if (pool.target === '') return known;
  const place = { pool: pool.name, target: pool.target, ...given({ createdAt: node.createdAt }) };
  const turn = record.turns[name];
  const isThere = node.currentConfig === pool.target && node.desiredConfig === pool.target && !isOpenTurn(turn);
  if (!isThere) return place;
  // Whoever has this config since before the run is no sign of what it does; nor is one that was made since.
  if (known?.target === pool.target && known.passed === true) return { ...place, passed: true };
  if (!isAt(node, pool.target) || !node.ready) return place;
  const own = turn?.step === 'done' && turn.target === pool.target ? turn.since : undefined;
  if (known === undefined && own === undefined) return { ...place, passed: true };
  const since = known === undefined ? own : sinceOf(known, place);
  return watched({ ...place, since: notAhead(since, asked.now) }, asked);
}

/** Undefined: the watch was of another config, or of another node of that name. */
function sinceOf(known: CanaryWatch, { target, createdAt }: CanaryWatch): string | undefined {
  const isOther = known.createdAt !== undefined && createdAt !== undefined && known.createdAt !== createdAt;
  return known.target !== target || isOther ? undefined : known.since;
}

/** By a clock that was far ahead, or none yet: now. */
function notAhead(since: string | undefined, now: Date): string {
  return since === undefined || secondsSince(since, now) < -skewSeconds ? now.toISOString() : since;
}

function watched(
  { since, ...place }: CanaryWatch & { readonly since: string },
  { plan: { run }, now }: Pick<Asked, 'plan' | 'now'>,
): CanaryWatch {
  const isOver = isPast(plusSeconds(new Date(since), run.soakSeconds), now);
  return isOver ? { ...place, passed: true } : { ...place, since };
}

/** It is not there, or in none of the pools of the run, as one that joins anew under its name as a plain worker. Of no
 *  matter where all others have had what it was to try. */
function goneFrom(known: CanaryWatch, { pools }: RunRecord, { plan, now }: Asked): CanaryWatch | undefined {
  if (known.passed === true) return known;
  if (!plan.pools.includes(known.pool) || pools[known.pool]?.done === known.target) return undefined;
  const { since: _, ...place } = known;
  return { ...place, goneSince: known.goneSince ?? now.toISOString() };
}

function watchOf(name: string, { canaries = {} }: Pick<RunRecord, 'canaries'>): CanaryWatch | undefined {
  return Object.hasOwn(canaries, name) ? canaries[name] : undefined;
}

/** Why no node of that pool begins before canary nodes; undefined: they may. Those of a pool that goes after it go
 *  after its nodes, whatever they are. */
export function whySoaking({ plan: { run }, record, nodes, pools }: SoakQuestion, before: string): string | undefined {
  const first = pools.filter(({ after = [] }) => !after.includes(before));
  const open: string[] = [];
  const untils: string[] = [];
  for (const name of run.canaryNodes) {
    const watch = watchOf(name, record);
    const node = byName(nodes, name);
    const pool = byName(first, watch?.goneSince === undefined ? node?.pool : watch.pool);
    if (pool === undefined || hasPassed(pool, watch, node)) continue;
    if (watch?.target !== pool.target || watch.since === undefined) open.push(name);
    else untils.push(plusSeconds(new Date(watch.since), run.soakSeconds));
  }
  if (open.length > 0) return `canary nodes go first: ${listed(open, 3)}`;
  const until = untils.toSorted().at(-1);
  return until && `the canary nodes are watched until ${until}`;
}

/** Also if it is there, and no look has seen it yet. */
function hasPassed({ target }: WatchedPool, watch: CanaryWatch | undefined, node: TurnNode | undefined): boolean {
  if (watch === undefined) return node !== undefined && isAt(node, target);
  return watch.target === target && watch.passed === true;
}

interface SoakQuestion extends Omit<Asked, 'now'> {
  /** As it is with what this look sees of its canary nodes. */
  readonly record: Pick<RunRecord, 'canaries'>;
}

export interface MissingCanary {
  readonly kind: 'missing';
  readonly node: string;
  /** ISO instant. */
  readonly since: string;
  readonly why: string;
}

/** Canary nodes that are gone before they were watched to the end: what became of them may be what the others are to be
 *  spared. Only of what the run has seen: a name that no node had is passed over. */
export function missingCanaries({ canaries = {}, aborted }: RunRecord): readonly MissingCanary[] {
  if (aborted !== undefined) return [];
  return Object.entries(canaries).flatMap(([node, { pool, goneSince: since }]) => {
    const why = `this canary node is gone from pool ${pool} before it was watched to the end, and all others wait for it`;
    return since === undefined ? [] : [{ kind: 'missing', node, since, why }];
  });
}
