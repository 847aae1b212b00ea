import { estimate, estimateSource, estimateText } from '../impact/estimate.ts';
import { code, fenced, plain } from './markdown.ts';
import {
  type PreviewedChange,
  type PreviewedCluster,
  type PreviewedDiff,
  type PreviewedPool,
  type PreviewedWarning,
  unassumedOf,
} from './preview.ts';
import { count, statusText, unreadableWords } from './status-text.ts';

/** Characters of a comment. GitHub's limit is 65,536; the marker of the comment is added to these. */
const commentAtMost = 60_000;
/** Pools in the table. */
const rowsAtMost = 60;
/** Lines of a diff shown for one changed setting. */
const linesPerEntry = 60;
/** Changed settings shown for one pool. */
const entriesPerPool = 40;
/** Items of every other list. */
const listedAtMost = 20;
/** Characters kept free for the note that something was left out. */
const noteCharacters = 200;

/** The preview as GitHub Markdown, within the limits of a comment. What does not fit is cut from the end of the
 *  details, with a note.
 *  @param foot what the preview is of and for whom, as Markdown */
export function previewMarkdown(preview: PreviewedChange, { foot: about }: { readonly foot: string }): string {
  const head = [
    '### Poolkeeper: what this does to nodes',
    `**${plain(statusText(preview))}**`,
    ...poolTable(preview),
    ...currentHolds(preview),
    ...beforeRollout(preview),
    ...uncheckedClusters(preview),
    ...doubtful(preview),
  ];
  const takes = preview.clusters.flatMap(({ pools }) => pools.map((pool) => estimate(pool, pool.pace)));
  const foot = `<sub>${[about, `Durations ${plain(estimateSource(takes), 400)}.`].filter(Boolean).join(' ')}</sub>`;
  const room = commentAtMost - joined([...head, foot]).length;
  const details = preview.clusters.flatMap((cluster) => [
    ...cluster.pools.map((pool) => poolDetails(cluster, pool)),
    ...clusterDetails(cluster),
  ]);
  return joined([...head, ...fitting([...details, ...unreadParts(preview)], room), foot]);
}

function joined(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** As many parts as fit into `room` characters, with a note of how many do not. */
function fitting(parts: readonly string[], room: number): readonly string[] {
  const taken: string[] = [];
  let left = room - noteCharacters;
  for (const part of parts) {
    if (part.length + 2 > left) {
      const more = parts.length - taken.length;
      return [...taken, `_${count(more, 'section')} left out: the comment would be too long for GitHub._`];
    }
    taken.push(part);
    left -= part.length + 2;
  }
  return taken;
}

function poolTable(preview: PreviewedChange): readonly string[] {
  const rows = preview.clusters.flatMap(({ cluster, pools }) =>
    pools.map((pool) => {
      const takes = estimate(pool, pool.pace);
      const cells = [
        code(cluster),
        code(pool.pool),
        String(pool.machines),
        effectText(pool),
        takes === undefined ? '' : estimateText(pool, takes),
      ];
      return `| ${cells.join(' | ')} |`;
    }),
  );
  if (rows.length === 0) return [];
  const shown = rows.slice(0, rowsAtMost);
  return [
    ['| Cluster | Pool | Nodes | Effect | Duration |', '|---|---|---:|---|---|', ...shown].join('\n'),
    ...(rows.length > shown.length ? [`And ${count(rows.length - shown.length, 'pool')} more.`] : []),
  ];
}

function effectText({ class: is, update }: PreviewedPool): string {
  if (update === 'nothing') return 'nothing: its rendered config does not change';
  if (is === undefined) return 'unknown, so **reboot**';
  return is === 'none' ? 'nothing' : `**${is}**`;
}

/** The holds of pools that the change affects. */
function currentHolds({ clusters }: PreviewedChange): readonly string[] {
  const lines = clusters.flatMap(({ cluster, pools }) =>
    pools.flatMap(({ pool, holds, update }) =>
      (update === 'nothing' ? [] : holds).map(({ kind, who, since }) => {
        const by = who === '' ? '' : ` by ${code(who)}`;
        return `${code(pool)} of ${code(cluster)} is held${by} since ${plain(minuteOf(since))} (${plain(kind)}): this change rolls out together with what is pending there.`;
      }),
    ),
  );
  return lines.length === 0 ? [] : [`**Paused now**\n\n${bulleted(lines, asItIs)}`];
}

/** `2026-03-02 10:12 UTC`. */
function minuteOf(since: string): string {
  return `${since.slice(0, 16).replace('T', ' ')} UTC`;
}

/** What a rollout will wait for. */
function beforeRollout({ clusters }: PreviewedChange): readonly string[] {
  const lines = clusters.flatMap(({ cluster, pools }) =>
    pools
      .filter(({ update, ahead = [] }) => update !== 'nothing' && ahead.length > 0)
      .map(({ pool, ahead = [] }) => `${code(pool)} of ${code(cluster)}: ${plain(ahead.join('; '))}`),
  );
  return lines.length === 0 ? [] : [`**Before it rolls out**\n\n${bulleted(lines, asItIs)}`];
}

/** Clusters that were not read: their nodes may reboot. */
function uncheckedClusters({ outOfSight, beyond }: PreviewedChange): readonly string[] {
  const lines = [
    ...outOfSight.map(
      ({ cluster, why }) => `${code(cluster)} could not be read (${plain(why, 200)}): its nodes may reboot.`,
    ),
    ...(beyond === 0
      ? []
      : [`${count(beyond, 'cluster')} more were not checked because there are too many: their nodes may reboot.`]),
  ];
  return [bulleted(lines, asItIs)];
}

/** What may reach nodes without a pool that is known to be reached. */
function doubtful(preview: PreviewedChange): readonly string[] {
  const files = bulleted(
    unassumedOf(preview),
    ({ path, why, isMerge }) =>
      `${code(path)} could not be judged: ${plain(why)}.${isMerge ? behindBase : ''} ${mayBringRendered}.`,
  );
  const unread = unreadableWords(preview).map((words) => `- ${words}: what the change does there is not known.`);
  if (files === '' && unread.length === 0) return [];
  const named = preview.unreadable.filter(({ name }) => name !== '');
  const names = bulleted(named, ({ what, name }) => `${what} ${code(name)}`);
  return [[files, ...unread, names].filter(Boolean).join('\n')];
}

const mayBringRendered = 'It may bring what the Machine Config Operator renders';
const behindBase = ' The branch is behind its base: update it to know.';

function poolDetails({ cluster }: PreviewedCluster, pool: PreviewedPool): string {
  const entries = pool.diff.slice(0, entriesPerPool).map(entryText);
  const more = pool.diff.reduce((sum, { more: others = 1 }) => sum + others, 0) - entries.length;
  return folded(`${pool.pool} of ${cluster}`, [
    bulleted(pool.why, (why) => plain(why)),
    bulleted(pool.reasons, ({ what, class: is, why }) => `**${is}**: ${code(what)}, ${plain(why)}`),
    ...entries,
    ...(more > 0 ? [`And ${count(more, 'change')} more.`] : []),
    warningsText(pool.warnings),
  ]);
}

function entryText({ what, change, lines, note, source, security }: PreviewedDiff): string {
  const from = source === '' ? '' : `, from ${code(source)}`;
  const marked = security.length === 0 ? '' : ` ⚠ security: ${plain(security.join(', '))}`;
  const more = lines.length - linesPerEntry;
  return [
    `${code(what)} ${change}${from}${note === '' ? '' : ` (${plain(note)})`}${marked}`,
    ...(lines.length === 0 ? [] : [fenced(lines.slice(0, linesPerEntry), 'diff')]),
    ...(more > 0 ? [`And ${count(more, 'line')} more.`] : []),
  ].join('\n\n');
}

function clusterDetails({ cluster, applications, silent, warnings }: PreviewedCluster): readonly string[] {
  const parts = [
    applications.length === 0 ? '' : `Deployed by ${cutList(applications, (each) => code(each)).join(', ')}.`,
    bulleted(silent, ({ what, why }) => `${code(what)} reaches no pool: ${plain(why)}`),
    warningsText(warnings),
  ].filter((part) => part !== '');
  return parts.length === 0 ? [] : [folded(`Other changes on ${cluster}`, parts)];
}

function warningsText(warnings: readonly PreviewedWarning[]): string {
  return bulleted(warnings, ({ text, remedy }) => `⚠ ${plain(text)}. ${plain(remedy)}.`);
}

function unreadParts({ unknown }: PreviewedChange): readonly string[] {
  if (unknown.length === 0) return [];
  const list = bulleted(unknown, ({ path, why }) => `${code(path)}: ${plain(why)}`);
  return [folded('Not read: of pools that it may concern the worst case is assumed', [list])];
}

/** Blank lines around the content, or GitHub does not render it as Markdown. The summary is HTML. */
function folded(title: string, parts: readonly string[]): string {
  const summary = plain(title).replaceAll(/\\([\\`*_{}[\]()~|!])/g, '$1');
  return ['<details>', `<summary>${summary}</summary>`, '', joined(parts), '</details>'].join('\n');
}

const asItIs = (line: string): string => line;

/** One line each. What is not shown is not put into words either: there may be tens of thousands. */
function bulleted<T>(items: readonly T[], inWords: (item: T) => string): string {
  return cutList(items, inWords)
    .map((line) => `- ${line}`)
    .join('\n');
}

function cutList<T>(items: readonly T[], inWords: (item: T) => string): readonly string[] {
  const shown = items.slice(0, listedAtMost).map(inWords);
  return items.length > shown.length ? [...shown, `and ${items.length - shown.length} more`] : shown;
}
