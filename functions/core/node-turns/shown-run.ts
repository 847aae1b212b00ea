import { clipped } from '../text/phrases.ts';
import type { RunTile } from './run-tile.ts';
import type { RunView } from './run-view.ts';

/** A run for the status page: written by looks at it, read by `status`. Bounded: of 2,000 nodes those are in it that
 *  somebody wants to see. */
export interface ShownRun extends Omit<RunView, 'conditions'> {
  /** ISO instant of the look. */
  readonly readAt: string;
  /** Nodes that are left out: done before those that are shown, or waiting behind them. */
  readonly tilesOmitted: { readonly done: number; readonly waiting: number };
}

const tilesShown = 150;
const logShown = 30;

export function shownRun({ conditions: _, ...view }: RunView, now: Date): ShownRun {
  const { tiles, block, log } = view;
  const kept = mostWanted(tiles);
  const left = tiles.filter((tile) => !kept.has(tile));
  const done = left.filter(({ state }) => state === 'done').length;
  return {
    ...view,
    block: block && { ...block, cause: shownCause(block.cause) },
    tiles: tiles.filter((tile) => kept.has(tile)).map(shortened),
    tilesOmitted: { done, waiting: left.length - done },
    log: log.slice(-logShown).map((entry) => ({ ...entry, what: clipped(entry.what, 300) })),
    readAt: now.toISOString(),
  };
}

/** As much of a cause as is shown. */
export function shownCause(cause: string): string {
  return clipped(cause, 500);
}

/** What is under way or needs somebody, what comes next, what was done last. */
function mostWanted(tiles: readonly RunTile[]): ReadonlySet<RunTile> {
  const isOther = ({ state }: RunTile) => state !== 'done' && state !== 'waiting';
  const done = tiles.filter(({ state }) => state === 'done').toReversed();
  const waiting = tiles.filter(({ state }) => state === 'waiting');
  const half = Math.floor(tilesShown / 2);
  return new Set(
    [
      ...tiles.filter(isOther),
      ...waiting.slice(0, half),
      ...done.slice(0, half),
      ...waiting.slice(half),
      ...done.slice(half),
    ].slice(0, tilesShown),
  );
}

function shortened(tile: RunTile): RunTile {
  return { ...tile, doing: clipped(tile.doing, 300), tail: tile.tail.slice(-3).map((line) => clipped(line, 200)) };
}
