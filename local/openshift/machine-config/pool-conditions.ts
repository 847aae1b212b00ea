import type { Condition } from '../api-server/kubernetes-object.ts';

/** A pool's conditions, each with a reason and a message even where those are empty. */
export type PoolCondition = Condition & { readonly reason: string; readonly message: string };

export function isTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;
}

/**
 * Sets a condition as the MCO does: untouched when nothing differs; the transition time moves with the status only; a
 * changed one goes to the end of the list.
 */
export function withCondition(
  conditions: readonly Condition[],
  { type, status, reason = '', message = '' }: Condition,
  time: string,
): Condition[] {
  const before = conditions.find((condition) => condition.type === type);
  if (before && before.status === status && before.reason === reason && before.message === message)
    return [...conditions];
  const lastTransitionTime = before?.status === status ? (before.lastTransitionTime ?? time) : time;
  return [
    ...conditions.filter((condition) => condition !== before),
    { type, status, lastTransitionTime, reason, message },
  ];
}
