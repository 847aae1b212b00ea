import type { Severity, Trouble, TroubleKey } from '../../functions/core/findings/trouble.ts';
import type { BlindSpot } from '../../functions/core/judge/blind-spot.ts';
import { aTrouble } from '../fakes/index.ts';
import type { Random } from '../random.ts';

/** What a pass over the cluster judges. */
export interface Sights {
  readonly troubles: readonly Trouble[];
  readonly unseen: readonly BlindSpot[];
}

export const nothingWrong: Sights = { troubles: [], unseen: [] };

const drain = { cluster: 'prod', pool: 'worker', kind: 'drain-blocked' } as const satisfies TroubleKey;
const degraded = { cluster: 'prod', pool: 'infra', kind: 'node-degraded' } as const satisfies TroubleKey;

/** Each of two troubles is there in one of three forms, or not; now and then nobody can look. */
export function observedOf(random: Random, now: number): Sights {
  if (random.chance(0.1)) {
    const why = 'the API server does not answer';
    return { troubles: [], unseen: [{ cluster: 'prod', pool: '*', kinds: 'all', why }] };
  }
  const present = [drain, degraded].filter(() => random.chance(0.6));
  return { troubles: present.map((key) => troubleOf(key, random.below(3), now)), unseen: [] };
}

/** What is still wrong at the end of a run that ends so. */
export function lastingSight(now: number): Sights {
  return { troubles: [troubleOf(drain, 1, now)], unseen: [] };
}

const severities: readonly Severity[] = ['warning', 'high', 'critical'];

function troubleOf(key: TroubleKey, variant: number, since: number): Trouble {
  const severity = severities[variant] ?? 'high';
  return aTrouble({
    key,
    severity,
    class: 'structural',
    headline: `case ${variant} of ${key.pool}`,
    since: new Date(since).toISOString(),
    digest: `node-${variant}:P3:PDB shop/web;${severity}`,
  });
}
