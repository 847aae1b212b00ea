import type { Policy } from '../core/configuration/policy.ts';
import { durationText } from '../shell/configuration/duration.ts';

/** A policy with the keys and values of `poolkeeper.yaml`, so that what the page shows can be pasted into the file. */
export function policyLines(policy: Policy): Readonly<Record<string, string>> {
  const { stuckAfter, alerting } = policy;
  return {
    expectSyncWithin: durationText(policy.expectSyncWithinSeconds),
    syncAtMost: durationText(policy.syncAtMostSeconds),
    failedAtMost: durationText(policy.failedAtMostSeconds),
    pausedAtMost: durationText(policy.pausedAtMostSeconds),
    onSyncFailure: policy.onSyncFailure,
    onRefusedSync: policy.onRefusedSync,
    onOverride: policy.onOverride,
    confirmWithin: durationText(policy.confirmWithinSeconds),
    renderSettle: durationText(policy.renderSettleSeconds),
    readChangeWithin: durationText(policy.readChangeWithinSeconds),
    sweepEvery: durationText(policy.sweepEverySeconds),
    blindAfterMisses: String(policy.blindAfterMisses),
    'stuckAfter.drain': durationText(stuckAfter.drainSeconds),
    'stuckAfter.apply': durationText(stuckAfter.applySeconds),
    'stuckAfter.reboot': durationText(stuckAfter.rebootSeconds),
    'stuckAfter.pickup': durationText(stuckAfter.pickupSeconds),
    'alerting.holdDown': durationText(alerting.holdDownSeconds),
    'alerting.keepFiring': durationText(alerting.keepFiringSeconds),
    'alerting.reopenWithin': durationText(alerting.reopenWithinSeconds),
    'alerting.editEvery': durationText(alerting.editEverySeconds),
    'alerting.reminders.critical': alerting.reminderSeconds.critical.map(durationText).join(', '),
    'alerting.reminders.other': alerting.reminderSeconds.other.map(durationText).join(', '),
    'alerting.flapChanges': String(alerting.flapChanges),
    'alerting.flapWindow': durationText(alerting.flapWindowSeconds),
    'alerting.flapCalm': durationText(alerting.flapCalmSeconds),
  };
}

/** What differs in `policy` from `base`. */
export function policyChanges(base: Policy, policy: Policy): Readonly<Record<string, string>> {
  const before = policyLines(base);
  return Object.fromEntries(Object.entries(policyLines(policy)).filter(([key, text]) => before[key] !== text));
}
