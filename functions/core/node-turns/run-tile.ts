import type { WorkSeen } from './judge-turn.ts';
import type { NextNodes } from './next-nodes.ts';
import type { RunProblem } from './run-question.ts';

/** `waiting`: it is not at the target, and its turn has not begun. `held`: nor will it, until somebody takes the label
 *  away. `blocked`: its turn waits for a person. */
export type TileState = 'done' | 'waiting' | 'held' | 'before' | 'updating' | 'after' | 'blocked' | 'skipped';

/** A node of a run, as people see it. */
export interface RunTile {
  readonly node: string;
  readonly pool: string;
  readonly state: TileState;
  /** Where in its turn it is, also while that is blocked; undefined: it has none under way. */
  readonly step: 'before' | 'updating' | 'after' | undefined;
  /** What it does or waits for, in words. */
  readonly doing: string;
  /** ISO instant; undefined: it has had no turn. */
  readonly since: string | undefined;
  /** How many have their turn before it, among those that wait; undefined: it does not wait for its turn. */
  readonly place: number | undefined;
  /** Of a turn that is under way: the end of what its Job has printed, or else what happened last. */
  readonly tail: readonly string[];
}

/** More of a run than its record says. */
export interface LookAtRun {
  readonly next: NextNodes;
  readonly problems: readonly RunProblem[];
  readonly waits: ReadonlyMap<string, string>;
  readonly seen: ReadonlyMap<string, WorkSeen>;
}
