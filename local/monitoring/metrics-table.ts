import { definitions, type MetricDefinition } from '../../functions/status/metrics/definitions.ts';

/** The table of docs/metrics.md. */
export function metricsTable(): string {
  const rows = Object.values<MetricDefinition>(definitions).map(
    ({ name, labels, help }) => `| \`${name}\` | ${labels.join(', ')} | ${help} |`,
  );
  return ['| metric | labels | meaning |', '|---|---|---|', ...rows].join('\n');
}
