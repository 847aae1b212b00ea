import { makeTick, type WorkEvent } from '../../events/index.ts';
import type { AcceleratedClock } from './accelerated-clock.ts';

/** Seconds between two ticks of a cluster, as on AWS. */
const tickEverySeconds = 60;

/** Sends a tick per minute and cluster, starting now. The returned function ends it. */
export function startTicking(
  clusters: readonly string[],
  clock: AcceleratedClock,
  send: (event: WorkEvent) => Promise<void>,
): () => void {
  let timer: { cancel(): void } | undefined;
  let stopped = false;

  function tick(): void {
    if (stopped) return;
    for (const cluster of clusters) void send(makeTick({ cluster, why: 'clock' }, clock.now()));
    timer = clock.setTimeout(tick, tickEverySeconds * 1000);
  }

  tick();
  return () => {
    stopped = true;
    timer?.cancel();
  };
}
