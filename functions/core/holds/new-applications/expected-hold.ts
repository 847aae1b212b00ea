import type { Application, ObservedApplication } from '../../argocd/application.ts';
import type { Policy } from '../../configuration/policy.ts';
import type { Hold } from '../../openshift/hold.ts';
import type { Push } from '../../routing/awaited-push.ts';
import { given } from '../../text/given.ts';
import { earliest, isEarlierSecond, isLaterSecond, isPast, latest, plusSeconds } from '../../text/instant.ts';
import { endOfParent } from '../answers.ts';
import { type WriterWait, waitForWriter } from '../long-writer.ts';
import { released, type Step } from '../step.ts';
import { withBoth } from '../with-both.ts';
import type { ExpectedApplication } from './expected-application.ts';

/** Seconds after its parent's sync within which an Application exists; Argo CD writes it during that sync. */
const createdWithinSeconds = 60;

/** A hold for an Application that does not exist yet. */
export function holdForExpected(
  { id, ref, push }: ExpectedApplication,
  because: string,
  policy: Policy,
  now: Date,
): Step {
  const { at, via } = push;
  const until = untilOf(push, policy);
  if (isPast(until, now)) return { kind: 'nothing', why: 'the push is too old to create anything now' };
  const commit = via?.revision === undefined ? 'a push' : `a push of ${via.revision.slice(0, 8)}`;
  const hold: Hold = {
    id,
    kind: 'sync',
    who: `${ref.namespace}/${ref.name}`,
    why: `${commit} will make Argo CD sync something new: ${because}`,
    since: now.toISOString(),
    until,
    phase: 'expected',
    pushedAt: at,
    because,
    ...given({ via }),
  };
  return { kind: 'hold', hold };
}

/** An ApplicationSet may poll rarely, but the hold lasts no longer than one for the sync of a push. */
function untilOf({ at, via }: Push, policy: Policy): string {
  const latestEnd = plusSeconds(new Date(at), policy.expectSyncWithinSeconds);
  return earliest([via?.until, latestEnd]) ?? latestEnd;
}

export interface Waiting {
  readonly hold: Hold;
  /** A later push that also creates it. */
  readonly push: Push | undefined;
  readonly parent: ObservedApplication | undefined;
  readonly policy: Policy;
  readonly now: Date;
}

/** It does not exist yet: waits for its parent's sync and a little longer, but not forever. */
export function waitForExpected({ hold, push, parent, policy, now }: Waiting): Step {
  if (push !== undefined && hold.pushedAt !== undefined && isLaterSecond(push.at, hold.pushedAt)) {
    const until = untilOf(push, policy);
    const via = withBoth(hold.via, push, { policy, now, parent });
    return {
      kind: 'hold',
      hold: { ...hold, pushedAt: push.at, via, until: latest([hold.until, until]) ?? until },
    };
  }
  const writer = waitForWriter({ parent, policy, now }, hold);
  const until = latest([hold.until, writer?.until]) ?? hold.until;
  if (isPast(until, now)) return released(writer?.over ?? 'no such Application was created');
  const ended = hold.via?.until === undefined ? endOfParent({ parent, now }, hold) : undefined;
  const isOver = ended !== undefined && ended !== '' && isPast(plusSeconds(new Date(ended), createdWithinSeconds), now);
  return isOver
    ? released(`${hold.via?.namespace}/${hold.via?.name} has synced, and no such Application was created`)
    : { kind: 'hold', hold: withWords({ ...hold, until }, writer) };
}

function withWords(hold: Hold, { words = '' }: Partial<WriterWait> = {}): Hold {
  return hold.why.endsWith(words) ? hold : { ...hold, why: `${hold.why}${words}` };
}

/** Argo CD has compared it with Git since its writer may have written it, so its content is known: before that,
 *  somebody else may have created it under this name. */
export function isCompared({ sync, reconciledAt }: Application, since: string | undefined): boolean {
  if (reconciledAt === undefined || since === undefined || !['Synced', 'OutOfSync'].includes(sync.status)) return false;
  return since === '' || !isEarlierSecond(reconciledAt, since);
}
