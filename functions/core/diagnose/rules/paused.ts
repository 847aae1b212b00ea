import { evidence, finding, ref } from '../../findings/make-finding.ts';
import type { Finding, Remedy } from '../../findings/trouble.ts';
import { endInGit, type GitPause, gitPauseOf } from '../../openshift/git-pause.ts';
import { fieldManager, holdsAnnotation } from '../../openshift/hold.ts';
import { holdersText } from '../../openshift/holders.ts';
import { keptPausedText } from '../../openshift/kept-paused.ts';
import { hasPendingChange, hasPendingRollout, imageOf, mayHaveNodesBehind, type Pool } from '../../openshift/pool.ts';
import { standingHoldsOf } from '../../openshift/pool-record.ts';
import { ageText, between, counted, listed } from '../../text/phrases.ts';
import { mergePatch } from '../../text/shell-words.ts';
import { remedy } from '../remedies.ts';
import { newSources } from './degraded-rule.ts';

/** S6: who paused the pool, and what waits behind the pause. A manager is a program: writing the same value again
 *  does not take the field over, and its time is its last write, so "who" is strong and "when" does not follow from
 *  it. */
export function explainPause(pool: Pool, since: string, readAt: string): Finding {
  const of = ref('MachineConfigPool', pool.name);
  const inGit = gitPauseOf(pool);
  // The API server names us, whatever Git says since.
  const writer = inGit === undefined ? writerOf(pool) : fieldManager;
  const recorded = inGit === undefined ? pool.pausedBy?.manager : writer;
  const by = writer === undefined ? 'somebody' : writer === fieldManager ? 'Poolkeeper' : writer;
  const holding = pool.pausedBy === undefined ? standingHoldsOf(pool).filter(({ kind }) => kind !== 'freeze') : [];
  const held = holding.length === 0 ? '' : `, for ${holdersText(holding)}`;
  const too = inGit === undefined ? '' : `, and by spec.paused: true in Git${inGit.place}`;
  return finding({
    code: 'S6',
    subject: of,
    sentence: `Pool ${pool.name} has been paused for ${ageText(between(since, readAt))} by ${by}${too}${held}; ${whatWaits(pool)}.`,
    confidence: pool.pausedBy === undefined ? 'likely' : 'strong',
    class: 'external',
    evidence: [
      evidence(of, 'spec.paused', pool.paused, readAt),
      evidence(of, 'metadata.managedFields[f:paused].manager', recorded ?? '(not recorded)', readAt),
      ...(inGit === undefined
        ? []
        : [evidence(of, `metadata.annotations[${holdsAnnotation}].pausedInGit`, 'set', readAt)]),
      ...(writer === recorded ? [] : [evidence(of, `metadata.annotations[${holdsAnnotation}].pause`, 'ours', readAt)]),
      evidence(of, 'spec.configuration.name', pool.target.name, readAt),
      evidence(of, 'status.configuration.name', pool.current.name, readAt),
    ],
    remedies: inGit === undefined ? resumeOf(pool, writer) : resumeThroughGit(pool, inGit),
  });
}

/** Files that `oc` has written say nothing of writers: there our record does. */
function writerOf({ pausedBy, record }: Pool): string | undefined {
  if (pausedBy !== undefined) return pausedBy.manager;
  return record.kind === 'record' && record.record.pause === 'ours' ? fieldManager : undefined;
}

/** Our own pause is ended by what it waits for. */
function resumeOf(pool: Pool, writer: string | undefined): readonly Remedy[] {
  if (writer === fieldManager) return [];
  const by = writer ?? 'somebody';
  const holding = standingHoldsOf(pool);
  // Without a command: what holds it would be passed until Poolkeeper has paused the pool for it.
  if (holding.length > 0)
    return [
      remedy(
        `Once nothing else holds it, resume it when ${by} is done with it. Until then it is held by ${holdersText(holding)}: resumed now, nodes may go before Poolkeeper has paused it again`,
      ),
    ];
  const kept = keptPausedText(pool);
  if (kept !== '')
    return [remedy(`Ask first: ${kept} wants it paused. Resume it when that is gone and ${by} is done with it`)];
  return [
    remedy(`Resume it when ${by} is done with it: everything that waits then goes out at once and nodes reboot`, {
      ...resumeByHand(pool),
      risk: 'low',
    }),
  ];
}

/** Argo CD applies Git again: a resume that Git does not know ends in the middle of the rollout. */
function resumeThroughGit(pool: Pool, inGit: GitPause): readonly Remedy[] {
  const first = endInGit(inGit);
  const kept = keptPausedText(pool);
  return [
    remedy(
      `${first.charAt(0).toUpperCase()}${first.slice(1)}, and sync that: the pool then resumes, everything that waits goes out and nodes reboot`,
      { who: 'application owner', risk: 'low' },
    ),
    kept === ''
      ? remedy(
          'Only after that, if the pool stays paused: resume it by hand. Before, Argo CD pauses it again with its next sync, with self-heal within minutes',
          { ...resumeByHand(pool), risk: 'low' },
        )
      : remedy(`Only after that, and once nobody wants it paused, as ${kept} does now: resume it by hand`),
  ];
}

function resumeByHand({ name }: Pool): Required<Pick<Remedy, 'command' | 'undo'>> {
  const target = { kind: 'machineconfigpool', name };
  return {
    command: mergePatch(target, { spec: { paused: false } }),
    undo: mergePatch(target, { spec: { paused: true } }),
  };
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
