import type { ClusterConnection } from '../../functions/adapters/kubernetes/connect.ts';
import {
  preflight as lookAhead,
  nodesToDrain,
  type Preflight,
  preflightText,
} from '../../functions/core/diagnose/preflight.ts';
import { nothingListed, type UnreadableItem } from '../../functions/core/findings/listed.ts';
import { mayTakeFrom, membersOf } from '../../functions/core/openshift/membership.ts';
import type { Node } from '../../functions/core/openshift/node.ts';
import type { Pool } from '../../functions/core/openshift/pool.ts';
import { Misconfigured } from '../../functions/core/text/errors.ts';
import { seen, seenValue } from '../../functions/core/text/observed.ts';
import { withoutNodesOf } from '../../functions/keep-pools/read/read-nodes.ts';
import { inquireAll } from '../../functions/keep-pools/watch/look-into.ts';
import type { ExitStatus, Surroundings } from './command.ts';
import { namesOf } from './command.ts';
import { inForm, type OutputForm } from './output.ts';
import { pickCluster } from './pick-cluster.ts';

interface AskedDrains {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly pool?: string | undefined;
  readonly output: OutputForm;
}

/** Predicts the drain of each node and prints it. Throws Misconfigured and Transient. */
export async function predictDrains(asked: AskedDrains, surroundings: Surroundings): Promise<ExitStatus> {
  const { connection, kubeconfig } = await pickCluster(asked, surroundings);
  try {
    const { items: pools, unreadable } = await connection.pools.listPools();
    for (const { name, why } of unreadable) surroundings.note(`pool ${name} cannot be parsed: ${why}`);
    const names = namesOf(asked.pool, '--pool');
    const wanted = choose(pools, names, unreadable);
    const unparsed = unreadable.filter(({ name }) => names.length === 0 || names.includes(name));
    const results: Ahead[] = [];
    for (const pool of wanted) {
      surroundings.note(`checking pool ${pool.name} ...`);
      const eyes = { connection, cluster: kubeconfig.server, now: surroundings.now() };
      results.push(await ahead(pool, { pools, unreadable }, eyes));
    }
    const unseen = unparsed.map(({ name }) => `Pool ${name}: cannot be parsed, what blocks its drains is not known.\n`);
    const text = () => [...results.map(preflightText), ...unseen].join('\n');
    surroundings.out(await inForm(asked.output, { data: results, text }));
    return unparsed.length === 0 && results.every(isCalm) ? 0 : 1;
  } finally {
    await connection.close();
  }
}

interface Ahead {
  readonly pool: string;
  /** Nodes looked at. */
  readonly touched: number;
  /** Why it is not known which nodes are those of the pool, or what they are. Absent: it is known. */
  readonly unsure?: readonly string[];
  readonly preflight: Preflight;
}

function isCalm({ unsure = [], preflight: { obstacles, unread, skipped, skippedNodes = 0 } }: Ahead): boolean {
  return unsure.length + obstacles.length + unread.length + skipped + skippedNodes === 0;
}

/** Enough for every budget and node of the largest supported pool; a person waits for it. */
const bounds = { budgets: 500, pages: 50, nodes: 100 };

function choose(
  pools: readonly Pool[],
  names: readonly string[],
  unparsed: readonly { readonly name: string }[],
): readonly Pool[] {
  const unknown = names.filter((name) => ![...pools, ...unparsed].some((pool) => pool.name === name));
  if (unknown.length > 0)
    throw new Misconfigured([
      `--pool: there is no pool ${unknown.join(', ')}; the cluster has ${pools.map(({ name }) => name).join(', ')}`,
    ]);
  return names.length === 0 ? pools : pools.filter(({ name }) => names.includes(name));
}

async function ahead(
  pool: Pool,
  { pools, unreadable }: { readonly pools: readonly Pool[]; readonly unreadable: readonly UnreadableItem[] },
  {
    connection,
    cluster,
    now,
  }: { readonly connection: ClusterConnection; readonly cluster: string; readonly now: Date },
): Promise<Ahead> {
  const listed = pool.nodeSelector === undefined ? nothingListed : await connection.pools.listNodes(pool.nodeSelector);
  const takers = unreadable.filter(({ name }) => mayTakeFrom(name, pool.name));
  const names = takers.map(({ name }) => name);
  const nodes = membersOf(pool, pools, seenValue(withoutNodesOf(names, seen(listed.items))) ?? []);
  const touched = touchedBy(pool, nodes);
  const subject = { cluster, pool, pools, nodes, touched, readAt: now.toISOString() };
  const found = await inquireAll(() => lookAhead(subject, bounds), connection.reader, { maxCalls: 1_000, readAt: now });
  const unsure = [
    ...(listed.items.length === 0
      ? []
      : takers.map(({ name, why }) => `which nodes are those of pool ${name}: ${why}`)),
    ...listed.unreadable.map(({ name, why }) => `node ${name}: ${why}`),
  ];
  return { pool: pool.name, touched: touched.length, ...(unsure.length === 0 ? {} : { unsure }), preflight: found };
}

/** All nodes if no change is pending. */
function touchedBy(pool: Pool, nodes: readonly Node[]): readonly Node[] {
  const behind = nodesToDrain(pool, nodes);
  return behind.length > 0 ? behind : nodes.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
