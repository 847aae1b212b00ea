import { ownerOf } from '../findings/owner.ts';
import { severityRank } from '../findings/trouble-words.ts';
import { byTurns, roundsOf } from '../text/rounds.ts';
import type { Incident } from './incident.ts';
import { rootCause } from './root-cause.ts';

const stateRank = { firing: 0, resolving: 1, pending: 2, ok: 3 } as const;

/** In the order in which people are shown them: what fires first, and of that the worst. Of one severity each kind has
 *  its turn, and of a kind each cluster, and there each owner of the cause: who lets one Application fail on every pool
 *  hides none of others. Else in the order in which they were opened: when they began, a tenant's
 *  own status may say. */
export function byNeed(incidents: readonly Incident[]): readonly Incident[] {
  const sorted = incidents.toSorted((a, b) => needOf(a) - needOf(b) || openedBefore(a, b));
  return [...Map.groupBy(sorted, needOf).values()].flatMap((same) =>
    roundsOf([...Map.groupBy(same, ({ key }) => key.kind).values()].map(inTurns)).flat(),
  );
}

function inTurns(ofKind: readonly Incident[]): readonly Incident[] {
  const clusters = Map.groupBy(ofKind, ({ key }) => key.cluster);
  return roundsOf([...clusters.values()].map((own) => byTurns(own, whose))).flat();
}

/** Sort key. */
function needOf({ state, trouble }: Incident): number {
  return 10 * stateRank[state] + severityRank(trouble?.severity ?? 'info');
}

/** Whose its cause is; empty for what is no namespace's. */
function whose({ trouble }: Incident): string {
  const [first] = trouble?.findings ?? [];
  return first === undefined ? '' : ownerOf(rootCause(first).subject);
}

/** By their numbers, which we give. What waits to be told has none yet. */
function openedBefore(a: Incident, b: Incident): number {
  return numberOf(a) - numberOf(b) || (a.since ?? '').localeCompare(b.since ?? '');
}

function numberOf({ state, number }: Incident): number {
  return state === 'pending' ? 0 : number;
}
