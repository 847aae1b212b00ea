import type { Application, Operation } from '../argocd/application.ts';
import { type RefusedSync, refusedSync } from '../argocd/refused-sync.ts';
import { remedy } from '../diagnose/remedies.ts';
import { evidence, finding } from '../findings/make-finding.ts';
import type { Finding } from '../findings/trouble.ts';
import { objectText } from '../holds/left-failed.ts';
import { isWritten } from '../holds/reach-of-sync.ts';
import { starter } from '../holds/retry-sync.ts';
import { renderedWritten } from '../impact/pools-affected-by-sync.ts';
import { secondsSince } from '../text/instant.ts';
import { listed } from '../text/phrases.ts';
import { command } from '../text/shell-words.ts';
import type { JudgeInput } from './input.ts';
import { applicationRef, inArgoCd, toldName } from './told-application.ts';

/** Seconds within which Poolkeeper retries a refused sync, if allowed: confirming a pause takes up to a minute. */
const startsWithinSeconds = 90;

/** The refused sync of an Application that nobody but a person will retry. Undefined: there is none. */
export function refusedForPeople(
  application: Application,
  { policy, now, refusingPools = [] }: Pick<JudgeInput, 'policy' | 'now' | 'refusingPools'>,
): RefusedSync | undefined {
  const refused = refusedSync(application, refusingPools, policy, now);
  if (refused === undefined || policy.onRefusedSync === 'tell') return refused;
  const { operation } = application;
  const isAgain = operation?.startedBy === starter;
  const isOverdue = secondsSince(operation?.finishedAt ?? refused.startedAt, now) > startsWithinSeconds;
  return isAgain || isOverdue ? refused : undefined;
}

/** Why it is waiting, and what to do. */
export function refusedFinding(application: Application, { pools, until }: RefusedSync, input: JudgeInput): Finding {
  const { policy, now } = input;
  const { namespace, name, operation, retryLimit } = application;
  const of = applicationRef(application, input);
  const readAt = now.toISOString();
  const isAgain = operation?.startedBy === starter;
  return finding({
    code: 'A4',
    subject: of,
    sentence: `The sync of ${toldName(application, input)} was refused${isAgain ? ' a second time' : ''} because ${listed(pools)} was not paused yet, and Argo CD does not retry it.${writtenText(operation)} The pool is paused for it until ${until}: ${whyNobody(isAgain, policy.onRefusedSync)}.`,
    confidence: 'certain',
    class: 'structural',
    evidence: [
      evidence(of, 'status.operationState.phase', operation?.phase ?? '', readAt),
      evidence(of, 'status.operationState.finishedAt', operation?.finishedAt ?? '', readAt),
      evidence(of, 'spec.syncPolicy.retry.limit', retryLimit, readAt),
    ],
    remedies: [
      remedy(`Sync again${inArgoCd(application, input)}: the pool is paused now`, {
        command: command('argocd', 'app', 'sync', `${namespace}/${name}`),
        who: 'application owner',
      }),
      remedy('For future syncs: set syncPolicy.retry on the Application, for example limit: 5', {
        who: 'application owner',
      }),
    ],
  });
}

/** What came after the pause, and was not refused; what is certain comes alone. */
function writtenText(operation: Operation | undefined): string {
  const all = operation === undefined ? [] : renderedWritten(operation);
  const certain = all.filter(isWritten);
  if (certain.length > 0) return ` A part of it is written: ${listed(certain.map(objectText), 3)}.`;
  return all.length === 0 ? '' : ` A part of it may be written: ${listed(all.map(objectText), 3)}.`;
}

function whyNobody(isAgain: boolean, onRefusedSync: 'tell' | 'restart'): string {
  if (onRefusedSync === 'tell') return 'someone must retry it (policy onRefusedSync is tell)';
  if (isAgain) return 'Poolkeeper retried it once and will not retry it again';
  return 'Poolkeeper could not retry it; it may lack permission to patch Applications';
}
