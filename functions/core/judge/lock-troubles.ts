import { remedy } from '../diagnose/remedies.ts';
import { evidence, finding, ref } from '../findings/make-finding.ts';
import type { Finding, Trouble } from '../findings/trouble.ts';
import type { OverdueLock } from '../fleet-lock/overdue-locks.ts';
import { counted, listed } from '../text/phrases.ts';
import { byTurns } from '../text/rounds.ts';
import { safeLine } from '../text/safe-text.ts';
import { poolkeeperCommand } from '../text/shell-words.ts';
import { unique } from '../text/unique.ts';
import type { JudgeInput } from './input.ts';
import { makeTrouble } from './make-trouble.ts';

/** Of a thousand machines that lost power, a few say it; one of each group in any case. */
const findingsAtMost = 10;

/** Machines outside OpenShift that went to reboot and have not come back: one trouble for all of them, told by the
 *  cluster that looks after them. */
export function lockTroubles({ cluster, overdueLocks, now }: JudgeInput): readonly Trouble[] {
  const overdue = overdueLocks?.kind === 'seen' ? overdueLocks.value : [];
  const [first] = overdue;
  if (first === undefined) return [];
  const groups = unique(overdue.map(({ group }) => group));
  const told = byTurns(overdue, ({ group }) => group).slice(0, Math.max(findingsAtMost, groups.length));
  return [
    makeTrouble({
      key: { cluster, pool: '*', kind: 'lock-overdue' },
      severity: 'high',
      headline:
        overdue.length === 1
          ? `machine ${safeLine(first.id, 40)} has not come back from its reboot`
          : `${counted(overdue.length, 'machine')} have not come back from their reboots`,
      since: first.dueAt,
      findings: told.map((lock) => findingOf(lock, now.toISOString())),
      facts: [
        { label: groups.length === 1 ? 'Group' : 'Groups', value: listed(groups, 3) },
        { label: 'Gone since', value: first.since },
      ],
    }),
  ];
}

function findingOf({ group, id, since, dueAt }: OverdueLock, readAt: string): Finding {
  const machine = safeLine(id, 100);
  const of = ref('Machine', `${group}/${machine}`);
  return finding({
    code: 'F1',
    subject: of,
    sentence: `Machine ${machine} of group ${group} was given its slot at ${since} and should have been back by ${dueAt}: it keeps the slot, and the next machine waits.`,
    confidence: 'certain',
    class: 'structural',
    evidence: [evidence(of, 'slot', since, readAt)],
    remedies: [
      remedy('Look at the machine: once it is up, it gives its slot back by itself'),
      remedy('Release its slot, if it never will be', {
        command: poolkeeperCommand('locks', 'release', '--group', group, '--id', id, '--reason', '...'),
        risk: 'low',
      }),
    ],
  });
}
