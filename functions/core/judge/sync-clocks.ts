import { type Application, isSyncing } from '../argocd/application.ts';
import type { Hold } from '../openshift/hold.ts';
import { fingerprint } from '../text/fingerprint.ts';
import { latest } from '../text/instant.ts';
import { heldApplication, observedOf, syncHoldsOf } from './held-applications.ts';
import type { JudgeInput } from './input.ts';

/** When a sync that holds pools last showed a sign of life, as seen by us: whoever may write an Application may write
 *  every time in it. */
export interface SyncClock {
  /** Since when its operation has been exactly as it is. */
  readonly stillSince: string;
  /** Since when it has been seen running without a comparison by Argo CD. */
  readonly unreconciledSince: string;
}

type FirstSeen = JudgeInput['firstSeen'];

export interface SyncClocks {
  /** By id of the hold. */
  readonly clocks: ReadonlyMap<string, SyncClock>;
  /** To be stored until the next pass. */
  readonly firstSeen: FirstSeen;
}

/** No pool can have this name. */
const prefix = '*|sync|';

/** Whether a stored clock is one of these. */
export function isSyncClock(key: string): boolean {
  return key.startsWith(prefix);
}

/** The id of the hold whose clock it is. */
export function holdOfSyncClock(key: string): string {
  return key.slice(prefix.length, key.lastIndexOf('|'));
}

/** Reads and advances the clocks of the syncs that hold pools. Those of an Application that could not be read stay. */
export function syncClocks({ pools, applications, policy, firstSeen: before, now }: JudgeInput): SyncClocks {
  if (pools.kind !== 'seen') return { clocks: new Map(), firstSeen: startingWith(prefix, before) };
  const holds = new Map(pools.value.flatMap(syncHoldsOf).map((hold) => [hold.id, hold]));
  const clocks = new Map<string, SyncClock>();
  const firstSeen: Record<string, string> = {};
  for (const hold of holds.values()) {
    const observed = observedOf(hold, applications);
    const application = heldApplication(hold, { applications, policy });
    if (observed === undefined || observed.kind === 'unreadable') {
      Object.assign(firstSeen, startingWith(keyOf(hold), before));
    } else if (application !== undefined && isHeldForSync(hold, application)) {
      const [running, asItIs] = [`${keyOf(hold)}running`, `${keyOf(hold)}${fingerprint(stateText(application))}`];
      const seenSince = before[running] ?? now.toISOString();
      const stillSince = before[asItIs] ?? now.toISOString();
      Object.assign(firstSeen, { [running]: seenSince, [asItIs]: stillSince });
      const unreconciledSince = latest([seenSince, reconciledBefore(application, now)]) ?? seenSince;
      clocks.set(hold.id, { stillSince, unreconciledSince });
    }
  }
  return { clocks, firstSeen };
}

/** An operation that is no longer shown, and has not ended, holds its pools until the time of the hold is up. */
function isHeldForSync({ phase }: Hold, application: Application): boolean {
  return isSyncing(application) || phase === 'syncing';
}

function keyOf({ id }: Hold): string {
  return `${prefix}${id}|`;
}

function startingWith(start: string, all: FirstSeen): FirstSeen {
  return Object.fromEntries(Object.entries(all).filter(([key]) => key.startsWith(start)));
}

/** Everything that Argo CD changes while it works on an operation. */
function stateText({ operationQueued, operation }: Application): string {
  return JSON.stringify([operationQueued, operation]);
}

/** When Argo CD last compared it with Git; a time in the future is ignored. */
function reconciledBefore({ reconciledAt }: Application, now: Date): string | undefined {
  return reconciledAt !== undefined && Date.parse(reconciledAt) <= now.getTime() ? reconciledAt : undefined;
}
