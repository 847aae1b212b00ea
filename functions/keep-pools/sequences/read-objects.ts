import type { Answer } from '../../core/findings/question.ts';
import type { ServedResource } from '../../core/sequences/discovery.ts';
import {
  type GatePage,
  objectsAtMost,
  objectsIn,
  objectsPerPage,
  questionOf,
} from '../../core/sequences/gate-question.ts';
import type { EvaluateCel, GateVerdict } from '../../core/sequences/judge-gate.ts';
import { emptyTally, isSettled, tallied, verdictOf, verdictUnread } from '../../core/sequences/judge-objects.ts';
import type { ObjectGate } from '../../core/sequences/presets.ts';
import type { ObjectReader } from '../../ports/cluster.ts';
import type { Clock } from '../../ports/time.ts';
import { resolveOn } from './discover.ts';
import type { SequenceCluster } from './sequence-ports.ts';

/** What reading the objects of a gate needs. */
export interface GateReader extends Pick<SequenceCluster, 'reader' | 'origin'> {
  readonly evaluate: EvaluateCel;
  readonly clock: Clock;
}

/** Asks a gate about its objects, page by page, until it is known whether it is open. Mostly that is one small read. */
export async function askObjects(gate: ObjectGate, ports: GateReader): Promise<GateVerdict> {
  const resolved = await resolveOn(ports, gate.resourceType ?? '', ports.clock());
  if (resolved.kind === 'failed') return verdictUnread(gate, resolved);
  if (resolved.kind === 'unknown') return verdictUnread(gate, { kind: 'unknown-kind', why: resolved.why });
  const evaluate = withinTime(ports);
  let tally = emptyTally;
  let page: GatePage = {};
  for (;;) {
    const { answer, limit } = await readPage(gate, resolved.resource, page, ports.reader);
    const read = objectsIn(answer);
    if (read.kind !== 'objects') return verdictUnread(gate, read);
    tally = tallied(gate, tally, { objects: read.objects, evaluate });
    if (read.next === undefined || isSettled(gate, tally)) return verdictOf(gate, tally);
    if (tally.judged >= objectsAtMost) return verdictOf(gate, { ...tally, isCut: true });
    page = { limit: limit ?? objectsPerPage, next: read.next };
  }
}

/** A page whose answer is larger than may be read is asked for in smaller ones, and so are those after it: `limit`
 *  is what it was asked for with, undefined for a first page that could be read. */
async function readPage(
  gate: ObjectGate,
  resource: ServedResource,
  page: GatePage,
  reader: ObjectReader,
): Promise<{ readonly answer: Answer; readonly limit: number | undefined }> {
  const question = questionOf(gate, resource, page);
  const answer = await reader.read(question);
  const limit = Number(question.query['limit'] ?? 1);
  if (answer.kind !== 'failed' || answer.isTooLarge !== true || limit <= 1) return { answer, limit: page.limit };
  return readPage(gate, resource, { ...page, limit: Math.ceil(limit / 4) }, reader);
}

/** Milliseconds that the expression of one gate may take for all of its objects. Each may take 100. */
const evaluatedAtMost = 2_000;

/** Objects that somebody made so that each takes as long as it may cost no more than this together. */
function withinTime({ evaluate, clock }: GateReader): EvaluateCel {
  let spent = 0;
  return (expression, object) => {
    if (spent >= evaluatedAtMost) return { kind: 'stopped' };
    const began = clock().getTime();
    const result = evaluate(expression, object);
    spent += clock().getTime() - began;
    return result;
  };
}
