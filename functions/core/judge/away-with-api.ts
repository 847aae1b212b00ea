import { apiServerLabels } from '../openshift/control-plane-labels.ts';
import type { Node } from '../openshift/node.ts';

/** The clock of a node that takes the API server with it when it reboots, while its update goes on or is about to. */
const mark = 'api-away';

/** The parts of its key after the pool. */
export function awayClock(node: Pick<Node, 'name'>): readonly [string, string] {
  return [mark, node.name];
}

/** The only node of the control plane. Nobody but an administrator gives a node its role. */
export function takesApiAlong({ isNeverDrained, labels }: Node): boolean {
  return isNeverDrained === true && apiServerLabels.some((label) => label in labels);
}

/** The node behind whose reboot the API server was last seen to go away; undefined: none. */
export function nodeAwayWithApi(firstSeen: Readonly<Record<string, string>>): string | undefined {
  for (const key of Object.keys(firstSeen)) {
    const [, kind, node] = key.split('|');
    if (kind === mark) return node;
  }
  return undefined;
}
