import { type Wait, waitFacts, waitTitle } from '../../../functions/core/gates/wait.ts';
import { withClockTimes } from '../../../functions/core/text/durations.ts';
import { safeLine } from '../../../functions/core/text/safe-text.ts';
import type { Waits } from '../../../functions/core/timeline/waits-of.ts';

/** Why one pool is paused, or that it is not. */
export interface WhyPool {
  readonly cluster: string;
  readonly pool: string;
  readonly paused: boolean;
  /** `ours`: Poolkeeper paused it and will resume it. */
  readonly pauseOf: string;
  /** Its state in one sentence. */
  readonly state: string;
  readonly why: Waits;
}

/** Characters of one line. */
const longest = 700;

/** In the words of the status page. */
export function whyText(pools: readonly WhyPool[], now: Date): string {
  return pools.map((each) => `${poolText(each, now)}\n`).join('\n');
}

function poolText({ cluster, pool, state, why }: WhyPool, now: Date): string {
  const later = why.afterwards.flatMap((wait) => waitLines(wait, now));
  const isWaiting = why.now.length + why.afterwards.length > 0;
  return [
    line(`${cluster}/${pool}: ${state}`, now),
    ...why.now.flatMap((wait) => waitLines(wait, now)),
    ...(later.length === 0 ? [] : ['  Afterwards', ...later]),
    ...(why.override === undefined || !isWaiting
      ? []
      : [`  ${line(`Whoever may change the pool can go past all of this: ${why.override}`, now)}`]),
  ].join('\n');
}

function waitLines(wait: Wait, now: Date): readonly string[] {
  const facts = waitFacts(wait);
  const widest = Math.max(...facts.map(({ label }) => label.length));
  return [
    `  ${line(`${waitTitle(wait)}: ${wait.why}`, now)}`,
    ...facts.map(({ label, value }) => `    ${label.padEnd(widest)}  ${line(value, now)}`),
  ];
}

function line(text: string, now: Date): string {
  return safeLine(withClockTimes(text, now), longest);
}
