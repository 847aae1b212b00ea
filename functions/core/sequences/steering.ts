import { mayHaveBeen } from '../argocd/clock-skew.ts';
import { secondsSince } from '../text/instant.ts';
import type { SequencePlan } from './plan.ts';
import { type SequenceRecord, type SequenceRequest, takenAtMost, wentOnAt, withLog, withRequest } from './record.ts';

/** What somebody asked of a sequence where its cluster is not reached, until a pass takes it. */
export interface AskedOfSequence {
  /** Of the request: it counts once, however often it is delivered or read. */
  readonly id: string;
  readonly sequence: string;
  readonly request: SequenceRequest;
}

/** What was asked longer ago is not done any more: others may have decided otherwise since, and a record that is new
 *  does not know what was taken before. Seconds. A sequence that is done is looked at every five minutes. */
const takenWithinSeconds = 900;

/** The record with what was asked for and is not taken yet, the oldest first. What comes too late, is about a step that
 *  is not planned any more, or would undo what somebody said since, is only noted. */
export function withAsked(
  record: SequenceRecord,
  asked: readonly AskedOfSequence[],
  { plan: { steps, gates }, now }: { readonly plan: SequencePlan; readonly now: Date },
): SequenceRecord {
  const taken = new Set(record.taken);
  const items = new Set([...steps, ...gates].map(({ id }) => id));
  const news = asked
    .filter(({ id }) => !taken.has(id))
    .toSorted((a, b) => Date.parse(a.request.said.at) - Date.parse(b.request.said.at));
  if (news.length === 0) return record;
  const next = news.reduce((changed, { request }) => withOne(changed, request, { items, now }), record);
  return { ...next, taken: [...(record.taken ?? []), ...news.map(({ id }) => id)].slice(-takenAtMost) };
}

function withOne(
  record: SequenceRecord,
  request: SequenceRequest,
  { items, now }: { readonly items: ReadonlySet<string>; readonly now: Date },
): SequenceRecord {
  const { kind, said } = request;
  const against = whyNotDone(record, request, { items, now });
  const noted = (known: SequenceRecord, what: string) =>
    withLog(known, [{ at: now.toISOString(), item: '', what: `${kind}, asked by ${said.who} at ${said.at}, ${what}` }]);
  if (against !== undefined) return noted(record, against);
  // Whoever told it to go on may have meant this one: what a pause holds back is not lost.
  if (kind === 'abort' && isLater(wentOnAt(record), said.at))
    return noted(withRequest(record, { kind: 'pause', said }), 'counts as a pause: it was told to go on at that time');
  return withRequest(record, request);
}

function isLater(other: string | undefined, at: string): boolean {
  return other !== undefined && Date.parse(other) > Date.parse(at);
}

/** In words; undefined: it is done. */
function whyNotDone(
  record: SequenceRecord,
  request: SequenceRequest,
  { items, now }: { readonly items: ReadonlySet<string>; readonly now: Date },
): string | undefined {
  const { kind, said } = request;
  if (kind === 'skip' && !items.has(request.item)) return `was not done: ${request.item} is not planned any more`;
  if (secondsSince(said.at, now) > takenWithinSeconds) return 'came too late and was not done';
  return kind === 'skip' ? undefined : saidAgainst(record, { isStop: kind !== 'go-on', at: said.at, now });
}

/** The newer word counts. */
function saidAgainst(
  record: SequenceRecord,
  { isStop, at, now }: { readonly isStop: boolean; readonly at: string; readonly now: Date },
): string | undefined {
  const { paused, aborted } = record;
  if (!isStop) {
    const later = [aborted, paused].find((stop) => isLater(stop?.at, at));
    return later && `was not done: ${later.who} stopped it after that`;
  }
  const wentOn = wentOnAt(record);
  // By a clock that is ahead it would keep stops away that were asked for after it.
  const isAfter = wentOn !== undefined && !mayHaveBeen(wentOn, new Date(at)) && Date.parse(wentOn) <= now.getTime();
  return isAfter ? 'was not done: it was told to go on after that' : undefined;
}
