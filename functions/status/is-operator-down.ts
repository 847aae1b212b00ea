import { isOutOfOrder } from '../core/openshift/is-out-of-order.ts';
import type { ClusterStatus } from './status.ts';

/** Of what stands still without it, neither the page nor its headline must say that all is well. */
export function isOperatorDown({ operatorParts: seen }: ClusterStatus): boolean {
  return seen?.parts.some(isOutOfOrder) === true;
}
