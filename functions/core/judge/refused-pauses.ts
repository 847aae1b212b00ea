import { remedy } from '../diagnose/remedies.ts';
import { evidence, finding, ref } from '../findings/make-finding.ts';
import type { Trouble } from '../findings/trouble.ts';
import { holdsAnnotation } from '../openshift/hold.ts';
import { secondsSince } from '../text/instant.ts';
import { ageText, between, quoted } from '../text/phrases.ts';
import { safeLine } from '../text/safe-text.ts';
import { command, poolkeeperCommand } from '../text/shell-words.ts';
import type { JudgeInput } from './input.ts';
import { makeTrouble } from './make-trouble.ts';

type FirstSeen = JudgeInput['firstSeen'];

/** No pool can have this name. */
const prefix = '*|refused|';

/** Of the reason, in UTF-16 units. */
const whyAtMost = 240;

/** Sweeps after which nobody wants the pause any more: a sync that no event reports is seen by them alone. */
const sweepsKept = 3;

/** Pools that were to be paused and could not be written, as where a role names the pools that may be, or that have a
 *  record that cannot be read, as of a newer version. Nothing on them says so, and syncs go on without a pause. */
interface RefusedPauses {
  readonly troubles: readonly Trouble[];
  /** To be stored until the next pass. */
  readonly firstSeen: FirstSeen;
}

export function refusedPauses(input: JudgeInput): RefusedPauses {
  const { pools, firstSeen: before, now, policy } = input;
  const known = Object.entries(before).filter(([key]) => key.startsWith(prefix));
  if (pools.kind !== 'seen') return { troubles: [], firstSeen: Object.fromEntries(known) };
  const keptSeconds = sweepsKept * policy.sweepEverySeconds;
  const found = pools.value.flatMap(({ pool, refusedPause, unreadRecord }) => {
    const keyOf = (word: string) => `${prefix}${word}|${pool.name}`;
    const last = refusedPause === undefined ? before[keyOf('last')] : now.toISOString();
    const seenAt = unreadRecord === undefined ? last : now.toISOString();
    if (pool.paused || seenAt === undefined || secondsSince(seenAt, now) >= keptSeconds) return [];
    const since = before[keyOf('first')] ?? seenAt;
    const why = refusedPause === undefined ? (before[keyOf('why')] ?? '') : safeLine(refusedPause, whyAtMost);
    const ofLast: FirstSeen = last === undefined ? {} : { [keyOf('last')]: last, [keyOf('why')]: why };
    const clocks: FirstSeen = { [keyOf('first')]: since, ...ofLast };
    return [{ clocks, trouble: refused({ pool: pool.name, since, last: seenAt, why, unreadRecord }, input) }];
  });
  return {
    troubles: found.map(({ trouble }) => trouble),
    firstSeen: Object.assign({}, ...found.map(({ clocks }) => clocks)),
  };
}

interface Refused {
  readonly pool: string;
  readonly since: string;
  readonly last: string;
  readonly why: string;
  /** Why its record cannot be read; undefined: it can. */
  readonly unreadRecord: string | undefined;
}

function refused({ pool, since, last, why, unreadRecord }: Refused, { cluster, now }: JudgeInput): Trouble {
  const of = ref('MachineConfigPool', pool);
  return makeTrouble({
    key: { cluster, pool, kind: 'late-pause' },
    severity: 'high',
    headline: 'cannot be paused: nodes may reboot during a sync',
    since,
    findings: [
      finding({
        code: 'Z4',
        subject: of,
        sentence: `Pool ${pool} ${unreadRecord === undefined ? 'was to be paused, and its API server has not taken that' : 'is never paused while its record cannot be read'}: ${quoted(unreadRecord ?? why, whyAtMost)}. Its nodes may reboot in the middle of a sync, and in spite of a freeze.`,
        confidence: 'certain',
        class: 'external',
        evidence: [evidence(of, 'spec.paused', false, now.toISOString())],
        remedies: [
          ...(unreadRecord === undefined
            ? []
            : [
                remedy('Remove its record, once it is known who wrote it', {
                  command: command('oc', 'annotate', 'machineconfigpool', pool, `${holdsAnnotation}-`),
                  risk: 'low',
                }),
              ]),
          remedy('See whether Poolkeeper may pause it: roles and policies may name the pools', {
            command: poolkeeperCommand('doctor'),
          }),
          remedy('If it is not to be paused, give it protection observe in poolkeeper.yaml'),
        ],
      }),
    ],
    facts: [
      { label: 'Last tried', value: last },
      { label: 'Not paused for', value: ageText(between(since, now.toISOString())) },
    ],
  });
}
