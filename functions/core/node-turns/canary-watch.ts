import { isGoingOn } from '../openshift/node.ts';
import { byName } from '../text/by-name.ts';
import { given } from '../text/given.ts';
import { isPast, latest, plusSeconds, secondsSince } from '../text/instant.ts';
import { listed } from '../text/phrases.ts';
import type { RunPlan } from './run-plan.ts';
import { type CanaryWatch, isOpenTurn, type RunRecord, type Turn, unseenSeconds } from './run-record.ts';
import { isAt, isNodeOf, rests, type TurnNode } from './turn-node.ts';

/** How far clocks may be apart, seconds. */
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
  const isElsewhere = known !== undefined && known.pool !== node?.pool && asked.plan.pools.includes(known.pool);
  if (node === undefined || pool === undefined || (isElsewhere && known.passed !== true))
    return known && goneFrom(known, record, asked);
  if (pool.target === '') return known;
  const place = { pool: pool.name, target: pool.target, ...given({ createdAt: node.createdAt }) };
  const turn = record.turns[name];
  const isThere = node.currentConfig === pool.target && node.desiredConfig === pool.target && !isOpenTurn(turn);
  if (!isThere) return awayNow(node, place, { known, turn, now: asked.now });
  const own = turn?.step === 'done' && turn.target === pool.target ? turn.since : undefined;
  // Whoever has this config since before the run is no sign of what it does.
  const before = known ?? { ...place, ...(own === undefined ? { passed: true as const } : { since: own }) };
  return atTarget(node, place, { before, asked });
}

interface Away {
  readonly known: CanaryWatch | undefined;
  readonly turn: Turn | undefined;
  readonly now: Date;
}

/** Of one that is to get the config of its pool. While it is not well it has no turn, or none in which it goes. */
function awayNow(node: TurnNode, place: CanaryWatch, { known, turn, now }: Away): CanaryWatch {
  const isToGo = !isOpenTurn(turn) || turn?.step === 'before' || turn?.stays === true;
  const isIll = (!node.ready || !rests(node)) && isToGo && !isGoingOn(node, now);
  const hasPassed = known?.target === place.target && known.passed === true;
  // One whose turn was found again after its record was lost is at its target.
  if (hasPassed && (isIll || !isOpenTurn(turn) || isAt(node, place.target))) return { ...place, passed: true };
  // One that is made anew and does not come up is missed as it was.
  return isIll ? { ...place, illSince: notAhead(known?.illSince ?? known?.goneSince, now, 0) } : place;
}

interface Watching {
  readonly before: CanaryWatch;
  readonly asked: Pick<Asked, 'plan' | 'now'>;
}

/** Of one that has the config of its pool, and whose turn is over. */
function atTarget(node: TurnNode, place: CanaryWatch, { before, asked }: Watching): CanaryWatch {
  const { plan, now } = asked;
  const endOf = (since: string) => plusSeconds(new Date(since), plan.run.soakSeconds);
  const isOfTarget = before.target === place.target;
  // Its time may be longer by now.
  const isLonger = before.since !== undefined && !isPast(endOf(before.since), now);
  // Also of one that was made since then.
  if (isOfTarget && before.passed === true && !isLonger)
    return { ...place, ...given({ since: before.since }), passed: true };
  const known = isOfTarget && isNodeOf({ nodeCreatedAt: before.createdAt }, place) ? before : place;
  if (!isAt(node, place.target) || !node.ready) return { ...place, illSince: notAhead(known.illSince, now, 0) };
  const since = notAhead(known.since, now, skewSeconds);
  return { ...place, since, ...(isPast(endOf(since), now) ? { passed: true as const } : {}) };
}

/** By a clock that was ahead, or none yet: now. */
function notAhead(since: string | undefined, now: Date, skew: number): string {
  return since === undefined || secondsSince(since, now) < -skew ? now.toISOString() : since;
}

/** It is not there, or in another pool, as one that joins anew under its name as a plain worker. Of no matter where all
 *  others have had what it was to try. */
function goneFrom(known: CanaryWatch, { pools }: RunRecord, { plan, now }: Asked): CanaryWatch | undefined {
  if (known.passed === true) return known;
  const { since, illSince: _, ...place } = known;
  // Of no pool of the run for now: what is told of one that is gone stays told.
  if (!plan.pools.includes(known.pool)) return { ...place, ...given({ since }) };
  if (plan.pools.every((pool) => pools[pool]?.done !== undefined)) return undefined;
  return { ...place, goneSince: notAhead(known.goneSince, now, 0) };
}

function watchOf(name: string, { canaries = {} }: Pick<RunRecord, 'canaries'>): CanaryWatch | undefined {
  return Object.hasOwn(canaries, name) ? canaries[name] : undefined;
}

/** Why no node of that pool begins before canary nodes; undefined: they may. Those of a pool that goes after it go
 *  after its nodes, whatever they are. */
export function whySoaking({ plan: { run }, record, nodes, pools }: SoakQuestion, before: string): string | undefined {
  const first = pools.filter(({ after = [] }) => !after.includes(before));
  const left = run.canaryNodes.flatMap((name) => leftOf(name, first, { record, nodes }));
  const open = left.filter(({ since, illSince }) => since === undefined && illSince === undefined);
  const ill = left.filter(({ illSince }) => illSince !== undefined);
  const names = (of: typeof left) =>
    listed(
      of.map(({ name }) => name),
      3,
    );
  if (open.length > 0) return `canary nodes go first: ${names(open)}`;
  if (ill.length > 0) return `canary nodes are to be well first: ${names(ill)}`;
  const last = latest(left.map(({ since }) => since));
  return last && `the canary nodes are watched until ${plusSeconds(new Date(last), run.soakSeconds)}`;
}

/** One that is of a pool of those, and has not passed; without times: it is to have its config. */
function leftOf(
  name: string,
  first: readonly WatchedPool[],
  { record, nodes }: Pick<SoakQuestion, 'record' | 'nodes'>,
): readonly (Pick<CanaryWatch, 'since' | 'illSince'> & { readonly name: string })[] {
  const watch = watchOf(name, record);
  const node = byName(nodes, name);
  const pool = byName(first, watch?.goneSince === undefined ? node?.pool : watch.pool);
  if (pool === undefined || hasPassed(pool, watch, node)) return [];
  const { since, illSince } = watch?.target === pool.target ? watch : {};
  return [{ name, ...given({ since, illSince }) }];
}

/** Also if it is there, and no look has seen it yet. */
function hasPassed({ target }: WatchedPool, watch: CanaryWatch | undefined, node: TurnNode | undefined): boolean {
  if (watch === undefined) return node !== undefined && isAt(node, target);
  return watch.target === target && watch.passed === true;
}

/** A person has said `go-on` though it is not ready in its turn: the others go without it. */
export function isGoneOnWithout(node: string, record: Pick<RunRecord, 'canaries' | 'turns'>): boolean {
  return record.turns[node]?.notReadySince !== undefined && watchOf(node, record)?.passed === true;
}

interface SoakQuestion extends Omit<Asked, 'now'> {
  /** As it is with what this look sees of its canary nodes. */
  readonly record: Pick<RunRecord, 'canaries'>;
}

export interface CanaryProblem {
  readonly kind: 'canary';
  readonly node: string;
  /** ISO instant. */
  readonly since: string;
  readonly why: string;
}

/** Canary nodes that are gone, or not well for long, before they were watched to the end: what became of them may be
 *  what the others are to be spared. Only of what the run has seen: a name that no node had is passed over. */
export function canaryProblems({ canaries = {}, aborted }: RunRecord, now: Date): readonly CanaryProblem[] {
  if (aborted !== undefined) return [];
  const end = 'before it was watched to the end, and all others wait for it';
  return Object.entries(canaries).flatMap(([node, { pool, illSince, goneSince }]) => {
    const of = { kind: 'canary', node } as const;
    if (goneSince !== undefined)
      return [{ ...of, since: goneSince, why: `this canary node is gone from pool ${pool} ${end}` }];
    const isLong = illSince !== undefined && isPast(plusSeconds(new Date(illSince), unseenSeconds), now);
    const what = 'this canary node is not ready or not at rest';
    return isLong ? [{ ...of, since: illSince, why: `${what}, ${end}` }] : [];
  });
}
