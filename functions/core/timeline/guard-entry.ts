import type { GuardChange } from '../guard/plan-project.ts';
import type { TimelineEntry } from './view.ts';

/** The timeline's entry for a guard that was opened, closed, set up, put back or taken away. */
export function guardEntry(
  cluster: string,
  { did, guard, why, project, version }: GuardChange & { readonly project: string; readonly version: string },
  now: Date,
): TimelineEntry {
  return {
    id: `${cluster}/guard/${project}/${guard.application}/${did}/${version}`,
    at: now.toISOString(),
    cluster,
    pool: guard.pools[0] ?? '',
    type: 'decision',
    text: `the guard of ${guard.application} ${words[did]}: ${why}`,
    correlation: guard.application,
  };
}

const words = {
  guarded: 'is set up',
  opened: 'is open',
  closed: 'is closed',
  dropped: 'stands again',
  freed: 'is taken away',
} as const satisfies Readonly<Record<GuardChange['did'], string>>;
