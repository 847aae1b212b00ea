/** The time, read once per record or pass. */
export type Clock = () => Date;

/** Waiting. Milliseconds. */
export type Sleep = (ms: number) => Promise<void>;

/** A signal that aborts with a `TimeoutError` when so many milliseconds have passed. */
export type Deadline = (ms: number) => AbortSignal;

/** Resolves one turn of the event loop later, when what was under way has had the processor. */
export type YieldToEventLoop = () => Promise<void>;

/** An id that nothing else has: at most 64 characters of `[\w-]`. */
export type NewId = () => string;

/** A number, 0 <= x < 1. */
export type Random = () => number;

/** All that differs between two runs of an installation that see the same world: time, turns and chance. Handed in
 *  from outside, so that a whole installation can run on a simulated one. */
export interface Runtime {
  readonly clock: Clock;
  /** The process stays alive for it. */
  readonly sleep: Sleep;
  /** For what may be decided before it is over: keeps no process alive. */
  readonly backgroundSleep: Sleep;
  readonly deadline: Deadline;
  readonly yieldToEventLoop: YieldToEventLoop;
  readonly newId: NewId;
  readonly random: Random;
}
