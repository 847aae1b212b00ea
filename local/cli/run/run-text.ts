import type { RunTile, TileState } from '../../../functions/core/node-turns/run-tile.ts';
import type { RunView } from '../../../functions/core/node-turns/run-view.ts';
import { wrapLines } from '../../../functions/core/text/columns.ts';
import { ageText, between } from '../../../functions/core/text/phrases.ts';
import { safeLine } from '../../../functions/core/text/safe-text.ts';
import { poolkeeperCommand } from '../../../functions/core/text/shell-words.ts';

/** Characters of one line. */
const longest = 400;
/** Entries of the timeline that are printed. */
const logLines = 10;
/** Nodes of one pool that are printed line by line; of more, those that wait or are done are only counted. */
const linesAtMost = 30;

/** Nodes in one line of signs. */
const signsInLine = 80;

/** One character a node, so that a run is seen at a glance. */
const signs: Readonly<Record<TileState, string>> = {
  done: '#',
  waiting: '.',
  held: 'h',
  before: '>',
  updating: '*',
  after: '<',
  blocked: '!',
  skipped: '-',
};

const words: Readonly<Record<TileState, string>> = {
  done: 'done',
  waiting: 'waiting',
  held: 'held',
  before: 'jobs before',
  updating: 'updating',
  after: 'clean-up',
  blocked: 'BLOCKED',
  skipped: 'skipped',
};

/** The nodes of a run, and what each does or waits for. */
export function runText(view: RunView, now: Date): string {
  const log = view.log.slice(-logLines).map(({ at, node, what }) => `  ${at} ${node === '' ? '' : `${node}: `}${what}`);
  return [
    headline(view, now),
    ...aheadLines(view),
    ...view.pools.flatMap((pool) => poolLines(view, pool, now)),
    ...blockedLines(view),
    ...(log.length === 0 ? [] : ['Timeline', ...log]),
  ]
    .map((line) => wrapLines(safeLineKeepingIndent(line)))
    .concat('')
    .join('\n');
}

function headline({ run, cluster, mode, state, said, blockedSince, done, total }: RunView, now: Date): string {
  const who = said === undefined ? '' : ` by ${said.who} at ${said.at}: ${said.why}`;
  const since =
    state !== 'blocked' || blockedSince === undefined
      ? ''
      : ` for ${ageText(between(blockedSince, now.toISOString()))}`;
  return `Run ${run} on ${cluster} (mode ${mode}): ${state}${since}, ${done} of ${total} nodes done${who}`;
}

function poolLines(
  { tiles }: RunView,
  { name, target, paused, unread }: RunView['pools'][number],
  now: Date,
): readonly string[] {
  const own = tiles.filter(({ pool }) => pool === name);
  const isGone = target === '' && unread !== true;
  if (isGone) return [`Pool ${name}: there is none`];
  const isShort = own.length <= linesAtMost;
  const shown = isShort ? own : own.filter(({ state }) => state !== 'done' && state !== 'waiting');
  const left = own.length - shown.length;
  return [
    `Pool ${name}: ${unread === true ? 'it cannot be read' : `${target}${paused ? ', paused' : ', not paused'}`}`,
    ...(own.length > 0 ? signLines(own) : unread === true ? [] : ['  no node']),
    ...shown.flatMap((tile) => tileLines(tile, now)),
    ...(left > 0 ? [`  and ${left} that are done or wait`] : []),
  ];
}

function signLines(tiles: readonly RunTile[]): readonly string[] {
  const rows = Array.from({ length: Math.ceil(tiles.length / signsInLine) }, (_, row) => row * signsInLine);
  return rows.map((from) => {
    const row = tiles.slice(from, from + signsInLine);
    return `  ${row.map(({ state }) => signs[state]).join('')}`;
  });
}

function tileLines({ node, state, doing, since, tail }: RunTile, now: Date): readonly string[] {
  const isShown = since !== undefined && state !== 'done' && state !== 'waiting';
  const age = isShown ? `, for ${ageText(between(since, now.toISOString()))}` : '';
  const printed = state === 'blocked' ? [] : tail.map((line) => `      | ${line}`);
  return [`  ${signs[state]} ${words[state].padEnd(11)} ${node}: ${doing}${age}`, ...printed];
}

/** Why it does not go on, and what a person can do about it. */
function blockedLines({ run, block, total }: RunView): readonly string[] {
  if (block === undefined) return [];
  const { kind, node, place, cause, action } = block;
  const where = node === '' ? '' : `: node ${node}${place === undefined ? '' : `, ${place} of ${total}`}`;
  return [
    `Blocked${where}`,
    `  ${cause}`,
    `  ${action}`,
    ...(kind === 'job' ? [`  ${poolkeeperCommand('run', 'skip', run, node)} --reason "..."`] : []),
  ];
}

/** Whose turn begins next, and why it has not; for how long it goes on. */
function aheadLines({ next, minutesLeft, state }: RunView): readonly string[] {
  const goesOn = state === 'running' ? '' : ' once it goes on';
  return [
    ...(next === undefined ? [] : [`Next: ${next.node}, ${next.why}`]),
    ...(minutesLeft === undefined ? [] : [`About ${ageText(minutesLeft * 60_000)} left${goesOn}`]),
  ];
}

function safeLineKeepingIndent(line: string): string {
  const indent = line.length - line.trimStart().length;
  return `${' '.repeat(indent)}${safeLine(line, longest)}`;
}
