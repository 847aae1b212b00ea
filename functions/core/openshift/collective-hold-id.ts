import type { Hold } from './hold.ts';

/** What the record of a pool has no room for is held together, as one hold for each Argo CD instance, by time alone: a
 *  push is seen once, and a running sync only when its Application is read. Its id is of the form of an ApplicationSet
 *  that will generate something, so that every version ends it at its time; no ApplicationSet is without a
 *  namespace. */
export function collectiveHoldId(argocd: string): string {
  return `set/${argocd}//others`;
}

/** Whether it is such a hold. */
export function isCollective({ id }: Pick<Hold, 'id'>): boolean {
  return id === collectiveHoldId(argocdOf(id));
}

/** The hold that stands for this one where it has no room. */
export function collectiveFor<Each extends Pick<Hold, 'id'>>(id: string, holds: readonly Each[]): Each | undefined {
  const wanted = collectiveHoldId(argocdOf(id));
  return holds.find((hold) => hold.id === wanted);
}

/** `sync/hub/team-a/nodes` and `set/hub/team-a/fleet` -> `hub`. */
export function argocdOf(id: string): string {
  return id.split('/')[1] ?? '';
}
