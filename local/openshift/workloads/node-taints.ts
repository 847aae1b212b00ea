import type { Node, Taint } from '../api-server/cluster-objects.ts';
import { sameJson } from '../api-server/json.ts';
import { keyOf } from '../api-server/kubernetes-object.ts';
import type { Registry } from '../api-server/registry.ts';
import { nodes } from '../api-server/resource-types.ts';
import type { Pace } from '../pace.ts';

const conditionTaints = [
  'node.kubernetes.io/unschedulable',
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
];

/** Keeps a node's taints in line with its conditions, as the node lifecycle controller does. */
export function startNodeTaints({ registry, pace }: { readonly registry: Registry; readonly pace: Pace }): void {
  registry.subscribe(({ type, kind, object }) => {
    if (type !== nodes || kind === 'DELETED') return;
    const node = registry.get(nodes, object.metadata.name);
    if (node) retaint(node);
  });

  function retaint(node: Node): void {
    const taints = node.spec.taints ?? [];
    const others = taints.filter(({ key }) => !conditionTaints.includes(key));
    const wanted = wantedTaints(node).map(
      (taint) => taints.find((has) => has.key === taint.key && has.effect === taint.effect) ?? taint,
    );
    const next = [...others, ...wanted];
    if (sameJson(new Set(next), new Set(taints))) return;
    const set = (draft: Node) => {
      draft.spec.taints = next;
      if (next.length === 0) delete draft.spec.taints;
    };
    registry.modify(nodes, keyOf(node), set, { manager: 'kube-controller-manager' });
  }

  function wantedTaints({ spec, status }: Node): Taint[] {
    const timeAdded = pace.timestamp();
    const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status;
    const away = ready === 'Unknown' ? 'node.kubernetes.io/unreachable' : 'node.kubernetes.io/not-ready';
    return [
      ...(spec.unschedulable
        ? [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' as const, timeAdded }]
        : []),
      ...(ready === undefined || ready === 'True'
        ? []
        : [
            { key: away, effect: 'NoSchedule' as const, timeAdded },
            { key: away, effect: 'NoExecute' as const, timeAdded },
          ]),
    ];
  }
}
