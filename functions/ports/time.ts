/** The time, read once per record or pass. */
export type Clock = () => Date;

/** Waiting. Milliseconds. */
export type Sleep = (ms: number) => Promise<void>;

/** A signal that aborts with a `TimeoutError` when so many milliseconds have passed. */
export type Deadline = (ms: number) => AbortSignal;

/** Resolves one turn of the event loop later, so that pending work can run. */
export type YieldToEventLoop = () => Promise<void>;

/** A unique id: at most 64 characters of `[\w-]`. */
export type NewId = () => string;

/** A number, 0 <= x < 1. */
export type Random = () => number;

/** Everything that differs between two runs of an installation that sees the same world: time, scheduling and
 *  randomness. Injected, so that a whole installation can run on a simulated one. */
export interface Runtime {
  readonly clock: Clock;
  /** Keeps the process alive. */
  readonly sleep: Sleep;
  /** Keeps no process alive. */
  readonly backgroundSleep: Sleep;
  readonly deadline: Deadline;
  readonly yieldToEventLoop: YieldToEventLoop;
  readonly newId: NewId;
  readonly random: Random;
}
