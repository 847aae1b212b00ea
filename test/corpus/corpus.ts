import { recordings } from './recorded.ts';
import type { Situation } from './situation.ts';
import { budgets } from './situations/budgets.ts';
import { decoys } from './situations/decoys.ts';
import { degradedNodes } from './situations/degraded-nodes.ts';
import { placements } from './situations/placements.ts';
import { platform } from './situations/platform.ts';
import { renders } from './situations/renders.ts';
import { siblings } from './situations/siblings.ts';
import { standstills } from './situations/standstills.ts';
import { terminations } from './situations/terminations.ts';

/** Every situation, in the order of the catalogue, decoys and recordings last. */
export const corpus: readonly Situation[] = [
  ...budgets,
  ...placements,
  ...siblings,
  ...terminations,
  ...degradedNodes,
  ...standstills,
  ...renders,
  ...platform,
  ...decoys,
  ...recordings,
];
