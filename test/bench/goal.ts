import { quantile } from './quantile.ts';

/** The most that a figure may be, and the figure as each round of one run measured it. */
export interface Goal {
  readonly what: string;
  readonly atMost: number;
  readonly unit: '×' | 'ms';
  readonly rounds: readonly number[];
}

/** By more than the noise: three quarters of the rounds are above it. */
export function isMissed({ atMost, rounds }: Goal): boolean {
  return quantile(rounds, 0.25) > atMost;
}

/** One sentence for each, with the noise: the median, and between which figures the middle half of the rounds lies. */
export function describeGoals(goals: readonly Goal[]): string {
  return goals.map((goal) => `- ${describeGoal(goal)}`).join('\n');
}

function describeGoal(goal: Goal): string {
  const { what, atMost, unit, rounds } = goal;
  const [low, median, high] = [0.25, 0.5, 0.75].map((share) => quantile(rounds, share));
  const verdict = isMissed(goal) ? 'Missed' : (median ?? 0) > atMost ? 'Missed by less than the noise' : 'Met';
  return `${what}: at most ${written(atMost, unit)}. ${verdict}: ${written(median, unit)} (${written(low, unit)} to ${written(high, unit)}).`;
}

function written(figure = Number.NaN, unit: Goal['unit']): string {
  return `${figure.toFixed(unit === '×' ? 2 : 0)} ${unit}`;
}
