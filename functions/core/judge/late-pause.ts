import { remedy } from '../diagnose/remedies.ts';
import { evidence, finding, ref } from '../findings/make-finding.ts';
import type { Finding, Trouble } from '../findings/trouble.ts';
import { ownerOfHold } from '../openshift/hold.ts';
import { isInFlight } from '../openshift/node.ts';
import { isLost } from '../races/choose-races.ts';
import { isConfirmed } from '../races/judge-race.ts';
import { pauseNow, type Race } from '../races/race.ts';
import { earliest } from '../text/instant.ts';
import { counted, listed } from '../text/phrases.ts';
import { byTurns } from '../text/rounds.ts';
import { unique } from '../text/unique.ts';
import { syncsToEnd } from './ended-syncs.ts';
import { poolFacts } from './facts.ts';
import { syncHoldsOf } from './held-applications.ts';
import type { JudgeInput } from './input.ts';
import type { PoolState } from './pool-state.ts';
import { trouble } from './pool-troubles.ts';
import { heldRef } from './told-application.ts';

/** The pause lost its race: nodes were targeted before it was confirmed. Reported while its hold lasts or those nodes
 *  are updating. */
export function latePause(state: PoolState, input: JudgeInput): readonly Trouble[] {
  const lost = inTurns(
    input.races.filter((race) => race.pool === state.pool.name && isLost(race) && stillMatters(race, state)),
    state,
  );
  const since = earliest(lost.map(({ pausedAt, since: began }) => pausedAt ?? began));
  if (since === undefined) return [];
  const missed = unique(lost.flatMap(({ missedNodes }) => missedNodes)).toSorted();
  const open = lost.filter((race) => isUnconfirmed(race, state));
  return [
    trouble(state, input, 'late-pause', {
      severity: open.length > 0 ? 'high' : 'warning',
      headline: headlineOf(open, missed, state),
      since,
      findings: lost.map((race) => lateFinding(race, state, input)),
      facts: poolFacts(state, [
        { label: 'Missed nodes', value: missed.length === 0 ? 'none known' : listed(missed) },
        { label: 'Sync', value: listed(unique(lost.map(({ hold }) => hold.replace(/^sync\//, ''))), 3) },
      ]),
      syncs: syncsToEnd(unique(lost.map(({ hold }) => hold)).map((hold) => ({ hold }))),
    }),
  ];
}

/** In the order in which people are told of them, as with syncs that failed: of each owner the one whose pause is still
 *  not confirmed, else the newest, and then the next of each. Whoever has many hides none of others. */
function inTurns(lost: readonly Race[], state: PoolState): readonly Race[] {
  const projects = new Map(syncHoldsOf(state).map(({ id, project }) => [id, project]));
  const pausedAt = (race: Race) => Date.parse(race.pausedAt ?? race.since);
  const worstFirst = lost.toSorted(
    (a, b) => Number(isUnconfirmed(b, state)) - Number(isUnconfirmed(a, state)) || pausedAt(b) - pausedAt(a),
  );
  return byTurns(worstFirst, ({ hold }) => ownerOfHold({ id: hold, project: projects.get(hold) }));
}

/** It was not confirmed in time, and the one that the pool has now is not either. */
function isUnconfirmed(race: Race, state: PoolState): boolean {
  return race.verdict === 'unprotected' && pauseNow(race).confirmedAt === undefined && !isObserved(race, state);
}

/** By the MCO, also where the nodes could not be read since. */
function isObserved(race: Race, { pool }: PoolState): boolean {
  return isConfirmed(pool, pauseNow(race).pauseGeneration);
}

function headlineOf(open: readonly Race[], missed: readonly string[], state: PoolState): string {
  if (open.some((race) => isSyncingFor(race, state))) return 'the pause is not confirmed, the sync runs unprotected';
  if (open.length > 0) return 'the pause is not confirmed';
  return missed.length === 0 ? 'the pause was confirmed too late' : `the pause came late for ${listed(missed, 2)}`;
}

function isSyncingFor(race: Race, state: PoolState): boolean {
  return syncHoldsOf(state).some(({ id, phase }) => id === race.hold && phase === 'syncing');
}

/** A pause that somebody took away before it was confirmed has missed what it has missed, and is not late besides. */
function stillMatters(race: Race, state: PoolState): boolean {
  const hold = syncHoldsOf(state).find(({ id, since }) => id === race.hold && since === race.since);
  const held = hold !== undefined && (hold.overruled === undefined || race.missedNodes.length > 0);
  return held || state.nodes.some((node) => race.missedNodes.includes(node.name) && isInFlight(node));
}

function lateFinding(race: Race, state: PoolState, input: JudgeInput): Finding {
  const { now } = input;
  const of = ref('MachineConfigPool', race.pool);
  const hold = syncHoldsOf(state).find(({ id }) => id === race.hold) ?? { id: race.hold };
  const readAt = now.toISOString();
  const times = [
    ['pushed', race.pushedAt],
    ['paused', race.pausedAt],
    ['confirmed', race.confirmedAt],
    ['applied', race.appliedAt],
    ['first node targeted', race.firstTargetedAt],
  ] as const;
  const unprotected = race.verdict === 'unprotected';
  return finding({
    code: unprotected ? 'Z2' : 'Z1',
    // Another Application whose pause is late, too, is news.
    subject: heldRef(hold, input) ?? of,
    sentence: unprotected ? unprotectedWords(race, state) : `${missedWords(race)}.`,
    confidence: 'certain',
    class: 'external',
    evidence: times.flatMap(([path, value]) => (value === undefined ? [] : [evidence(of, path, value, readAt)])),
    remedies: [
      remedy('Nodes already being updated cannot be stopped; the other nodes are held'),
      ...(hasLevelWithoutRace(race.pool, input) ? [] : [withoutRace]),
    ],
  });
}

const withoutRace = remedy(
  'For future syncs: protection admission has no such race, and with handshake full syncs wait for the pause',
);

function hasLevelWithoutRace(pool: string, { refusingPools = [], guardedPools = [] }: JudgeInput): boolean {
  return refusingPools.includes(pool) || guardedPools.includes(pool);
}

function missedWords({ missedNodes, hold }: Race): string {
  return `${counted(missedNodes.length, 'node')} (${listed(missedNodes)}) had been targeted before the pause for ${hold} was confirmed: they drain and reboot in spite of it`;
}

function unprotectedWords(race: Race, state: PoolState): string {
  const { hold, missedNodes, later } = race;
  const { confirmedAt } = pauseNow(race);
  const late = `The pause for ${hold} was not confirmed in time`;
  if (confirmedAt === undefined && isObserved(race, state))
    return `${late}. It is now: no further node is targeted. Which nodes had been before is not known, because nodes cannot be read.`;
  if (confirmedAt === undefined)
    return `${late}, and ${later === undefined ? '' : 'the one that followed '}is not yet: nodes may be targeted ${isSyncingFor(race, state) ? 'while the sync runs' : 'in spite of it'}.`;
  // Which nodes went before it, nobody has looked.
  if (later !== undefined)
    return `${late}, but the one that followed, at ${confirmedAt}: nodes may have been targeted before.`;
  if (missedNodes.length > 0) return `${late}, but at ${confirmedAt}. ${missedWords(race)}.`;
  return `${late}, but at ${confirmedAt}: no node was found that had been targeted before.`;
}
