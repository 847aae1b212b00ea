import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { definitions, type MetricDefinition } from '../../../functions/status/metrics/definitions.ts';
import { alertRules } from '../../../local/monitoring/alert-rules.ts';
import { dashboard } from '../../../local/monitoring/dashboard.ts';
import { monitoringFiles } from '../../../local/monitoring/write-monitoring.ts';

const docs = join(import.meta.dirname, '../../../docs');
const known = Object.values<MetricDefinition>(definitions);
const usage = [
  ['alert rules', alertRules()],
  ['dashboard', dashboard()],
] as const;

describe('[N-35] what is generated for Prometheus and Grafana', () => {
  test.each(Object.entries(monitoringFiles()))('docs/%s is what `npm run docs` writes', (name, text) => {
    expect(readFileSync(join(docs, name), 'utf8')).toBe(text);
  });

  test.each(usage)('the %s use metrics that there are, with labels that they have', (_, text) => {
    const uses = [...text.replaceAll('\\"', '"').matchAll(/\b(poolkeeper_\w+)(?:\{([^}]*)\})?/g)];

    expect(uses.length).toBeGreaterThan(5);
    for (const [, name = '', selectors = ''] of uses) {
      const metric = known.find((each) => each.name === name);
      expect(metric, name).toBeDefined();
      const labels = [...selectors.matchAll(/(\w+)=~?"/g)].map(([, label = '']) => label);
      expect(
        labels.filter((label) => !metric?.labels.includes(label)),
        name,
      ).toEqual([]);
    }
  });

  test('every metric is in the dashboard or in a rule, or is a detail of one that is', () => {
    const details = [
      'poolkeeper_pool_pending_since_timestamp_seconds',
      'poolkeeper_certificates_expire_timestamp_seconds',
      'poolkeeper_races',
    ];
    const unused = known.map(({ name }) => name).filter((name) => !usage.some(([, text]) => text.includes(name)));

    expect(unused.toSorted()).toEqual([...details, 'poolkeeper_sequence_problems'].toSorted());
  });

  test.each([
    ['PoolkeeperPauseLate', 'late'],
    ['PoolkeeperPauseUnprotected', 'unprotected'],
  ])('[N-29] %s fires for an hour, whatever the status page lists for how long', (alert, verdict) => {
    const rule = alertRules().split(`- alert: ${alert}\n`)[1]?.split('- alert:')[0];

    expect(rule).toContain(`expr: time() - poolkeeper_race_lost_timestamp_seconds{verdict="${verdict}"} < 3600`);
  });

  // Tried with Prometheus' own engine (promql/promqltest): the operators bind as they are read here.
  test.each([
    ['PoolkeeperPoolPausedLong', 'poolkeeper_pool_waits_since_timestamp_seconds > 4 * 3600'],
    ['PoolkeeperGateClosedLong', 'poolkeeper_gate_closed_since_timestamp_seconds > 24 * 3600'],
  ])('[N-30] %s counts until the cluster was last read: what is not seen grows no older', (alert, since) => {
    const rule = alertRules().split(`- alert: ${alert}\n`)[1]?.split('- alert:')[0];

    expect(rule).toContain(
      `expr: poolkeeper_cluster_read_timestamp_seconds - on (instance, cluster) group_right () ${since}\n`,
    );
    expect(rule).not.toContain('time()');
  });

  test('[N-30] a process that stands by beside one that answers is no Poolkeeper that does not answer', () => {
    expect(alertRules()).toContain(
      'expr: up{job="poolkeeper"} == 0 unless on (namespace, service) up{job="poolkeeper", service!=""} == 1 or absent(up{job="poolkeeper"})\n',
    );
  });

  test('panels of the dashboard do not overlap and fit its 24 columns', () => {
    const { panels } = JSON.parse(dashboard()) as {
      readonly panels: readonly { readonly gridPos: Record<'x' | 'y' | 'w' | 'h', number> }[];
    };
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
    );

    expect(new Set(cells).size).toBe(cells.length);
    expect(cells.filter((cell) => Number(cell.split(',')[0]) >= 24)).toEqual([]);
  });
});
