import * as z from 'zod';
import { defaultPolicy } from '../../core/configuration/policy.ts';
import { durationText } from './duration.ts';
import { count, duration, listOf, mapping } from './fields.ts';

/** The common policy, with every default named. */
export const CommonPolicyFile = policyOf(defaultPolicy);
/** The policy of one cluster: what is left out comes from the common one. */
export const ClusterPolicyFile = policyOf(undefined);
export type PolicyFile = z.infer<typeof ClusterPolicyFile>;

/** One key of the policy: described, and with its default named for editors where it is the default (not below a
 *  cluster, where what is left out comes from the common policy). */
function described<Inner extends z.ZodType>(inner: Inner, description: string, standard: unknown) {
  return inner.optional().meta(standard === undefined ? { description } : { description, default: standard });
}

/** `defaults` undefined: the policy of one cluster. */
function policyOf(defaults: typeof defaultPolicy | undefined) {
  const time = (seconds: number | undefined) => (seconds === undefined ? undefined : durationText(seconds));
  const stuck = defaults?.stuckAfter;
  const alerting = defaults?.alerting;
  const stuckBounds = { least: '10s', most: '12h' };
  return mapping({
    expectSyncWithin: described(
      duration({ least: '10s', most: '24h' }),
      'How long a push is waited for as a sync before the hold is let go.',
      time(defaults?.expectSyncWithinSeconds),
    ),
    syncAtMost: described(
      duration({ least: '1m', most: '168h' }),
      'Age of a running sync after which it is called stuck. The pool stays paused.',
      time(defaults?.syncAtMostSeconds),
    ),
    failedAtMost: described(
      duration({ least: '0s', most: '168h' }),
      'How long a failed sync holds its pools before onSyncFailure is done.',
      time(defaults?.failedAtMostSeconds),
    ),
    pausedAtMost: described(
      duration({ least: '1m', most: '168h' }),
      'Total pause of a pool after which people are told, whatever the reason.',
      time(defaults?.pausedAtMostSeconds),
    ),
    onSyncFailure: described(
      z.enum(['keep', 'resume'], { error: 'must be one of keep, resume' }),
      'After failedAtMost: keep the pool paused and escalate, or resume it.',
      defaults?.onSyncFailure,
    ),
    onRefusedSync: described(
      z.enum(['tell', 'restart'], { error: 'must be one of tell, restart' }),
      'When the admission level refused a sync that Argo CD does not try again: tell it, or start it again once the pools are paused.',
      defaults?.onRefusedSync,
    ),
    onOverride: described(
      z.enum(['respect', 'enforce'], { error: 'must be one of respect, enforce' }),
      'When a person resumes a held pool: respect it, or pause again.',
      defaults?.onOverride,
    ),
    confirmWithin: described(
      duration({ least: '1s', most: '15m' }),
      'How long a pause may wait for its confirmation before the sync is called unprotected.',
      time(defaults?.confirmWithinSeconds),
    ),
    renderSettle: described(
      duration({ least: '0s', most: '10m' }),
      'Quiet time after the end of a sync before its render counts as settled.',
      time(defaults?.renderSettleSeconds),
    ),
    readChangeWithin: described(
      duration({ least: '0s', most: '10s' }),
      'How long a push may wait to learn what it changes before its pools are paused by what the Application manages.',
      time(defaults?.readChangeWithinSeconds),
    ),
    sweepEvery: described(
      duration({ least: '1s', most: '1h' }),
      'How often a tick also lists the Applications and the nodes, so that a sync, and a node in no pool, is found without any event.',
      time(defaults?.sweepEverySeconds),
    ),
    blindAfterMisses: described(
      count(1, 100),
      'Failed reads in a row after which a cluster counts as out of sight.',
      defaults?.blindAfterMisses,
    ),
    stuckAfter: mapping({
      drain: described(duration(stuckBounds), 'A drain that does not end.', time(stuck?.drainSeconds)),
      apply: described(duration(stuckBounds), 'Files and OS being written.', time(stuck?.applySeconds)),
      reboot: described(duration(stuckBounds), 'A reboot.', time(stuck?.rebootSeconds)),
      pickup: described(duration(stuckBounds), 'The config daemon has not begun.', time(stuck?.pickupSeconds)),
    })
      .optional()
      .describe('After how long a node counts as stuck, by what it is doing.'),
    alerting: mapping({
      holdDown: described(
        duration({ least: '0s', most: '6h' }),
        'How long a condition that may heal by itself must last before people hear of it.',
        time(alerting?.holdDownSeconds),
      ),
      keepFiring: described(
        duration({ least: '0s', most: '24h' }),
        'How long a condition must be gone before its incident is resolved.',
        time(alerting?.keepFiringSeconds),
      ),
      reopenWithin: described(
        duration({ least: '0s', most: '48h' }),
        'A condition that returns within this time reopens the same incident.',
        time(alerting?.reopenWithinSeconds),
      ),
      editEvery: described(
        duration({ least: '1s', most: '6h' }),
        'Least time between two edits of a message that only refresh its durations.',
        time(alerting?.editEverySeconds),
      ),
      reminders: mapping({
        critical: described(
          rising(),
          'When a critical incident is told again, counted from its opening. The last one repeats.',
          alerting?.reminderSeconds.critical.map(durationText),
        ),
        other: described(
          rising(),
          'The same for every other severity.',
          alerting?.reminderSeconds.other.map(durationText),
        ),
      })
        .optional()
        .describe('When an incident that nobody has ended is told again.'),
      flapChanges: described(
        count(2, 20),
        'This many openings and closings within flapWindow are flapping.',
        alerting?.flapChanges,
      ),
      flapWindow: described(
        duration({ least: '1m', most: '48h' }),
        'See flapChanges.',
        time(alerting?.flapWindowSeconds),
      ),
      flapCalm: described(
        duration({ least: '1m', most: '48h' }),
        'Flapping ends after this much calm.',
        time(alerting?.flapCalmSeconds),
      ),
    })
      .optional()
      .describe('The life of an incident.'),
  });
}

function rising() {
  const must = 'must be a list of 1 to 10 lengths of time, each longer than the one before';
  return listOf(duration({ least: '1m', most: '168h' }), must)
    .min(1, { error: must })
    .max(10, { error: must })
    .refine((list) => list.every((each, index) => index === 0 || each > (list[index - 1] ?? 0)), { error: must });
}
