import type { OperatorPart } from './operator-parts.ts';

/** Of what stands still without such a part, nobody must be told that all is well. A file of its own: who tells of
 *  parts does not parse them. */
export function isOutOfOrder({ state }: Pick<OperatorPart, 'state'>): boolean {
  return state === 'down' || state === 'degraded';
}
