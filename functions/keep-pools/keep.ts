import type { WorkEvent } from '../../events/index.ts';
import { Transient } from '../core/errors.ts';
import type { KeepPorts } from './keep-ports.ts';
import { measureTick, note } from './measure.ts';
import { noteOutcome, type PassOfPush } from './note-outcome.ts';
import { type PassReport, pass } from './pass.ts';
import type { Scope } from './scope.ts';
import { scopesOf } from './scopes-of.ts';

/** One event = at most one pass over each cluster it concerns. Every cluster gets its pass, whatever became of the
 *  others; then the first failure is thrown, so that the queue brings the event again. */
export async function keep(event: WorkEvent, ports: KeepPorts): Promise<void> {
  note(measureTick(event, ports.clock()), ports.metrics);
  const { scopes, failures, keepRoutes } = await scopesOf(event, ports);
  if (scopes.length === 0 && failures.length === 0)
    ports.logger.info('event concerns no cluster', { type: event.type, id: event.id });
  const outcomes = await Promise.allSettled(scopes.map((scope) => pass(scope, ports)));
  if (event.type === 'poolkeeper.push.seen.v1') await noteOutcome(event, failures, passesOf(scopes, outcomes), ports);
  await keepRoutes();
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected')
      throw outcome.reason instanceof Error ? outcome.reason : new Transient(String(outcome.reason));
  }
  const [failure] = failures;
  if (failure !== undefined) throw failure.cause;
}

function passesOf(
  scopes: readonly Scope[],
  outcomes: readonly PromiseSettledResult<PassReport | undefined>[],
): readonly PassOfPush[] {
  return scopes.map((scope, index) => {
    const outcome = outcomes[index];
    return { scope, report: outcome?.status === 'fulfilled' ? outcome.value : undefined };
  });
}
