import {
  type Application,
  type ApplicationSight,
  isParked,
  isRunning,
  isSyncing,
  type Operation,
  waitsForRetry,
  wasTerminated,
} from './application.ts';
import { type Hold, syncHoldId } from './hold.ts';
import { appliedMachineConfigs, renderedResources } from './impact.ts';
import { isLaterSecond, isPast, plusSeconds, secondsSince } from './instant.ts';
import type { Policy } from './policy.ts';

/** A push that an automated sync of this Application will follow. */
export interface Push {
  /** ISO instant of its receipt. */
  readonly at: string;
  /** Commit it brought. */
  readonly revision: string;
}

/** What becomes of an Application's hold on a pool. */
export type Step =
  | { readonly kind: 'hold'; readonly hold: Hold }
  | {
      readonly kind: 'release';
      readonly why: string;
      /** End of the operation that let go; the pass's time when there was none. */
      readonly finishedAt: string;
      readonly machineConfigs: readonly string[];
    }
  | { readonly kind: 'nothing'; readonly why: string };

export interface HoldQuestion {
  readonly hold: Hold | undefined;
  readonly sight: ApplicationSight;
  readonly push: Push | undefined;
  readonly policy: Policy;
  readonly now: Date;
}

/** The life of a sync hold, one step: from what is held and what is seen to what shall be held.
 *  Level-triggered: repeating it changes nothing, and every step is reached without any event. */
export function nextStep(question: HoldQuestion): Step {
  const { hold, sight, now } = question;
  if (sight.kind === 'unreadable') {
    return hold === undefined ? { kind: 'nothing', why: sight.why } : { kind: 'hold', hold };
  }
  if (sight.kind === 'gone') {
    return hold === undefined
      ? { kind: 'nothing', why: 'the Application is gone' }
      : released('the Application was deleted', now);
  }
  if (isSyncing(sight.application)) return { kind: 'hold', hold: syncing(question, sight.application) };
  const step = atRest(question, sight.application);
  return hold === undefined && step.kind === 'release' ? { kind: 'nothing', why: step.why } : step;
}

/** A manual or rollout hold ends at its `until`, nothing else. */
export function nextTimedStep(hold: Hold, now: Date): Step {
  return isPast(hold.until, now) ? released(`the hold of ${hold.who} ended as agreed`, now) : { kind: 'hold', hold };
}

function syncing(question: HoldQuestion, application: Application): Hold {
  const { policy, now } = question;
  const operation = isRunning(application.operation) ? application.operation : undefined;
  const base = withPush(question, application);
  const isSame = base.phase === 'syncing' && base.startedAt === operation?.startedAt;
  const isFresh = isSame && -secondsSince(base.until, now) > policy.syncAtMostSeconds / 4;
  return {
    ...base,
    phase: 'syncing',
    uid: application.uid,
    ...(operation === undefined ? {} : { startedAt: operation.startedAt }),
    why: `Argo CD syncs ${application.namespace}/${application.name}`,
    until: isFresh ? base.until : plusSeconds(now, policy.syncAtMostSeconds),
  };
}

function atRest(question: HoldQuestion, application: Application): Step {
  const { hold, push, now } = question;
  const isAwaited = push !== undefined && application.automated;
  if (hold === undefined && !isAwaited) return { kind: 'nothing', why: notAwaited(push) };

  const base = withPush(question, application);
  if (base.revision !== undefined && isSyncedAt(application, base.revision)) {
    return afterSync(application, 'the Application is Synced at that commit', now);
  }
  const operation = application.operation?.dryRun === true ? undefined : application.operation;
  if (operation === undefined || !answers(operation, base)) return stillExpected(question, application, base);
  // Nothing is held and the sync is over already: a repeated or late push, or a pause that would protect nothing.
  if (hold === undefined) return { kind: 'nothing', why: 'the sync that answers this push has ended' };
  return operation.phase === 'Succeeded' ? succeeded(question, application, base) : failed(question, application, base);
}

function notAwaited(push: Push | undefined): string {
  return push === undefined ? 'no sync runs' : 'automated sync is off: no sync will follow by itself';
}

function succeeded(question: HoldQuestion, application: Application, base: Hold): Step {
  const isAnotherCommit = base.revision !== undefined && !application.operation?.revisions.includes(base.revision);
  const followsByItself = application.automated && application.sync.status === 'OutOfSync';
  if (isAnotherCommit && followsByItself) return stillExpected(question, application, base);
  return afterSync(application, `Argo CD synced ${application.namespace}/${application.name}`, question.now);
}

function failed(question: HoldQuestion, application: Application, base: Hold): Step {
  const { policy, now } = question;
  const operation = application.operation;
  if (operation === undefined) return stillExpected(question, application, base);
  if (isAllRendered(application, operation)) {
    return afterSync(
      application,
      'the sync failed, but everything the Machine Config Operator renders was applied',
      now,
    );
  }
  const isKnown = base.phase === 'failed' && base.startedAt === operation.startedAt;
  if (isKnown && isPast(base.until, now) && policy.onSyncFailure === 'resume') {
    return afterSync(
      application,
      `the sync failed and held for ${policy.failedAtMostSeconds} s; policy onSyncFailure is resume`,
      now,
    );
  }
  const isFresh = isKnown && !isPast(base.until, now);
  const why = wasTerminated(operation) ? 'was terminated' : 'failed';
  return {
    kind: 'hold',
    hold: {
      ...base,
      phase: 'failed',
      uid: application.uid,
      startedAt: operation.startedAt,
      why: `the sync of ${application.namespace}/${application.name} ${why}${failedResources(operation)}`,
      until: isFresh ? base.until : plusSeconds(now, policy.failedAtMostSeconds),
    },
  };
}

/** No operation answers the push yet: wait for it, but not for ever. */
function stillExpected(question: HoldQuestion, application: Application, base: Hold): Step {
  const { policy, now } = question;
  if (base.phase === 'expected' && isPast(base.until, now)) return released('no sync came', now);
  if (base.phase === 'expected') return { kind: 'hold', hold: base };
  if (base.pushedAt === undefined) {
    const isOver = isPast(base.until, now);
    return isOver ? released('its operation can no longer be seen', now) : { kind: 'hold', hold: base };
  }
  const until = plusSeconds(new Date(base.pushedAt), policy.expectSyncWithinSeconds);
  if (isPast(until, now)) return released('no sync came', now);
  return { kind: 'hold', hold: { ...base, phase: 'expected', why: expectedWhy(application, base), until } };
}

function withPush({ hold, push, policy, now }: HoldQuestion, application: Application): Hold {
  const isNews =
    push !== undefined && (hold?.pushedAt === undefined || push.at > hold.pushedAt) && push.revision !== hold?.revision;
  const news = isNews ? { pushedAt: push.at, revision: push.revision } : {};
  if (hold === undefined) {
    const fresh: Hold = {
      id: syncHoldId(application),
      kind: 'sync',
      who: `${application.namespace}/${application.name}`,
      why: '',
      since: now.toISOString(),
      until: plusSeconds(push === undefined ? now : new Date(push.at), policy.expectSyncWithinSeconds),
      phase: 'expected',
      uid: application.uid,
      ...news,
    };
    return { ...fresh, why: expectedWhy(application, fresh) };
  }
  if (!isNews) return hold;
  const renewed: Hold = { ...hold, ...news };
  if (hold.phase === 'syncing') return renewed;
  const expected: Hold = { ...renewed, phase: 'expected', until: plusSeconds(now, policy.expectSyncWithinSeconds) };
  return { ...expected, why: expectedWhy(application, expected) };
}

function expectedWhy(application: Application, hold: Pick<Hold, 'revision'>): string {
  const commit = hold.revision === undefined ? '' : ` of ${hold.revision.slice(0, 8)}`;
  return `a push${commit} will make Argo CD sync ${application.namespace}/${application.name}`;
}

/** Does this finished operation answer the push (or the run) that the hold waits for?
 *  It does when it synced that commit, began in a later second than the push, or is the run that was seen. */
function answers(operation: Operation, hold: Hold): boolean {
  if (hold.revision !== undefined && operation.revisions.includes(hold.revision)) return true;
  if (hold.pushedAt !== undefined) return isLaterSecond(operation.startedAt, hold.pushedAt);
  return hold.startedAt === undefined || !isLaterSecond(hold.startedAt, operation.startedAt);
}

function isSyncedAt(application: Application, revision: string): boolean {
  return application.sync.status === 'Synced' && application.sync.revisions.includes(revision);
}

function isAllRendered(application: Application, operation: Operation): boolean {
  const rendered = renderedResources(application);
  if (operation.results.length === 0 || rendered.length === 0) return false;
  return rendered.every((resource) => {
    const result = operation.results.find(
      (each) => each.hookType === '' && each.kind === resource.kind && each.name === resource.name,
    );
    if (result !== undefined) return ['Synced', 'Pruned'].includes(result.status);
    return application.resources.some(
      (each) => each.kind === resource.kind && each.name === resource.name && each.status === 'Synced',
    );
  });
}

function failedResources(operation: Operation): string {
  const failures = operation.results.filter((result) => result.status === 'SyncFailed');
  if (failures.length === 0) return operation.message === '' ? '' : `: ${operation.message.slice(0, 200)}`;
  const named = failures.slice(0, 3).map((result) => `${result.kind} ${result.name}`);
  const more = failures.length > named.length ? ` and ${failures.length - named.length} more` : '';
  return `: ${named.join(', ')}${more}`;
}

function afterSync(application: Application, why: string, now: Date): Step {
  const operation = application.operation;
  return {
    kind: 'release',
    why,
    finishedAt: operation?.finishedAt ?? now.toISOString(),
    machineConfigs: appliedMachineConfigs(operation?.results ?? []),
  };
}

function released(why: string, now: Date): Step {
  return { kind: 'release', why, finishedAt: now.toISOString(), machineConfigs: [] };
}

/** What a running operation waits for, in words; empty when it simply runs. */
export function operationDetail(operation: Operation): string {
  if (isParked(operation)) return 'parked by a sync window';
  if (waitsForRetry(operation)) return `waits for retry ${operation.retryCount}`;
  return operation.phase === 'Terminating' ? 'is being terminated' : '';
}
