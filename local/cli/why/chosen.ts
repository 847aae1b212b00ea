import type { GuardView } from '../../../functions/core/gates/guard-waits.ts';

/** Of what `why` is asked: nothing means every pool that is paused or waited for. */
export interface AskedFor {
  readonly pools: readonly string[];
  /** `<namespace>/<name>`. */
  readonly applications: readonly string[];
}

/** Guards that the question is about. */
export function chosenGuards<Each extends Pick<GuardView, 'about'>>(
  guards: readonly Each[],
  { applications }: AskedFor,
): readonly Each[] {
  return applications.length === 0 ? guards : guards.filter(({ about }) => applications.includes(about));
}

/** Whether the question is about this pool. */
export function isChosen(
  { name, paused }: { readonly name: string; readonly paused: boolean },
  { pools, applications }: AskedFor,
  guards: readonly Pick<GuardView, 'pools'>[],
): boolean {
  const isWaitedFor = guards.some((guard) => guard.pools?.includes(name) === true);
  if (pools.length + applications.length === 0) return paused || isWaitedFor;
  return pools.includes(name) || (applications.length > 0 && isWaitedFor);
}
