import type { ControlPlane } from '../../cluster/harness/control-plane.ts';
import { startBenchProduct } from '../bench-product.ts';
import { countRequests } from '../requests-sent.ts';
import { stopwatch } from '../stopwatch.ts';

/** What a tick asks of the API server while nothing is new. */
export interface QuietSample {
  /** `GET <path without query>`. */
  readonly calls: readonly string[];
  readonly bytes: number;
}

/** The third tick of the product itself: the first lists the Applications, which is due once in five minutes, the
 *  second settles. */
export async function quietTick(server: string): Promise<QuietSample> {
  const watch = stopwatch();
  const product = await startBenchProduct({ server, token: 'scale' } as ControlPlane, watch);
  const passed = async () => {
    watch.start();
    await product.tick();
    await watch.until('view saved');
  };
  try {
    await passed();
    await passed();
    const sent = countRequests(server);
    await passed();
    sent.stop();
    return { calls: sent.calls, bytes: sent.bytes() };
  } finally {
    await product.stop();
  }
}
