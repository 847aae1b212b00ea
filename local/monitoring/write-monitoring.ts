import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { alertRules } from './alert-rules.ts';
import { dashboard } from './dashboard.ts';
import { metricsTable } from './metrics-table.ts';

const docs = join(import.meta.dirname, '../../docs');

/** What is generated for Prometheus and Grafana: each file below docs/, and what it holds. */
export function monitoringFiles(): Readonly<Record<string, string>> {
  const page = readFileSync(join(docs, 'metrics.md'), 'utf8');
  return {
    'install/prometheus-rules.yaml': alertRules(),
    'install/grafana-dashboard.json': dashboard(),
    'metrics.md': page.replace(/\| metric \|[\s\S]*?\n\n/, () => `${metricsTable()}\n\n`),
  };
}

if (process.argv[1] === import.meta.filename) {
  for (const [name, text] of Object.entries(monitoringFiles())) writeFileSync(join(docs, name), text);
}
