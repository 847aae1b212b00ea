/** What the machine says of this process, in milliseconds since any moment. */
export interface ProcessMeters {
  readonly wall: () => number;
  /** Time in which its event loop waited for something. */
  readonly idle: () => number;
  /** Processor time, of all its threads. */
  readonly processor: () => number;
}

const meters: ProcessMeters = {
  wall: () => performance.now(),
  idle: () => performance.eventLoopUtilization().idle,
  processor: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
};

/** Milliseconds that this process had: those in which it waited for something, and those in which it computed. On a
 *  machine with time for it these are those of the wall; on a busy one they are fewer, because the process often waits
 *  for a processor. Never decreases, and never runs faster than the wall. */
export function processTime({ wall, idle, processor }: ProcessMeters = meters): () => number {
  const start = { wall: wall(), had: idle() + processor() };
  let last = 0;

  return () => {
    last = Math.max(last, Math.min(idle() + processor() - start.had, wall() - start.wall));
    return last;
  };
}
