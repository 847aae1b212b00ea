import type { Evidence, WaitingGuests } from '../../core/gates/evidence.ts';
import type { CanaryInUse } from '../../core/node-turns/canary-in-use.ts';
import { asInPool } from '../../core/node-turns/canary-nodes.ts';
import { type CanaryPlan, isSameContent } from '../../core/node-turns/canary-plan.ts';
import { nodesInCanary } from '../../core/node-turns/canary-run.ts';
import { rests, type TurnNode } from '../../core/node-turns/turn-node.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { byName } from '../../core/text/by-name.ts';
import { Transient } from '../../core/text/errors.ts';
import { seen, unreadable } from '../../core/text/observed.ts';
import { askAsOneNode } from '../node-turns/ask-as-one-node.ts';
import { readCanary } from '../node-turns/read-canary.ts';
import { readTurnNodes } from '../node-turns/read-turn-nodes.ts';
import { whetherPlace } from '../node-turns/run-places.ts';
import type { EvidenceReading, GatheredEvidence } from './evidence-reader.ts';

/** Of the nodes that are in these pools for their turn: what keeps those of their own pools from going. */
export async function readGuests(reading: EvidenceReading): Promise<GatheredEvidence> {
  const read = new Map(
    await Promise.all(
      reading.candidates.map(async (pool) => [pool.name, { guests: await guestsOf(pool, reading) }] as const),
    ),
  );
  return { ofPool: (pool) => read.get(pool) ?? {} };
}

async function guestsOf(canary: Pool, reading: EvidenceReading): Promise<Evidence['guests']> {
  const { snapshot, cluster, now } = reading;
  const use = snapshot.canaries?.get(canary.name);
  if (use === undefined) return unreadable('it is the canary of no run');
  const { goals } = use;
  if (goals === 'unseen') return unreadable(`what run ${use.run} has let go is not known: its record was not read`);
  try {
    const { pools, states } = await readCanary(snapshot.pools, new Set(), cluster);
    const noted = states.map(({ state }) => state);
    if (noted.includes('unreadable')) return unreadable('what a run has written cannot be understood');
    const nodes = await readTurnNodes(snapshot, cluster);
    const waiting: WaitingGuests[] = [];
    for (const state of noted) {
      if (state === 'unreadable' || state.canary !== canary.name) continue;
      const members = nodesInCanary(state, nodes, pools);
      if (members === undefined) return unreadable('a node selector of a pool could not be read');
      waiting.push(...(await waitingOf(members, nodes, { canary, use: { ...use, goals }, reading })));
    }
    return seen(waiting, now);
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    return unreadable(cause.message);
  }
}

/** Whose record was read. */
interface SeenInUse extends CanaryInUse {
  readonly goals: Exclude<CanaryInUse['goals'], 'unseen'>;
}

interface InCanary {
  readonly canary: Pool;
  readonly use: SeenInUse;
  readonly reading: EvidenceReading;
}

/** By their own pools. */
async function waitingOf(
  members: CanaryPlan['members'],
  nodes: readonly TurnNode[],
  { reading, ...there }: InCanary,
): Promise<readonly WaitingGuests[]> {
  const waiting: WaitingGuests[] = [];
  for (const [name, own] of Map.groupBy(members, ({ pool }) => pool)) {
    const names = new Set(own.map(({ node }) => node));
    const guests = nodes.filter((node) => names.has(node.name));
    const why = await whyGuestsStay({ ...there, guests, name }, reading);
    if (why !== undefined) waiting.push({ pool: name, nodes: [...names], why });
  }
  return waiting;
}

interface Guests {
  readonly guests: readonly TurnNode[];
  /** Of their own pool. */
  readonly name: string;
  readonly canary: Pool;
  readonly use: SeenInUse;
}

/** Undefined: they may go, as the nodes of a pool that is not paused do. The canary itself is left out of what is
 *  asked: it waits for the answer. */
async function whyGuestsStay(
  { guests, name, canary, use }: Guests,
  { snapshot, now, ports, gather }: EvidenceReading,
): Promise<string | undefined> {
  const pools = snapshot.pools.filter((pool) => pool.name !== canary.name);
  const own = byName(pools, name);
  if (own?.paused !== true) return undefined;
  // Whoever has begun comes back before anything else: for another config its Jobs have not run.
  const begun = guests.find((node) => hasBegun(asInPool(node, name, canary.name), use.goals[node.name], own));
  if (begun !== undefined) return `${begun.name} comes back first, with ${use.goals[begun.name]}`;
  if (!isSameContent(canary.target.name, own.target.name))
    return `pool ${name} is to have other content, ${own.target.name}`;
  const place = await whetherPlace(own, use.atOnce, { snapshot, pools, ports });
  return (await askAsOneNode(own, { run: use.run, snapshot: { ...snapshot, pools }, place, now }, gather)).why;
}

/** It is on its way to another config than its pool has by now, or has come there. */
function hasBegun(node: TurnNode, goal: string | undefined, { target }: Pool): boolean {
  return goal !== undefined && goal !== target.name && !(rests(node) && node.currentConfig !== goal);
}
