import type { Condition } from '../api-server/kubernetes-object.ts';

export function isTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;
}

/** Sets a condition as the MCO does: it stays as it is when nothing differs, its transition time moves only with its
 *  status, and a changed one moves to the end of the list. */
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
