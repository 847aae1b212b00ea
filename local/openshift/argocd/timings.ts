/** How long Argo CD takes, in milliseconds. Measured on 3.2.11 with one small application, warm, from the webhook
 *  on. */
export const timings = {
  /** From the webhook to the refresh annotation on the application. */
  webhookMs: 40,
  /** Reading the repository and comparing it with the cluster, up to requesting an operation. */
  refreshMs: 90,
  /** From the requested operation to the phase Running. */
  startMs: 10,
  /** From a change of the application to a notification at the receiver. */
  notifyMs: 20,
  /** From Running to the first write to the cluster. */
  prepareMs: 310,
  /** From the last write to the end of the operation. */
  finishMs: 10,
  /** Between sync waves. Source: ARGOCD_SYNC_WAVE_DELAY. */
  waveDelayMs: 2_000,
  /** How often a wave's health and the controller's own pod are checked. */
  lookMs: 1_000,
  /** Poll interval of every application: this, plus a random part of the jitter. Source: timeout.reconciliation since
   *  3.0. */
  pollMs: 120_000,
  pollJitterMs: 60_000,
  /** How often the notifications controller goes through all applications again. */
  notificationResyncMs: 60_000,
  /** Waits before the first, second and third retry of a failed notification; then it is lost. */
  redeliverMs: [1_000, 2_000, 4_000] as readonly number[],
};

export type ArgoTimings = typeof timings;
