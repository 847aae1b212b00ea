import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ControlPlane } from '../../cluster/harness/control-plane.ts';
import { startBenchProduct } from '../bench-product.ts';
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
  const calls: string[] = [];
  let bytes = 0;
  const onCall = (message: unknown) => {
    const { request } = message as { readonly request: { method: string; origin: string | URL; path: string } };
    if (String(request.origin) === new URL(server).origin)
      calls.push(`${request.method} ${request.path.split('?')[0]}`);
  };
  const onBytes = (message: unknown) => {
    const { request, chunk } = message as { readonly request: { origin: string | URL }; readonly chunk: Uint8Array };
    if (String(request.origin) === new URL(server).origin) bytes += chunk.byteLength;
  };
  try {
    await passed();
    await passed();
    subscribe('undici:request:create', onCall);
    subscribe('undici:request:bodyChunkReceived', onBytes);
    await passed();
    return { calls, bytes };
  } finally {
    unsubscribe('undici:request:create', onCall);
    unsubscribe('undici:request:bodyChunkReceived', onBytes);
    await product.stop();
  }
}
