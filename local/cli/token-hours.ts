import { defaultTokenHours } from '../manifests/token-hours.ts';

/** --token-hours of `connect` and of `manifests`: the life of a token, and what the policy on tokens admits. */
export const tokenHoursFlag = { type: 'string', default: `${defaultTokenHours}` } as const;

/** Up to a year. */
export function tokenHoursProblems(text: string): readonly string[] {
  const hours = Number(text);
  return hours >= 1 && hours <= 8760 ? [] : [`--token-hours ${text}: must be a number from 1 to 8760`];
}
