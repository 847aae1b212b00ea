import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { metricsOf, stage } from './synthesised.ts';

const page = readFileSync(new URL('../../docs/cost.md', import.meta.url), 'utf8');
/** Rows of the table of months: what, idle, busy, and how many. */
const rows = [...page.matchAll(/^\| ([^|*]+) \| (\d+\.\d\d) \| (\d+\.\d\d) \| ([^|]+) \|/gm)].map(
  ([, what, idle, busy, many]) => ({ what, idle: Number(idle), busy: Number(busy), many: many ?? '' }),
);

describe('what docs/cost.md says', () => {
  it('adds up', () => {
    const total = page.match(/^\| \*\*Month\*\* \| \*\*([\d.]+)\*\* \| \*\*([\d.]+)\*\*/m);

    const sum = (of: 'idle' | 'busy') => rows.reduce((so, row) => so + row[of], 0).toFixed(2);
    expect(rows.length).toBeGreaterThan(10);
    expect([sum('idle'), sum('busy')]).toEqual([total?.[1], total?.[2]]);
  });

  it('counts the alarms and the metrics they look at, which is what CloudWatch bills', () => {
    const alarms = stage('prod').ofType('AWS::CloudWatch::Alarm');
    const metrics = alarms.flatMap(metricsOf).length;

    const row = rows.find(({ what }) => what === 'Alarms');
    expect(row?.many).toBe(`${alarms.length} alarms that look at ${metrics} metrics`);
    expect([row?.idle, row?.busy]).toEqual([metrics * 0.1, metrics * 0.1]);
  });

  it('counts the secrets of our own, one cluster or ten, those of Slack and GitHub, and that of a group of machines', () => {
    const own = stage('prod').ofType('AWS::SecretsManager::Secret').length;

    expect(rows.find(({ what }) => what === 'Secrets')?.many).toBe(`${own + 5} / ${own + 14}`);
  });
});
