import { type Application, isParked, isRunning, type Operation, waitsForRetry } from '../argocd/application.ts';
import { remedy } from '../diagnose/remedies.ts';
import { evidence, finding, ref } from '../findings/make-finding.ts';
import type { Finding, Trouble } from '../findings/trouble.ts';
import { earliest, secondsSince } from '../text/instant.ts';
import { ageText, lastingText, listed, quoted } from '../text/phrases.ts';
import { command } from '../text/shell-words.ts';
import { poolFacts } from './facts.ts';
import { heldApplication, syncHoldsOf } from './held-applications.ts';
import type { JudgeInput } from './input.ts';
import type { PoolState } from './pool-state.ts';
import { trouble } from './pool-troubles.ts';
/** An operation that runs longer than it may. The pool stays held: nothing is resumed on age alone. */
export function syncStuck(state: PoolState, input: JudgeInput): readonly Trouble[] {
  const stuck = syncHoldsOf(state).flatMap((hold) => {
    const application = heldApplication(hold, input);
    const operation = application?.operation;
    if (application === undefined || operation === undefined || !isRunning(operation)) return [];
    return secondsSince(operation.startedAt, input.now) >= input.policy.syncAtMostSeconds
      ? [{ application, operation }]
      : [];
  });
  const since = earliest(stuck.map(({ operation }) => operation.startedAt));
  if (since === undefined) return [];
  const names = stuck.map(({ application }) => `${application.namespace}/${application.name}`);
  const worst = secondsSince(since, input.now) >= 2 * input.policy.syncAtMostSeconds;
  return [
    trouble(state, input, 'sync-stuck', {
      severity: worst ? 'high' : 'warning',
      headline: `sync of ${listed(names, 2)} does not finish`,
      since,
      findings: stuck.map(({ application, operation }) => stuckFinding(application, operation, input)),
      facts: poolFacts(state, [
        { label: 'Application', value: listed(names, 3) },
        { label: 'Running for', value: lastingText(since, input.now.toISOString()) },
        { label: 'Pool', value: 'stays paused until the sync ends' },
      ]),
    }),
  ];
}

function stuckFinding(application: Application, operation: Operation, { now }: JudgeInput): Finding {
  const of = ref('Application', application.name, application.namespace);
  const readAt = now.toISOString();
  const age = ageText(secondsSince(operation.startedAt, now) * 1000);
  return finding({
    code: 'A2',
    subject: of,
    sentence: `The sync of ${of.namespace}/${of.name} has been running for ${age} (${stuckWords(operation)}): ${quoted(operation.message, 240)}`,
    confidence: 'certain',
    class: 'external',
    evidence: [
      evidence(of, 'status.operationState.phase', operation.phase, readAt),
      evidence(of, 'status.operationState.startedAt', operation.startedAt, readAt),
      evidence(of, 'status.operationState.retryCount', operation.retryCount, readAt),
    ],
    remedies: [
      remedy('Fix what the sync is waiting for (see its message)', { who: 'application owner' }),
      remedy('Or terminate the sync; the pool then stays held until a sync succeeds or the hold is released', {
        command: command('argocd', 'app', 'terminate-op', `${application.namespace}/${application.name}`),
        risk: 'low',
        who: 'application owner',
      }),
    ],
  });
}

function stuckWords(operation: Operation): string {
  if (isParked(operation)) return 'held back by a sync window';
  if (waitsForRetry(operation)) return `waiting for attempt ${operation.retryCount + 2}`;
  return operation.phase === 'Terminating' ? 'being terminated' : 'under way';
}
