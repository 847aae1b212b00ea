import type { PushSeen, WorkEvent } from '../../events/index.ts';
import { Transient } from '../core/text/errors.ts';
import type { KeepPorts } from './keep-ports.ts';
import { pass } from './pass.ts';
import { takeRequest } from './requests/take-request.ts';
import { isOvertaken } from './route/is-overtaken.ts';
import type { Scope } from './route/scope.ts';
import { type Concern, scopesOf } from './route/scopes-of.ts';
import { measureTick, writeMetrics } from './tell/measure.ts';
import { noteOutcome, type PassOfPush } from './tell/note-outcome.ts';

/** One event = at most one pass over each cluster it concerns. Every cluster gets its pass, even if others fail; then
 *  the first failure is thrown, so that the queue redelivers the event. */
export async function keep(event: WorkEvent, ports: KeepPorts): Promise<void> {
  writeMetrics(measureTick(event, ports.clock()), ports.metrics);
  if (await isOvertaken(event, ports)) {
    ports.logger.info('an old tick is left out: its cluster was seen since', { type: event.type, id: event.id });
    return;
  }
  if (event.type === 'poolkeeper.request.asked.v1') await takeRequest(event, ports);
  const concern = await scopesOf(event, ports);
  const { late } = concern;
  // AWS freezes a function once it has answered, even with work in progress: wait for both, even if one fails.
  const [atOnce, afterwards] = await Promise.allSettled([
    followAtOnce(event, concern, ports),
    late?.concern.then((rest) => follow(rest, ports)),
  ]);
  const [first, second] = [settledValue(atOnce), settledValue(afterwards)];
  if (event.type === 'poolkeeper.push.seen.v1' && second !== undefined) {
    await noteFollowed(event, [first, second], [], ports);
    await (await late?.concern)?.keepRoutes();
  }
  const all = second === undefined ? [first] : [first, second];
  if (all.every(({ passes, failures }) => passes.length === 0 && failures.length === 0))
    ports.logger.info('event concerns no cluster', { type: event.type, id: event.id });
  const [cause] = [...all.flatMap(({ broken }) => broken), ...all.flatMap(({ failures }) => failures.map(causeOf))];
  if (cause !== undefined) throw cause;
}

async function followAtOnce(event: WorkEvent, concern: Concern, ports: KeepPorts): Promise<Followed> {
  const first = await follow(concern, ports);
  if (event.type === 'poolkeeper.push.seen.v1') await noteFollowed(event, [first], concern.late?.argocd ?? [], ports);
  await concern.keepRoutes();
  return first;
}

function settledValue<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}

/** What came of a concern. */
interface Followed extends Pick<Concern, 'failures'> {
  readonly passes: readonly PassOfPush[];
  /** Why passes failed. */
  readonly broken: readonly Error[];
}

async function follow({ scopes, more, failures }: Concern, ports: KeepPorts): Promise<Followed> {
  const over = (all: readonly Scope[]) => Promise.all(all.map((scope) => passOver(scope, ports)));
  const settled = await Promise.allSettled([over(scopes), more().then(over)]);
  const outcomes = settled.flatMap(settledValue);
  return {
    passes: outcomes.map(({ scope, report }) => ({ scope, report })),
    failures,
    broken: outcomes.flatMap(({ cause }) => cause ?? []),
  };
}

async function passOver(scope: Scope, ports: KeepPorts): Promise<PassOfPush & { readonly cause?: Error }> {
  try {
    const report = await pass(scope, ports);
    return report?.failure === undefined ? { scope, report } : { scope, report: undefined, cause: report.failure };
  } catch (cause) {
    return { scope, report: undefined, cause: cause instanceof Error ? cause : new Transient(String(cause)) };
  }
}

/** `open`: Argo CD instances that have not answered yet. */
async function noteFollowed(
  event: PushSeen,
  followed: readonly Followed[],
  open: readonly string[],
  ports: KeepPorts,
): Promise<void> {
  const unasked = [...open, ...followed.flatMap(({ failures }) => failures.map(({ argocd }) => argocd))];
  const passes = followed.flatMap((each) => each.passes);
  await noteOutcome(event, unasked, passes, ports);
}

function causeOf({ cause }: Concern['failures'][number]): Error {
  return cause;
}
