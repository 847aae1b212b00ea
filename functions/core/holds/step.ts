import type { ObservedApplication } from '../argocd/application.ts';
import type { Policy } from '../configuration/policy.ts';
import type { Hold } from '../openshift/hold.ts';
import type { Push } from '../routing/awaited-push.ts';

/** What becomes of an Application's hold on a pool. */
export type Step =
  | { readonly kind: 'hold'; readonly hold: Hold }
  | {
      readonly kind: 'release';
      readonly why: string;
      readonly machineConfigs: readonly string[];
      /** The sync failed: what it applied rolls out only after an approval. */
      readonly needsApproval?: true | undefined;
      /** An earlier failure of the Application no longer counts: it has synced since, or the policy lets it go. */
      readonly endsFailure?: true | undefined;
      /** There was no hold: its sync, of the push of this pass or of none, was over before anybody looked. */
      readonly missed?: Missed | undefined;
    }
  | { readonly kind: 'nothing'; readonly why: string };

/** `partly`: another of its sources may have brought something that is not of the push. */
export type Missed = 'pushed' | 'partly' | 'unpushed';

export interface HoldQuestion {
  readonly hold: Hold | undefined;
  readonly observed: ObservedApplication;
  readonly push: Push | undefined;
  /** The parent Application that the hold is due to, if it was read. */
  readonly parent?: ObservedApplication | undefined;
  /** Names of the pools whose level refuses changes while they are not paused. */
  readonly refusing: readonly string[];
  readonly policy: Policy;
  readonly now: Date;
}

/** A release without an operation that wrote anything. */
export function released(why: string): Step {
  return { kind: 'release', why, machineConfigs: [] };
}
