import { connectCluster } from '../../../functions/adapters/kubernetes/connect.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import type { Diagnosis } from '../../../functions/core/diagnose/diagnosis.ts';
import type { NodeSubject } from '../../../functions/core/diagnose/subject.ts';
import { rootOf } from '../../../functions/core/findings/chain.ts';
import { isInFlight } from '../../../functions/core/openshift/node.ts';
import { diagnoseAll } from '../../../functions/keep-pools/watch/diagnose-all.ts';
import { countRequests } from '../requests-sent.ts';
import { poolName, sizes, stuckName, stuckNodes } from './world.ts';

/** What explaining stuck nodes cost. */
export interface ScaleSample {
  readonly what: string;
  readonly nodes: number;
  /** API calls of the node that took the most. */
  readonly mostCalls: number;
  readonly calls: number;
  /** Bytes of answers with their headers, as they came over the wire. */
  readonly bytes: number;
  readonly ms: number;
  /** Above what was there before, MiB. */
  readonly peakHeapMiB: number;
  /** Codes of the root causes that were found, each once. */
  readonly roots: readonly string[];
  readonly unanswered: number;
}

/** Run by `node --expose-gc --max-old-space-size=256` in a process of its own; the address is its first argument. */
const [url = ''] = process.argv.slice(2);
const connection = connectCluster({
  ...systemRuntime,
  server: url,
  token: async () => 'scale',
  userAgent: 'poolkeeper/bench',
  clock: () => new Date(),
});

const sent = countRequests();

const subjects = await stuckSubjects();
const samples = [
  await measure('one node, named by its MachineConfigNode', [subjects[0]]),
  await measure('one node, nothing names a pod', [subjects[1]]),
  await measure('fifty nodes, half of each', subjects),
];
process.send?.(samples);
await connection.close();
process.disconnect();

async function stuckSubjects(): Promise<readonly NodeSubject[]> {
  const now = new Date().toISOString();
  const { items: pools } = await connection.pools.listPools();
  const found: NodeSubject[] = [];
  for (let index = 0; index < sizes.pools; index += 1) {
    const pool = pools.find(({ name }) => name === poolName(index));
    if (pool?.nodeSelector === undefined) throw new Error(`there is no pool ${poolName(index)}`);
    const { items: nodes } = await connection.pools.listNodes(pool.nodeSelector);
    const frame = {
      kind: 'node',
      symptom: 'draining',
      cluster: 'scale',
      pool,
      nodes,
      since: now,
      readAt: now,
    } as const;
    found.push(...nodes.filter(isInFlight).map((node) => ({ ...frame, node })));
  }
  const inOrder = Array.from({ length: stuckNodes }, (_, index) =>
    found.find(({ node }) => node.name === stuckName(index)),
  );
  return inOrder.filter((each) => each !== undefined);
}

async function measure(what: string, wanted: readonly (NodeSubject | undefined)[]): Promise<ScaleSample> {
  const asked = wanted.filter((each) => each !== undefined);
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  let peak = before;
  const look = () => {
    peak = Math.max(peak, process.memoryUsage().heapUsed);
  };
  const looking = setInterval(look, 1);
  const [startedMs, began] = [performance.now(), { calls: sent.calls.length, bytes: sent.bytes() }];
  const diagnoses = [...(await diagnoseAll(asked, connection.reader)).values()];
  const ms = performance.now() - startedMs;
  look();
  clearInterval(looking);
  return {
    what,
    nodes: asked.length,
    mostCalls: Math.max(...diagnoses.map(({ calls }) => calls)),
    calls: sent.calls.length - began.calls,
    bytes: sent.bytes() - began.bytes,
    ms,
    peakHeapMiB: (peak - before) / 1024 ** 2,
    roots: [...new Set(diagnoses.flatMap(rootCodes))].toSorted(),
    unanswered: diagnoses.reduce((sum, { unanswered }) => sum + unanswered.length, 0),
  };
}

function rootCodes({ findings }: Diagnosis): readonly string[] {
  return findings.map((found) => rootOf(found).code);
}
