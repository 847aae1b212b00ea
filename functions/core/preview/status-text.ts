import { durationText, estimate } from '../impact/estimate.ts';
import type { DisruptionClass } from '../machine-config/disruption.ts';
import { type PreviewedChange, type PreviewedPool, reRenderedPools, worstClass } from './preview.ts';

/** Characters. GitHub's limit for a status description. */
const statusAtMost = 140;

/** Description of the commit status. Names pools only. */
export function statusText(preview: PreviewedChange): string {
  const text = sentence(preview);
  return text.length <= statusAtMost ? text : `${text.slice(0, statusAtMost - 1)}…`;
}

function sentence(preview: PreviewedChange): string {
  const { applications, outOfSight, beyond } = preview;
  const blind = outOfSight.length + beyond;
  if (applications === 0) return 'No watched Application deploys this: no node is disrupted.';
  const pools = reRenderedPools(preview);
  if (pools.length === 0)
    return blind === 0
      ? 'Re-renders no pool: no node is disrupted.'
      : `${count(blind, 'cluster')} not checked: nodes may reboot there.`;
  const nodes = pools.reduce((sum, { machines }) => sum + machines, 0);
  const worst = worstClass({ ...preview, outOfSight: [], beyond: 0 });
  const isSure = pools.every((pool) => pool.class !== undefined);
  const takes = Math.max(0, ...pools.map((pool) => estimate(pool, pool.pace)?.minutes ?? 0));
  const parts = [
    `${headOf(worst, isSure)} ${count(nodes, 'node')}: ${namesOf(pools)}`,
    ...(takes > 1 ? [`about ${durationText(takes)}`] : []),
    ...(pools.some(({ holds }) => holds.length > 0) ? ['held now'] : []),
    ...(blind === 0 ? [] : [`${count(blind, 'cluster')} not checked`]),
  ];
  return `${parts.join(', ')}.`;
}

/** The effect of a class on nodes, as the beginning of a sentence. */
function headOf(worst: DisruptionClass, isSure: boolean): string {
  const words: Readonly<Record<DisruptionClass, string>> = {
    none: 'Writes to, without disrupting,',
    reload: 'Reloads units on',
    restart: 'Restarts units on',
    drain: 'Drains',
    reboot: 'Reboots',
  };
  return isSure || worst !== 'reboot' ? words[worst] : 'May reboot';
}

function namesOf(pools: readonly PreviewedPool[]): string {
  const names = [...new Set(pools.map(({ pool }) => pool))].toSorted();
  const shown = names.slice(0, 3).join(', ');
  return names.length > 3 ? `${shown} and ${names.length - 3} more` : shown;
}

export function count(many: number, what: string): string {
  return `${many} ${what}${many === 1 ? '' : 's'}`;
}
