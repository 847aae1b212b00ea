import type { Finding } from './trouble.ts';

/** The chain of causes: the symptom first, then at each step the cause that is itself traced back furthest; the first
 *  of several. The last one is the root cause. */
export function chainOf(found: Finding): readonly Finding[] {
  const longest = found.because.map(chainOf).toSorted((a, b) => b.length - a.length)[0] ?? [];
  return [found, ...longest];
}

/** The root cause at the end of that chain; the finding itself if it has no cause. */
export function rootOf(found: Finding): Finding {
  return chainOf(found).at(-1) ?? found;
}

/** The finding and all its causes. */
export function everyFinding(found: Finding): readonly Finding[] {
  return [found, ...found.because.flatMap(everyFinding)];
}

/** Every leaf of the tree: two blocking pods have two root causes. */
export function rootsOf(found: Finding): readonly Finding[] {
  return found.because.length === 0 ? [found] : found.because.flatMap(rootsOf);
}

/** Some cause of it never heals by waiting. */
export function isStructural(found: Finding): boolean {
  return everyFinding(found).some((each) => each.class === 'structural');
}
