import { isAtRest, isDegradedByNodes, mayHaveNodesBehind, type Pool } from '../openshift/pool.ts';

/** Whether a pass must read the nodes of a pool to judge it; otherwise its entry in the list of pools suffices. A
 *  paused pool is at rest too, unless it is degraded, or nodes may have another config, or are being updated behind the
 *  pause, or were in the last pass that read them: they drain and reboot all the same. */
export function wantsNodes(pool: Pool, firstSeen: Readonly<Record<string, string>>): boolean {
  if (isAtRest(pool)) return false;
  if (!pool.paused || pool.counts.degraded + pool.counts.unavailable > 0 || isDegradedByNodes(pool)) return true;
  if (mayHaveNodesBehind(pool)) return true;
  return Object.keys(firstSeen).some((key) => isNodeClock(key, pool.name));
}

/** A clock for something observed on nodes. What is pending behind a pause or a render is known from the pool alone;
 *  misplaced nodes are known from all nodes of the cluster. */
export function isNodeClock(key: string, pool: string): boolean {
  const ofPool = ['pending', 'unrendered', 'misplaced'].map((name) => `${pool}|${name}`);
  const others = [...ofPool, windowClock(pool), unseenWindowClock(pool)];
  const isOfPool = ['build', ...heldClocks].some((name) => key.startsWith(`${pool}|${name}|`));
  return key.startsWith(`${pool}|`) && !others.includes(key) && !isOfPool;
}

const heldClocks = ['held-back', 'held-again', 'held-stalled', 'held-unrendered', 'since-held'] as const;

/** Since when a change has been waiting behind the pool's pauses with as many nodes updated as now. */
export function heldBackClock({ name, counts }: Pick<Pool, 'name' | 'counts'>): string {
  return `${name}|${heldClocks[0]}|${counts.updated}`;
}

/** When it was paused again for the first time meanwhile. */
export function heldAgainClock({ name, counts }: Pick<Pool, 'name' | 'counts'>): string {
  return `${name}|${heldClocks[1]}|${counts.updated}`;
}

/** A clock for misplaced nodes. */
export function isMisplacedClock(key: string): boolean {
  return /^[^|]+\|misplaced$/.test(key);
}

/** Of when the window opens that the pool waits for: an instant ahead. */
export function windowClock(pool: string): string {
  return `${pool}|opens`;
}

/** Since when it could not be read whether the window is open. */
export function unseenWindowClock(pool: string): string {
  return `${pool}|window-unseen`;
}

/** The only clock that may show an instant ahead. */
export function isWindowClock(key: string): boolean {
  return /^[^|]+\|opens$/.test(key);
}

/** Since when no node has begun, with nothing that holds the pool. */
export function stalledClock({ name, target }: Pick<Pool, 'name' | 'target'>): string {
  return `${name}|stalled|${target.name}`;
}

export interface HeldOverClocks {
  /** Since when it had lasted when something began to hold the pool. */
  readonly over: string;
  /** When that was seen to hold it. */
  readonly paused: string;
}

/** Of what lasts of a pool that something holds now. */
export function heldOverClocks(
  { name, target }: Pick<Pool, 'name' | 'target'>,
  what: 'stalled' | 'unrendered',
): HeldOverClocks {
  return { over: `${name}|held-${what}|${target.name}`, paused: `${name}|since-held|${what}` };
}
