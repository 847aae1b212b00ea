import type { Cause, CauseFamily } from './catalogue/cause.ts';
import { budgets, drains, placements, siblings, terminations } from './catalogue/drain-causes.ts';
import { degradedNodes, standstills } from './catalogue/node-causes.ts';
import { renders, syncs } from './catalogue/pool-causes.ts';

export type { Cause, CauseFamily };

/** Every finding that Poolkeeper can tell, in the order in which people meet them. docs/causes.md and the page
 *  /causes are made of it. */
export const catalogue: readonly CauseFamily[] = [
  drains,
  budgets,
  placements,
  siblings,
  terminations,
  degradedNodes,
  standstills,
  renders,
  syncs,
];

const byCode: ReadonlyMap<string, Cause> = new Map(
  catalogue.flatMap(({ causes }) => causes.map((cause) => [cause.code, cause])),
);

/** The entry of a finding's code; undefined only for codes that no rule of this version gives. */
export function causeOf(code: string): Cause | undefined {
  return byCode.get(code);
}
