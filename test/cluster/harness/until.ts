import { setTimeout as pause } from 'node:timers/promises';
import type { Kube } from './kube.ts';

/** What a condition gives back while it does not hold. */
type NotYet = undefined | null | false;

/** How often a condition is looked at, milliseconds: often enough to measure tenths of a second by it. */
const everyMs = 20;

/**
 * Looks at a condition until it holds, and gives back what it gave. A condition that throws does not hold yet.
 * When the limit passes, the error says what was waited for, how long, and what was seen last.
 */
export async function until<T>(
  condition: () => Promise<T | NotYet> | T | NotYet,
  limitMs: number,
  what: string | (() => string),
): Promise<T> {
  const deadline = performance.now() + limitMs;
  let last: unknown;
  for (;;) {
    try {
      const seen = await condition();
      if (seen !== undefined && seen !== null && seen !== false) return seen;
      last = undefined;
    } catch (cause) {
      last = cause;
    }
    if (performance.now() > deadline) break;
    await pause(everyMs);
  }
  const words = typeof what === 'string' ? what : what();
  const failure =
    last === undefined ? '' : ` (last look failed: ${last instanceof Error ? last.message : String(last)})`;
  throw new Error(`waited ${limitMs / 1_000} s in vain for ${words}${failure}`, { cause: last });
}

/** How long what is deleted may take to go, milliseconds: seconds on a busy machine. */
const goneWithinMs = 60_000;

/** Waits until nothing is there any more: what has finalizers, and a namespace, is deleted some time after it was asked
 *  for. */
export async function untilGone(kube: Kube, path: string): Promise<void> {
  let last: unknown;
  await until(
    async () => {
      last = await kube.find(path);
      return last === undefined;
    },
    goneWithinMs,
    () => `${path} to be gone; it is ${JSON.stringify(last)}`,
  );
}
