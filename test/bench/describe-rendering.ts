import { describeGoals, type Goal } from './goal.ts';
import type { RenderingFigures } from './measure-rendering.ts';
import { table } from './table.ts';

/** Markdown. */
export function describeRendering(figures: readonly RenderingFigures[], goal: Goal): string {
  return [
    '### What a commit does to a fleet',
    'One core, one run of each size; nothing is shared between the clusters but the commit.',
    table(
      [
        'clusters',
        'pools each',
        'MachineConfigs each',
        'pools reached',
        'processor, ms',
        'by the clock, ms',
        'one cluster rendered whole, ms',
      ],
      figures.map((each) => [
        `${each.clusters}`,
        `${each.pools}`,
        `${each.machineConfigs}`,
        `${each.reached}`,
        each.processorMs.toFixed(0),
        each.predictMs.toFixed(0),
        each.renderOneClusterMs.toFixed(1),
      ]),
    ),
    describeGoals([goal]),
  ].join('\n\n');
}
