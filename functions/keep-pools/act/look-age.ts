import { Transient } from '../../core/text/errors.ts';
import { secondsSince } from '../../core/text/instant.ts';
import type { KeepPorts } from '../keep-ports.ts';

/** Seconds for which nodes are let go by what a pass has read: twice what a pass may take on AWS. */
const lookCountsSeconds = 120;

/** Throws Transient where what a write rests on was read too long ago: the process slept in between (a laptop that was
 *  closed, a machine that was moved, a function that was frozen), or its clock was set. Syncs, windows and people have
 *  gone on since, so the next pass looks anew.
 *  @param lookedAt when the pass began to read, ISO instant */
export function requireFreshLook(
  lookedAt: string,
  { clock, clockSpeed = 1 }: Pick<KeepPorts, 'clock' | 'clockSpeed'>,
): void {
  const age = secondsSince(lookedAt, clock()) / clockSpeed;
  if (Math.abs(age) <= lookCountsSeconds) return;
  const why = `what this rests on was read ${Math.round(Math.abs(age))} s ${age < 0 ? 'after now, by this clock' : 'ago'}`;
  throw new Transient(`${why}: it is looked at anew`, { kind: 'busy' });
}
