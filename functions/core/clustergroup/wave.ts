/** The annotation that orders what is within one sync of Argo CD. */
export const waveAnnotation = 'argocd.argoproj.io/sync-wave';

/** What Argo CD reads of a wave as text: Go's Atoi, and 0 for everything that is none. Source: Argo CD 3.6.0,
 *  gitops-engine/pkg/sync/syncwaves. */
export function waveOf(text: string | undefined): number {
  return isWave(text) ? Number(text) + 0 : 0;
}

/** Whether Argo CD reads a wave as it is written. */
export function isWave(text: string | undefined): text is string {
  return text !== undefined && /^[+-]?\d+$/.test(text) && Math.abs(Number(text)) < 2 ** 63;
}
