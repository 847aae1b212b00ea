import { type Wait, waitFacts, waitTitle } from '../../../functions/core/gates/wait.ts';
import { hangingLines, wrapLines } from '../../../functions/core/text/columns.ts';
import { withClockTimes } from '../../../functions/core/text/durations.ts';
import { counted } from '../../../functions/core/text/phrases.ts';
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
  /** Guards that do not open before it is paused, and that a sync waits for. */
  readonly guards: readonly Wait[];
}

/** Characters of one line: a command with two names of 253 and a patch. */
const longest = 1000;

/** What was found, and what is not known of it. */
export interface WhyAnswer {
  readonly pools: readonly WhyPool[];
  /** What was not read, or not lately, one sentence each: nothing is said to be well by leaving it out. */
  readonly unread: readonly string[];
}

/** Guards of a cluster of which nothing is known.
 *  @param about the AppProjects, or the Application */
export function guardsUnread(cluster: string, about: string, why: string): string {
  return `guards of ${cluster}, ${about}: ${why}`;
}

/** Where no change is pending. Nodes that have not its config are back on their way to it, or wait for that. */
export function noChangeText({ machines, updated }: { readonly machines: number; readonly updated: number }): string {
  const text = 'and no change is pending';
  return updated < machines ? `${text}, but only ${updated} of ${counted(machines, 'node')} are updated` : text;
}

/** In the words of the status page. */
export function whyText(pools: readonly WhyPool[], now: Date): string {
  return pools.map((each) => `${poolText(each, now)}\n`).join('\n');
}

function poolText({ cluster, pool, state, why, guards }: WhyPool, now: Date): string {
  const later = why.afterwards.flatMap((wait) => waitLines(wait, now));
  const isWaiting = why.now.length + why.afterwards.length > 0;
  return [
    wrapLines(line(`${cluster}/${pool}: ${state}`, now)),
    ...why.now.flatMap((wait) => waitLines(wait, now)),
    ...(later.length === 0 ? [] : ['  Afterwards', ...later]),
    ...(why.override === undefined || !isWaiting
      ? []
      : ['  Whoever may change the pool can go past all of this:', `    ${line(why.override, now)}`]),
    ...(guards.length === 0 ? [] : ['  Syncs that wait for it', ...guards.flatMap((wait) => waitLines(wait, now))]),
  ].join('\n');
}

function waitLines(wait: Wait, now: Date): readonly string[] {
  const facts = waitFacts(wait);
  const widest = Math.max(...facts.map(({ label }) => label.length));
  return [
    wrapLines(`  ${line(`${waitTitle(wait)}: ${wait.why}`, now)}`),
    ...facts.flatMap(({ label, value }) => hangingLines(`    ${label.padEnd(widest)}  `, line(value, now))),
  ];
}

function line(text: string, now: Date): string {
  return safeLine(withClockTimes(text, now), longest);
}
