import { table } from '../table.ts';
import type { ScaleSample } from './measure.ts';
import type { QuietSample } from './quiet-tick.ts';
import { nodeCount, podCount, sizes } from './world.ts';

/** What one stuck node may cost. Source: API cost at 2,000 nodes and 50,000 pods, in the facts of the alert life. */
const atMost = { calls: 15, megabytes: 10 } as const;
const quietCall = 'GET /apis/machineconfiguration.openshift.io/v1/machineconfigpools';

/** Counts, which no other program on the machine changes. Times are told and judged by people; the heap has its
 *  limit while it runs. */
export function isWithinBounds(samples: readonly ScaleSample[], quiet: QuietSample): boolean {
  const isSmall = ({ mostCalls, bytes, nodes, unanswered }: ScaleSample) =>
    mostCalls <= atMost.calls && bytes <= nodes * atMost.megabytes * 1e6 && unanswered === 0;
  return samples.every(isSmall) && isQuiet(quiet);
}

function isQuiet({ calls }: QuietSample): boolean {
  return calls.length === 1 && calls[0] === quietCall;
}

/** Markdown. */
export function describeScale({
  samples,
  quiet,
  where,
  heapLimitMiB,
}: {
  readonly samples: readonly ScaleSample[];
  readonly quiet: QuietSample;
  readonly where: string;
  readonly heapLimitMiB: number;
}): string {
  const met = isWithinBounds(samples, quiet) ? 'Met' : 'Missed';
  return [
    where,
    `${nodeCount.toLocaleString('en')} nodes in ${sizes.pools} pools, ${podCount.toLocaleString('en')} pods in ${sizes.namespaces} namespaces with a budget each; 250 pods on each stuck node.`,
    table(
      ['stuck', 'most calls a node', 'calls', 'MB', 'MB a node', 's', 'peak heap, MiB', 'root causes'],
      samples.map(({ what, nodes, mostCalls, calls, bytes, ms, peakHeapMiB, roots }) => [
        what,
        String(mostCalls),
        String(calls),
        megabytes(bytes),
        megabytes(bytes / nodes),
        (ms / 1000).toFixed(2),
        peakHeapMiB.toFixed(0),
        roots.join(', '),
      ]),
    ),
    `Bounds: at most ${atMost.calls} calls and ${atMost.megabytes} MB a stuck node, every question answered, in a process of ${heapLimitMiB} MiB of heap; ${met}.`,
    `A quiet tick on the same cluster: ${quiet.calls.join(', ')}; ${(quiet.bytes / 1000).toFixed(0)} kB.`,
  ].join('\n\n');
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(2);
}
