import type { RunLogEntry } from './run-record.ts';

/** What the log of a run says of a node when its turn begins, and when it is over. */
export const turnBegins = 'its turn begins';
export const turnIsOver = 'its turn is over';

/** Turns that the pace is taken from: the last ones tell most of the next. */
const turnsOfPace = 20;

export interface PaceQuestion {
  readonly log: readonly RunLogEntry[];
  /** Turns that are under way or still to come. */
  readonly left: number;
  readonly atOnce: number;
  /** When the turns that are under way began; ISO instants. */
  readonly begun: readonly string[];
  readonly now: Date;
}

/** Minutes until all turns are over, if they take as long as those before did; undefined: none is over yet, or none is
 *  left. Waits between turns are not in it. */
export function minutesLeftOfRun({ log, left, atOnce, begun, now }: PaceQuestion): number | undefined {
  const perTurn = millisecondsPerTurn(log);
  if (perTurn === undefined || left === 0) return undefined;
  const oldest = begun.toSorted()[0];
  const passed = oldest === undefined ? 0 : Math.min(perTurn, Math.max(0, now.getTime() - Date.parse(oldest)));
  return Math.max(1, Math.ceil((Math.ceil(left / atOnce) * perTurn - passed) / 60_000));
}

/** When the turn of the node began that is under way. */
export function begunAt(log: readonly RunLogEntry[], node: string): string | undefined {
  return log.findLast((entry) => entry.node === node && entry.what === turnBegins)?.at;
}

/** The median. */
function millisecondsPerTurn(log: readonly RunLogEntry[]): number | undefined {
  const begun = new Map<string, string>();
  const took: number[] = [];
  for (const { at, node, what } of log) {
    if (what === turnBegins) begun.set(node, at);
    const from = begun.get(node);
    if (what !== turnIsOver || from === undefined) continue;
    took.push(Date.parse(at) - Date.parse(from));
    begun.delete(node);
  }
  const last = took.slice(-turnsOfPace).toSorted((a, b) => a - b);
  return last[Math.floor(last.length / 2)];
}
