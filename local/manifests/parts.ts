/** The parts that can be printed separately, in the order in which they are applied. */
export const parts = [
  'access',
  'admission-limit',
  'pause-first',
  // The operator deletes a NotificationsConfiguration while notifications are off in its ArgoCD resource, so that comes
  // first.
  'argocd-settings',
  'notifications',
  'event-source',
  'presync-job',
  'in-cluster',
] as const;

export type Part = (typeof parts)[number];

export const levels = ['observe', 'react', 'handshake', 'admission', 'guard', 'rest'] as const;

export type Level = (typeof levels)[number];

/** What a cluster needs for a level. Without the PreSync Job, which Argo CD applies from Git, and without Poolkeeper
 *  itself; without notifications where nobody says to which address, as they would go nowhere instead of where they go
 *  now. */
export function partsOf(level: Level, isUrlGiven: boolean): readonly Part[] {
  if (level === 'observe') return ['access', 'admission-limit'];
  const pauseFirst = level === 'admission' ? (['pause-first'] as const) : [];
  const notifications = isUrlGiven ? (['notifications'] as const) : [];
  return ['access', 'admission-limit', ...pauseFirst, 'argocd-settings', ...notifications];
}
