import { remedy } from '../diagnose/remedies.ts';
import { evidence, finding, ref } from '../findings/make-finding.ts';
import type { Finding, Trouble } from '../findings/trouble.ts';
import { applicationOfHold } from '../openshift/hold.ts';
import { isInFlight } from '../openshift/node.ts';
import { isLost } from '../races/choose-races.ts';
import type { Race } from '../races/race.ts';
import { earliest } from '../text/instant.ts';
import { counted, listed } from '../text/phrases.ts';
import { syncsToEnd } from './ended-syncs.ts';
import { poolFacts } from './facts.ts';
import { syncHoldsOf } from './held-applications.ts';
import type { JudgeInput } from './input.ts';
import type { PoolState } from './pool-state.ts';
import { trouble } from './pool-troubles.ts';
/** The pause lost its race: nodes were targeted before it was confirmed. Reported while its hold lasts or those nodes
 *  are updating. */
export function latePause(state: PoolState, input: JudgeInput): readonly Trouble[] {
  const lost = input.races.filter((race) => race.pool === state.pool.name && isLost(race) && stillMatters(race, state));
  const since = earliest(lost.map(({ pausedAt, since: began }) => pausedAt ?? began));
  if (since === undefined) return [];
  const missed = [...new Set(lost.flatMap(({ missedNodes }) => missedNodes))].toSorted();
  const unprotected = lost.some(({ verdict }) => verdict === 'unprotected');
  return [
    trouble(state, input, 'late-pause', {
      severity: unprotected ? 'high' : 'warning',
      headline: unprotected
        ? 'the pause was never confirmed, the sync runs unprotected'
        : `the pause came late for ${listed(missed, 2)}`,
      since,
      findings: lost.map((race) => lateFinding(race, input)),
      facts: poolFacts(state, [
        { label: 'Missed nodes', value: missed.length === 0 ? 'none known' : listed(missed) },
        { label: 'Sync', value: listed([...new Set(lost.map(({ hold }) => hold.replace(/^sync\//, '')))], 3) },
      ]),
      syncs: syncsToEnd([...new Set(lost.map(({ hold }) => hold))].map((hold) => ({ hold }))),
    }),
  ];
}

function stillMatters(race: Race, state: PoolState): boolean {
  const held = syncHoldsOf(state).some(({ id, since }) => id === race.hold && since === race.since);
  return held || state.nodes.some((node) => race.missedNodes.includes(node.name) && isInFlight(node));
}

function lateFinding(race: Race, { now }: JudgeInput): Finding {
  const of = ref('MachineConfigPool', race.pool);
  const application = applicationOfHold(race.hold);
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
    subject: application === undefined ? of : ref('Application', application.name, application.namespace),
    sentence: unprotected
      ? `The pause for ${race.hold} was not confirmed in time: nodes may be targeted while the sync runs.`
      : `${counted(race.missedNodes.length, 'node')} (${listed(race.missedNodes)}) had been targeted before the pause for ${race.hold} was confirmed: they drain and reboot in spite of it.`,
    confidence: 'certain',
    class: 'external',
    evidence: times.flatMap(([path, value]) => (value === undefined ? [] : [evidence(of, path, value, readAt)])),
    remedies: [
      remedy('Nodes already being updated cannot be stopped; the other nodes are held'),
      remedy('For future pushes: use protection handshake for this pool, so that the sync waits for the pause'),
    ],
  });
}
