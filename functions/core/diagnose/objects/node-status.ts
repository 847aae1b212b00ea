import * as z from 'zod';
import { foreignName } from '../../text/foreign-text.ts';
import { kindList, listOf } from './metadata.ts';
import { isNodeReady, LiveNode } from './node.ts';

/** One row of `kubectl get nodes`. */
export interface NodeStatus {
  readonly name: string;
  readonly ready: boolean;
  readonly cordoned: boolean;
  /** What its kubelet says that it runs; empty if the server does not say it. */
  readonly osImage: string;
  readonly kernel: string;
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
      osImage: node.status.nodeInfo.osImage,
      kernel: node.status.nodeInfo.kernelVersion,
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
  return [
    {
      name,
      ready: words.includes('Ready'),
      cordoned: words.includes('SchedulingDisabled'),
      osImage: said(cells[columns.indexOf('OS-Image')]),
      kernel: said(cells[columns.indexOf('Kernel-Version')]),
    },
  ];
}

/** A printed cell. The API server prints `<unknown>` for what no kubelet has said. */
function said(cell: unknown): string {
  return typeof cell === 'string' && cell !== '<unknown>' ? foreignName(cell) : '';
}
