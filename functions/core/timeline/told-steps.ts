import type { Hold } from '../openshift/hold.ts';
import { fingerprint } from '../text/fingerprint.ts';

/** What a hold stands at, as one text: it is told once. Records hold hundreds. */
function stepOf({ id, since, phase, startedAt }: Hold): string {
  return JSON.stringify([id, since, phase, startedAt]);
}

/** Steps in short, of eight characters each: of the few hundred holds of a pool, two never look the same for practical
 *  purposes. */
const eachShort = /.{8}/g;

/** What of each hold was told, as short as can be: enough to find out what is still to be told. */
export function shortSteps(holds: readonly Hold[]): string {
  return holds.map(shortStep).join('');
}

/** Those that were not told yet.
 *  @param before as they were when they were told
 *  @param inShort steps in short of further ones */
export function untoldSteps(holds: readonly Hold[], before: readonly Hold[], inShort = ''): readonly Hold[] {
  const known = new Set(before.map(stepOf));
  const short = new Set(inShort.match(eachShort));
  return holds.filter((hold) => !known.has(stepOf(hold)) && !(short.size > 0 && short.has(shortStep(hold))));
}

function shortStep(hold: Hold): string {
  return fingerprint(stepOf(hold)).slice(-8);
}
