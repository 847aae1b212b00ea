import type { ClusterConnection } from '../../../functions/adapters/kubernetes/connect.ts';
import { canariesOn, canaryAnnotation, type FoundCanary } from '../../../functions/core/node-turns/canary-state.ts';
import { fieldManager } from '../../../functions/core/openshift/hold.ts';
import { holdersText } from '../../../functions/core/openshift/holders.ts';
import { keptPausedText } from '../../../functions/core/openshift/kept-paused.ts';
import { hasPendingRollout, type Pool } from '../../../functions/core/openshift/pool.ts';
import { holdsOfPeople, isAboutToResume, standingHoldsOf } from '../../../functions/core/openshift/pool-record.ts';
import { listed } from '../../../functions/core/text/phrases.ts';
import { unique } from '../../../functions/core/text/unique.ts';
import type { Surroundings } from '../command.ts';
import { whoAmI } from '../pick-cluster.ts';
import { writeByHand } from '../write-pool.ts';
import { divided, type Shares } from './whose.ts';

/** The pools that Poolkeeper has to do with. */
export interface HeldPools {
  readonly held: readonly Pool[];
  /** Lines about what cannot be read, is not put back, or may be another installation's. */
  readonly stays: readonly string[];
  /** Lines about what another installation goes on with. */
  readonly theirs: readonly string[];
}

export async function heldPools({ pools }: ClusterConnection, shares: Shares): Promise<HeldPools> {
  const { items, unreadable } = await pools.listPools();
  const noted = items.map(({ name, annotations }) => ({ name, noted: annotations[canaryAnnotation] }));
  // What is only remembered of a pool is no hold.
  const isKept = (pool: Pool) => isOurs(pool) || (pool.record.kind !== 'none' && shares.pool(pool.name) === 'ours');
  const isConcerned = (name: string) => shares.pool(name) !== 'theirs';
  const { ours, stays, theirs } = divided(items.filter(isKept), {
    whoseIs: ({ name }) => shares.pool(name),
    said: ({ name }) => `pool ${name}`,
    shares,
  });
  return {
    held: ours,
    stays: [
      ...unreadable
        .filter(({ name }) => isConcerned(name))
        .map(({ name, why }) => `pool ${name} cannot be read, and stays paused if it is: ${why}`),
      ...canariesOn(noted.filter(({ name }) => isConcerned(name))).map(canaryText),
      ...stays.map((each) => `${each}; by hand: poolkeeper resume`),
    ],
    theirs,
  };
}

function canaryText({ pool, state }: FoundCanary): string {
  if (state === 'unreadable')
    return `pool ${pool}: annotation ${canaryAnnotation} cannot be understood; node selectors and labels that a run has changed stay so`;
  const { run, canary, targets, way } = state;
  const pools = listed(unique([...targets, canary, ...way.selectors.map((each) => each.pool)]), 5);
  const labels = listed(Object.keys({ ...way.marks, ...way.entry }), 3);
  return `run ${run}: node selectors of ${pools}, and labels of nodes (${labels}), stay as it has written them; annotation ${canaryAnnotation} of pool ${pool} says how they were: abort a run before`;
}

/** Where no record says whose pause it is, our field manager does. */
export function isOurs({ paused, pausedBy, record }: Pool): boolean {
  if (!paused) return false;
  return record.kind === 'record' ? record.record.pause === 'ours' : pausedBy?.manager === fieldManager;
}

/** What would be, or was, done with the pool, and what ends with that. */
export function releaseText(pool: Pool, now: Date): string {
  return `${isOurs(pool) ? 'resume' : 'clean'}  pool ${pool.name}${endedBy(pool, now)}`;
}

/** Removes the record, whatever is in it, and the pause if it is ours. */
export async function release(connection: ClusterConnection, name: string, surroundings: Surroundings) {
  const who = await whoAmI(connection, surroundings);
  const done = await writeByHand(connection.pools, {
    pool: name,
    decide: (pool) => {
      const ours = isOurs(pool);
      const by = pool.pausedBy?.manager ?? 'somebody';
      const stays = pool.paused ? `is no longer held; it stays paused by ${by}` : 'is no longer held';
      return {
        paused: ours ? false : undefined,
        record: null,
        said: `${ours ? 'is resumed' : stays}${endedBy(pool, surroundings.now())}`,
      };
    },
    event: () => ({
      reason: 'PoolkeeperDisconnected',
      message: `${who} disconnected the cluster from Poolkeeper`,
      type: 'Normal',
      at: surroundings.now(),
    }),
  });
  return `pool ${name} ${done.said}`;
}

/** What keeps the pool paused and ends with its record: what people wanted first, then syncs, runs and gates. */
function endedBy(pool: Pool, now: Date): string {
  const { record } = pool;
  const ofPeople = holdsOfPeople(record.kind === 'record' ? record.record : undefined, now);
  const said = ofPeople.map(({ kind, who, until }) => {
    const end = `${until.slice(0, 16)}Z`;
    return kind === 'freeze' ? `${who} has frozen until ${end}` : `${who} holds until ${end}`;
  });
  const more = said.length > 3 ? [`${said.length - 3} more`] : [];
  const kept = keptPausedText(pool);
  const others = standingHoldsOf(pool).filter(({ kind }) => kind === 'sync' || kind === 'rollout');
  const all = [
    ...said.slice(0, 3),
    ...more,
    ...(kept === '' ? [] : [`${kept} keeps paused`]),
    ...(others.length === 0 ? [] : [`${holdersText(others)} ${others.length === 1 ? 'keeps' : 'keep'} paused`]),
    ...(isAboutToResume(pool) ? ['waits for its gates'] : []),
  ];
  const begins = isOurs(pool) && hasPendingRollout(pool) ? '; its nodes begin to update' : '';
  return `${all.length === 0 ? '' : `, which ${all.join(' and ')}`}${begins}`;
}
