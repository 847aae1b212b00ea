import { expect, test } from 'vitest';
import { evolve, type ObservedTrouble } from '../../../functions/core/alerts/evolve.ts';
import type { Incident } from '../../../functions/core/alerts/incident.ts';
import { defaultPolicy } from '../../../functions/core/configuration/policy.ts';
import { incidentStatuses } from '../../../functions/status/incident-status.ts';
import { drainBlocked } from '../core/alerts/samples.ts';

const began = Date.parse('2026-03-02T14:00:00Z');
const atMinute = (minutes: number) => new Date(began + minutes * 60_000);

test('[S1-13] [N-29] the page gives an incident the duration that its messages have, also once it is over', () => {
  const trouble = { ...drainBlocked, class: 'structural' as const, since: atMinute(-120).toISOString() };
  const looks: readonly ObservedTrouble[] = [
    { kind: 'true', trouble },
    { kind: 'false' },
    { kind: 'false' },
    { kind: 'false' },
  ];
  const seen: Incident[] = [];
  for (const [index, observed] of looks.entries()) {
    const context = {
      policy: defaultPolicy.alerting,
      now: atMinute(index * 10),
      nextNumber: 7,
      targets: { hear: ['ops'], all: ['ops'] },
    };
    seen.push(...[evolve(seen.at(-1), observed, context).incident].filter((incident) => incident !== undefined));
  }

  const [open] = incidentStatuses(seen.slice(0, 1), atMinute(0));
  const [over] = incidentStatuses(seen.slice(-1), atMinute(60));

  expect(open?.ageSeconds).toBe(2 * 3600);
  expect(over).toMatchObject({ state: 'resolved', since: trouble.since });
  expect(seen.at(-1)?.notes.at(-1)?.text).toBe('Resolved after 2 h 20 min.');
  expect(over?.ageSeconds).toBe(2 * 3600 + 20 * 60);
});
