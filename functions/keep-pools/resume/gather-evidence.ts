import { isSameApplication, type ObservedApplication, refOf } from '../../core/argocd/application.ts';
import { type Evidence, type EvidenceKind, evidenceByCost, noEvidence } from '../../core/gates/evidence.ts';
import { decidePool } from '../../core/holds/decide.ts';
import type { PoolPlan } from '../../core/holds/plan.ts';
import type { Snapshot } from '../../core/holds/snapshot.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { unreadable } from '../../core/text/observed.ts';
import type { Decided, EvidenceReader, EvidenceReading, GatheredEvidence } from './evidence-reader.ts';
import { forecastDrains } from './forecast-drains.ts';
import { readApprovals } from './read-approvals.ts';
import { readCalendars } from './read-calendars.ts';
import { readControllers } from './read-controllers.ts';
import { readGuests } from './read-guests.ts';
import { readImages } from './read-images.ts';
import { readNodesBehind } from './read-nodes-behind.ts';
import { readOpenGuards } from './read-open-guards.ts';
import { readPace } from './read-pace.ts';
import { readTickets } from './read-tickets.ts';
import { readTurns } from './read-turns.ts';
import { readUpdate } from './read-update.ts';
import { takePlaces } from './take-places.ts';

/** The reader of each kind of evidence. */
const readers: Readonly<Record<EvidenceKind, EvidenceReader>> = {
  approvals: readApprovals,
  calendars: readCalendars,
  controllers: readControllers,
  drains: forecastDrains,
  guests: readGuests,
  images: readImages,
  pace: readPace,
  nodesBehind: readNodesBehind,
  openGuards: readOpenGuards,
  versionUpdate: readUpdate,
  place: takePlaces,
  ticket: readTickets,
  turn: readTurns,
};

/** For pools that only lack evidence to resume, reads the cheapest of it and decides again, until nothing is lacking.
 *  Each kind is read at most once per pool. */
export async function gatherEvidence(
  decided: Decided,
  reading: Omit<EvidenceReading, 'snapshot' | 'candidates' | 'gather'>,
): Promise<Decided> {
  let { plans, snapshot } = decided;
  const gather = (others: Decided) => gatherEvidence(others, reading);
  for (;;) {
    const kind = evidenceByCost.find((each) => lackingIt(plans, each, snapshot).length > 0);
    if (kind === undefined) return { plans, snapshot };
    const candidates = lackingIt(plans, kind, snapshot);
    const gathered = await readers[kind]({ ...reading, snapshot, candidates, gather });
    snapshot = withEvidence(snapshot, candidates, kind, gathered);
    plans = decidedAgain(plans, candidates, snapshot, reading.now);
  }
}

/** The pools that lack it and for which it was not read yet. */
function lackingIt(plans: readonly PoolPlan[], kind: EvidenceKind, { evidence }: Snapshot): readonly Pool[] {
  const wasRead = ({ name }: Pool) => (evidence.get(name) ?? noEvidence)[kind].kind !== 'not-asked';
  return plans.filter(({ lacking, pool }) => lacking === kind && !wasRead(pool)).map(({ pool }) => pool);
}

/** The snapshot with what was gathered. What a reader does not return counts as unreadable, so that it is not asked
 *  for again. */
function withEvidence(
  snapshot: Snapshot,
  candidates: readonly Pool[],
  kind: EvidenceKind,
  { ofPool, syncing = [] }: GatheredEvidence,
): Snapshot {
  const added = candidates.map(({ name }): readonly [string, Evidence] => {
    const unread = { [kind]: unreadable('it was not read') };
    return [name, { ...noEvidence, ...snapshot.evidence.get(name), ...unread, ...ofPool(name) }];
  });
  const others = snapshot.applications.filter(
    (known) => !syncing.some((each) => isSameApplication(each, refOf(known))),
  );
  const found = syncing.map((application): ObservedApplication => ({ kind: 'seen', application }));
  return {
    ...snapshot,
    applications: [...others, ...found],
    evidence: new Map([...snapshot.evidence, ...added]),
  };
}

function decidedAgain(
  plans: readonly PoolPlan[],
  candidates: readonly Pool[],
  snapshot: Snapshot,
  now: Date,
): readonly PoolPlan[] {
  const isCandidate = (pool: Pool) => candidates.some(({ name }) => name === pool.name);
  return plans.map((plan) => (isCandidate(plan.pool) ? decidePool(plan.pool, snapshot, now) : plan));
}
