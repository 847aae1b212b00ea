import { durationText, estimate } from '../impact/estimate.ts';
import type { DisruptionClass } from '../machine-config/disruption.ts';
import { safeLine } from '../text/safe-text.ts';
import { unique } from '../text/unique.ts';
import {
  doubtsOf,
  type Preview,
  type PreviewedChange,
  type PreviewedPool,
  reRenderedPools,
  unassumedOf,
  worstClass,
} from './preview.ts';

/** Characters. GitHub's limit for a status description. */
const statusAtMost = 140;

/** UTF-16 units of the name of a branch in a status: what the sentence leaves. */
const branch = { atLeast: 12, atMost: 40 } as const;

/** Description of the commit status: with the branch that it is about, as a commit may be the head of several pull
 *  requests, and has one status of ours, the last one. */
export function statusOfCommit(preview: Preview): string {
  const said = sentence(preview);
  const left = statusAtMost - `Into : ${said}`.length;
  const name = safeLine(preview.state.base, Math.min(branch.atMost, Math.max(branch.atLeast, left)));
  return cut(`Into ${name}: ${said}`);
}

/** The same of a pull request, in its comment. Names pools only. */
export function statusText(preview: PreviewedChange): string {
  return cut(sentence(preview));
}

function cut(text: string): string {
  return text.length <= statusAtMost ? text : `${text.slice(0, statusAtMost - 1).toWellFormed()}…`;
}

function sentence(preview: PreviewedChange): string {
  const { outOfSight, beyond } = preview;
  const blind = outOfSight.length + beyond;
  const pools = reRenderedPools(preview);
  if (pools.length === 0) return sentenceWithoutPools(preview, blind);
  const worst = worstClass({ ...preview, outOfSight: [], beyond: 0 });
  const hit = pools.filter((pool) => (pool.class ?? 'reboot') === worst);
  const less = pools.filter((pool) => !hit.includes(pool));
  const isSure = pools.every((pool) => pool.class !== undefined);
  const takes = Math.max(0, ...hit.map((pool) => estimate(pool, pool.pace)?.minutes ?? 0));
  const parts = [
    `${headOf(worst, isSure)} ${nodesOf(hit)}: ${namesOf(hit)}`,
    ...(takes > 1 ? [`about ${durationText(takes)}`] : []),
    ...(pools.some(({ holds }) => holds.length > 0) ? ['held now'] : []),
    ...(blind === 0 ? [] : [`${count(blind, 'cluster')} not checked`]),
    ...unjudgedWords(unassumedOf(preview)),
    ...unreadableWords(preview),
    ...(less.length === 0 ? [] : [`does less to ${nodesOf(less)} (${namesOf(less)})`]),
  ];
  return `${parts.join(', ')}.`;
}

/** Says that no node is disrupted only where that is known. */
function sentenceWithoutPools(preview: PreviewedChange, blind: number): string {
  const { applications, unjudged, isUnnamed } = preview;
  const doubts = doubtsOf(preview);
  const unread = unreadableWords(preview);
  const unchecked = blind === 0 ? [] : [`${count(blind, 'cluster')} not checked`];
  if (doubts.unjudged.length + doubts.unreadable.length > 0)
    return `May reboot nodes: ${[...unjudgedWords(doubts.unjudged), ...unread, ...unchecked].join(', ')}.`;
  if (blind > 0) return `${[...unread, ...unchecked].join(', ')}: nodes may reboot there.`;
  const seen = applications === 0 ? 'No watched Application deploys this' : 'Re-renders no pool';
  const gaps = [...unjudgedWords(unjudged), ...unread];
  if (gaps.length > 0) return `${seen}, as far as known: ${gaps.join(', ')}.`;
  // One that was renamed, and is deployed by its earlier name, looks the same.
  if (applications === 0 && isUnnamed) return 'No watched Application names this repository.';
  return `${seen}: no node is disrupted.`;
}

/** By files; where one reason is that of all, with it. */
function unjudgedWords(unjudged: PreviewedChange['unjudged']): readonly string[] {
  const paths = new Set(unjudged.map(({ path }) => path));
  if (paths.size === 0) return [];
  const [why, ...others] = new Set(unjudged.map((each) => each.why));
  const because = why === undefined || others.length > 0 ? '' : ` (${why})`;
  const what = unjudged.every(({ isFile }) => isFile) ? 'file' : 'part';
  return [`${count(paths.size, what)} could not be judged${because}`];
}

/** What could not be parsed or read, counted by what it is. */
export function unreadableWords({ unreadable }: Pick<PreviewedChange, 'unreadable'>): readonly string[] {
  const kinds = ['Argo CD', 'Application', 'ApplicationSet list', 'ApplicationSet', 'pool', 'repository name'] as const;
  return kinds.flatMap((what) => {
    const many = unreadable.filter((each) => each.what === what).length;
    return many === 0 ? [] : [`${count(many, what)} could not be read`];
  });
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

function nodesOf(pools: readonly PreviewedPool[]): string {
  return count(
    pools.reduce((sum, { machines }) => sum + machines, 0),
    'node',
  );
}

function namesOf(pools: readonly PreviewedPool[]): string {
  const names = unique(pools.map(({ pool }) => pool)).toSorted();
  const shown = names.slice(0, 3).join(', ');
  return names.length > 3 ? `${shown} and ${names.length - 3} more` : shown;
}

export function count(many: number, what: string): string {
  return `${many} ${what}${many === 1 ? '' : 's'}`;
}
