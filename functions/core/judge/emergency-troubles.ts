import { remedy } from '../diagnose/remedies.ts';
import { textPart } from '../findings/cause-key.ts';
import { evidence, finding, ref } from '../findings/make-finding.ts';
import type { Trouble } from '../findings/trouble.ts';
import { freezesIn } from '../openshift/freeze.ts';
import { holdsAnnotation } from '../openshift/hold.ts';
import { holdsOf } from '../openshift/pool-record.ts';
import { fingerprint } from '../text/fingerprint.ts';
import { isPast } from '../text/instant.ts';
import { listed, quoted } from '../text/phrases.ts';
import { endLaneCommand } from '../text/pool-command.ts';
import type { JudgeInput } from './input.ts';
import { makeTrouble } from './make-trouble.ts';
import type { PoolState } from './pool-state.ts';

/** Somebody opened the emergency lane of the pool. It is no fault, but everybody has to know that nodes may reboot now,
 *  past what was agreed. Another end is another message. */
export function emergencyTroubles({ pool }: Pick<PoolState, 'pool'>, { cluster, now }: JudgeInput): readonly Trouble[] {
  const emergency = pool.record.kind === 'record' ? pool.record.record.emergency : undefined;
  if (emergency === undefined || isPast(emergency.until, now)) return [];
  const { who, why, since, until } = emergency;
  const of = ref('MachineConfigPool', pool.name);
  const freezes = freezesIn({ holds: holdsOf(pool) }).map((freeze) => `${freeze.who} until ${freeze.until}`);
  const trouble = makeTrouble({
    key: { cluster, pool: pool.name, kind: 'emergency' },
    severity: 'high',
    headline: `emergency lane opened by ${who}`,
    since: isPast(since, now) ? since : now.toISOString(),
    findings: [
      finding({
        code: 'Z3',
        subject: of,
        sentence: `Until ${until}, pool ${pool.name} resumes past freezes, windows, budgets and approvals: ${who} opened its emergency lane (${quoted(why, 240)}).`,
        confidence: 'certain',
        class: 'structural',
        evidence: [
          evidence(
            of,
            `metadata.annotations[${holdsAnnotation}].emergency`,
            `${who} until ${until}`,
            now.toISOString(),
          ),
        ],
        remedies: [remedy('Close it before its end', { command: endLaneCommand({ cluster, pool: pool.name }) })],
      }),
    ],
    facts: [
      { label: 'Opened by', value: who },
      { label: 'Why', value: why },
      { label: 'Until', value: until },
      { label: 'Pool', value: pool.paused ? 'still paused' : 'not paused' },
      ...(freezes.length === 0 ? [] : [{ label: 'Passes the freeze of', value: listed(freezes, 2) }]),
    ],
  });
  return [
    { ...trouble, digest: [trouble.digest, textPart(who), until].join(';'), acts: [fingerprint(`${who} ${until}`)] },
  ];
}
