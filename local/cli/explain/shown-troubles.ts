import { everyFinding } from '../../../functions/core/findings/chain.ts';
import type { Finding } from '../../../functions/core/findings/trouble.ts';
import type { ExplainedTrouble, PoolExplanation } from './explanation.ts';

/** What is told of a node that no pool updates: it is in several, in none, or of the control plane. */
const outsideCodes: readonly string[] = ['S7', 'S8', 'S9'];

/** The troubles to tell of a pool. Of one node that rests: those that are about it or about no node alone, as a failed
 *  render, and all where it waits for others, because it is not where its pool is to be. A node on its way is told by
 *  its own findings. */
export function shownTroubles({ troubles, asked }: PoolExplanation): readonly ExplainedTrouble[] {
  if (asked === undefined) return troubles;
  if (asked.symptom !== undefined) return [];
  switch (asked.place) {
    case 'outside':
      return troubles.filter(({ findings }) => findings.some(({ code }) => outsideCodes.includes(code)));
    case 'behind':
      return troubles;
    case 'updated':
      return troubles.filter(({ findings }) => isAbout(asked.node, findings));
    default:
      return asked.place satisfies never;
  }
}

function isAbout(node: string, findings: readonly Finding[]): boolean {
  const all = findings.flatMap(everyFinding);
  const nodes = all.flatMap(({ subject }) => (subject.kind === 'Node' ? [subject.name] : []));
  return nodes.length === 0 || nodes.includes(node);
}
