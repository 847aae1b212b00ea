/** How many nodes of a pool the MCO allows to be unavailable at once: percentages of its `machines` are rounded down,
 *  and 0 becomes 1; 1 by default. Undefined: the value is invalid and the MCO updates no node. Source:
 *  machine-config-operator pkg/controller/node `maxUnavailable`. */
export function nodesAtOnce(maxUnavailable: string | undefined, machines: number): number | undefined {
  if (maxUnavailable === undefined) return 1;
  const [, digits, percent] = /^(\d{1,9})(%?)$/.exec(maxUnavailable) ?? [];
  if (digits === undefined) return undefined;
  const count = percent === '%' ? Math.floor((Number(digits) * machines) / 100) : Number(digits);
  return Math.max(count, 1);
}

/** How many of the nodes that are `left` are updated at the same time; where the value is invalid one, for when it is
 *  mended. At least 1. */
export function nodesTogether(maxUnavailable: string | undefined, machines: number, left = machines): number {
  return Math.max(1, Math.min(nodesAtOnce(maxUnavailable, machines) ?? 1, left));
}
