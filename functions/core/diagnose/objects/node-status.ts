import * as z from 'zod';
import { kindList, listOf } from './metadata.ts';
import { isNodeReady, LiveNode } from './node.ts';

/** One row of `kubectl get nodes`. */
export interface NodeStatus {
  readonly name: string;
  readonly ready: boolean;
  readonly cordoned: boolean;
}

const Table = z.object({
  kind: z.literal('Table'),
  columnDefinitions: listOf(z.object({ name: z.string() })),
  rows: listOf(z.object({ cells: z.array(z.unknown()) })),
  metadata: z.object({ continue: z.string().catch('') }).catch({ continue: '' }),
});
const Nodes = kindList(LiveNode);

/** The nodes' printed status, from a Table or, from a server that knows none, from the nodes themselves. */
export const NodeStatuses = z.union([
  Table.transform((table) => ({
    nodes: table.rows.flatMap((row) =>
      rowOf(
        row.cells,
        table.columnDefinitions.map((each) => each.name),
      ),
    ),
    complete: table.metadata.continue === '',
  })),
  Nodes.transform((list) => ({
    nodes: list.items.map((node) => ({
      name: node.metadata.name,
      ready: isNodeReady(node) ?? true,
      cordoned: node.spec.unschedulable,
    })),
    complete: list.metadata.continue === '',
  })),
]);

export type NodeStatuses = z.infer<typeof NodeStatuses>;

function rowOf(cells: readonly unknown[], columns: readonly string[]): readonly NodeStatus[] {
  const name = cells[columns.indexOf('Name')];
  const status = cells[columns.indexOf('Status')];
  if (typeof name !== 'string' || typeof status !== 'string') return [];
  const words = status.split(',');
  return [{ name, ready: words.includes('Ready'), cordoned: words.includes('SchedulingDisabled') }];
}
