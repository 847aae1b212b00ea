import type { ControlPlane } from '../cluster/harness/control-plane.ts';
import { paths } from '../cluster/harness/paths.ts';
import { startBenchProduct } from './bench-product.ts';
import { countRequests } from './requests-sent.ts';
import { stopwatch } from './stopwatch.ts';
import { argocdNamespace, createApplication, createPool, observeGeneration } from './world.ts';

/** What one tick asked of the API server. */
export interface TickCalls {
  readonly pools: number;
  readonly holders: number;
  /** `GET <path without query>`, in the order they were begun. */
  readonly calls: readonly string[];
  /** What it should ask. */
  readonly expected: readonly string[];
}

const held = 'worker';

/** Counts the calls of a tick that finds nothing new, on a cluster of so many pools of which one is held by so many
 *  Applications. */
export async function countQuietTick(
  controlPlane: ControlPlane,
  { pools, holders }: Pick<TickCalls, 'pools' | 'holders'>,
): Promise<TickCalls> {
  const { kube } = controlPlane;
  const applications = Array.from({ length: holders }, (_, index) => `holder-${index + 1}`);
  const poolNames = [held, ...Array.from({ length: pools - 1 }, (_, index) => `pool-${index + 2}`)];
  for (const name of poolNames) await createPool(kube, name, name === held ? applications : []);
  for (const name of applications) await createApplication(kube, name);
  const watch = stopwatch();
  const product = await startBenchProduct(controlPlane, watch);
  const passed = async (begin: () => Promise<void>) => {
    watch.start();
    await begin();
    await watch.until('view saved');
  };
  try {
    for (const name of applications) await passed(() => product.push(name));
    if (holders > 0) await observeGeneration(kube, held);
    // The first tick lists the Applications, which is due once in five minutes; the second looks at the nodes once, if
    // at all.
    for (const _ of ['sweep', 'settle']) await passed(product.tick);
    const sent = countRequests(controlPlane.server);
    await passed(product.tick);
    sent.stop();
    const expected = [
      `GET ${paths.pools}`,
      ...applications.map((name) => `GET ${paths.in(argocdNamespace).applications}/${name}`),
    ];
    return { pools, holders, calls: sent.calls, expected };
  } finally {
    await product.stop();
    for (const name of poolNames) await kube.delete(`${paths.pools}/${name}`);
    for (const name of applications) await kube.delete(`${paths.in(argocdNamespace).applications}/${name}`);
  }
}

/** Whether a tick asked exactly what it should, in whatever order. */
export function isAsExpected({ calls, expected }: TickCalls): boolean {
  return calls.toSorted().join('\n') === expected.toSorted().join('\n');
}
