/** What the machine says of this process, in milliseconds since any moment. */
export interface ProcessMeters {
  readonly wall: () => number;
  /** Time in which its event loop waited for something. */
  readonly idle: () => number;
}

const meters: ProcessMeters = {
  wall: () => performance.now(),
  idle: () => performance.eventLoopUtilization().idle,
};

/** Milliseconds in which this process waited for something, without those in which it computed or waited for a
 *  processor to compute with. Never decreases, and never runs faster than the wall. */
export function timeWaited({ wall, idle }: ProcessMeters = meters): () => number {
  const start = { wall: wall(), idle: idle() };
  let last = 0;

  return () => {
    last = Math.max(last, Math.min(idle() - start.idle, wall() - start.wall));
    return last;
  };
}
