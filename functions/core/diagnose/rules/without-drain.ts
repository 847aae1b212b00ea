import type { Finding, Remedy } from '../../findings/trouble.ts';

/** Where the control plane is a single node, the MCO drains none: a remedy that waits for a drain would wait for ever,
 *  and whoever drains such a node by hand evicts what has nowhere to go. */
export function withoutDrain(found: Finding): Finding {
  return { ...found, because: found.because.map(withoutDrain), remedies: found.remedies.map(asUndrained) };
}

function asUndrained(each: Remedy): Remedy {
  if (!/\bdrain|\breboot|\bboot (?:it|into)\b/i.test(each.title) || each.risk === 'none') return each;
  return {
    ...each,
    title: `${each.title}. Nothing is drained in this cluster, whose control plane is one node: do not wait for it, and do not drain by hand. While that node is away, so is the API server`,
  };
}
