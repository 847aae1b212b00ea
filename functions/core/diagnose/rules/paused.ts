import { evidence, finding, ref } from '../../findings/make-finding.ts';
import type { Finding } from '../../findings/trouble.ts';
import { fieldManager } from '../../openshift/hold.ts';
import { hasPendingChange, hasPendingRollout, imageOf, mayHaveNodesBehind, type Pool } from '../../openshift/pool.ts';
import { ageText, between, counted, listed } from '../../text/phrases.ts';
import { mergePatch } from '../../text/shell-words.ts';
import { remedy } from '../remedies.ts';
import { newSources } from './degraded-rule.ts';

/** S6: who paused the pool, and what waits behind the pause. A manager is a program: writing the same value again
 *  does not take the field over, and its time is its last write, so "who" is strong and "when" does not follow from
 *  it. */
export function explainPause(pool: Pool, since: string, readAt: string): Finding {
  const of = ref('MachineConfigPool', pool.name);
  const ours = pool.pausedBy?.manager === fieldManager;
  const by = pool.pausedBy === undefined ? 'somebody' : ours ? 'Poolkeeper' : pool.pausedBy.manager;
  const target = { kind: 'machineconfigpool', name: pool.name };
  return finding({
    code: 'S6',
    subject: of,
    sentence: `Pool ${pool.name} has been paused for ${ageText(between(since, readAt))} by ${by}; ${whatWaits(pool)}.`,
    confidence: pool.pausedBy === undefined ? 'likely' : 'strong',
    class: 'external',
    evidence: [
      evidence(of, 'spec.paused', pool.paused, readAt),
      evidence(of, 'metadata.managedFields[f:paused].manager', pool.pausedBy?.manager ?? '(not recorded)', readAt),
      evidence(of, 'spec.configuration.name', pool.target.name, readAt),
      evidence(of, 'status.configuration.name', pool.current.name, readAt),
    ],
    remedies: ours
      ? []
      : [
          remedy(`Resume it when ${by} is done with it: everything that waits then goes out at once and nodes reboot`, {
            command: mergePatch(target, { spec: { paused: false } }),
            undo: mergePatch(target, { spec: { paused: true } }),
            risk: 'low',
          }),
        ],
  });
}

function whatWaits(pool: Pool): string {
  const { machines, updated } = pool.counts;
  if (hasPendingChange(pool)) {
    const fresh = newSources({ pool });
    const names = fresh.length === 0 ? '' : ` with ${counted(fresh.length, 'new MachineConfig')}: ${listed(fresh, 3)}`;
    return `${pool.target.name} waits behind it${names}`;
  }
  if (hasPendingRollout(pool)) return `image ${imageOf(pool)} waits behind it`;
  if (!mayHaveNodesBehind(pool)) return 'nothing waits behind it';
  return `no change waits behind it, but ${updated} of its ${counted(machines, 'node')} ${updated === 1 ? 'counts' : 'count'} as updated`;
}
