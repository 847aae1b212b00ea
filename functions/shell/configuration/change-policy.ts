import type { AlertingPolicy, Policy, StuckAfter } from '../../core/configuration/policy.ts';
import type { PolicyFile } from './policy-file.ts';

/** The policy with what the file changes; what it leaves out stays. */
export function changePolicy(base: Policy, file: PolicyFile): Policy {
  return {
    expectSyncWithinSeconds: file.expectSyncWithin ?? base.expectSyncWithinSeconds,
    syncAtMostSeconds: file.syncAtMost ?? base.syncAtMostSeconds,
    failedAtMostSeconds: file.failedAtMost ?? base.failedAtMostSeconds,
    pausedAtMostSeconds: file.pausedAtMost ?? base.pausedAtMostSeconds,
    onSyncFailure: file.onSyncFailure ?? base.onSyncFailure,
    onRefusedSync: file.onRefusedSync ?? base.onRefusedSync,
    onOverride: file.onOverride ?? base.onOverride,
    confirmWithinSeconds: file.confirmWithin ?? base.confirmWithinSeconds,
    renderSettleSeconds: file.renderSettle ?? base.renderSettleSeconds,
    readChangeWithinSeconds: file.readChangeWithin ?? base.readChangeWithinSeconds,
    sweepEverySeconds: file.sweepEvery ?? base.sweepEverySeconds,
    blindAfterMisses: file.blindAfterMisses ?? base.blindAfterMisses,
    stuckAfter: changeStuckAfter(base.stuckAfter, file.stuckAfter ?? {}),
    alerting: changeAlerting(base.alerting, file.alerting ?? {}),
  };
}

function changeStuckAfter(base: StuckAfter, file: NonNullable<PolicyFile['stuckAfter']>): StuckAfter {
  return {
    drainSeconds: file.drain ?? base.drainSeconds,
    applySeconds: file.apply ?? base.applySeconds,
    rebootSeconds: file.reboot ?? base.rebootSeconds,
    pickupSeconds: file.pickup ?? base.pickupSeconds,
  };
}

function changeAlerting(base: AlertingPolicy, file: NonNullable<PolicyFile['alerting']>): AlertingPolicy {
  return {
    holdDownSeconds: file.holdDown ?? base.holdDownSeconds,
    keepFiringSeconds: file.keepFiring ?? base.keepFiringSeconds,
    reopenWithinSeconds: file.reopenWithin ?? base.reopenWithinSeconds,
    editEverySeconds: file.editEvery ?? base.editEverySeconds,
    reminderSeconds: {
      critical: file.reminders?.critical ?? base.reminderSeconds.critical,
      other: file.reminders?.other ?? base.reminderSeconds.other,
    },
    flapChanges: file.flapChanges ?? base.flapChanges,
    flapWindowSeconds: file.flapWindow ?? base.flapWindowSeconds,
    flapCalmSeconds: file.flapCalm ?? base.flapCalmSeconds,
  };
}
