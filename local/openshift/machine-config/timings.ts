/**
 * How long the machine config parts take, in milliseconds of the cluster's time. The delays of the controllers are
 * constants of their source and were measured on release-4.21; what a node needs for itself is what the measured one
 * needed.
 */
export const timings = {
  /** From a change of a MachineConfig or pool to the render controller's look at the pool. Not debounced: the
   *  earliest deadline stays. */
  renderDelayMs: 5_000,
  /** Merging and writing the result. Short, but it makes the node controller's look at the same moment come too
   *  early. */
  renderMs: 100,
  /** From a change of a pool or node to the node controller's look at the pool. Also how long it waits for a first
   *  render. */
  updateDelayMs: 5_000,
  /** From a node's request to the drain controller's look at the node. */
  drainDelayMs: 5_000,
  /** client-go's limit for each controller's client, which makes about 0.4 s for a node that is read and patched. */
  requestsPerSecond: 5,
  requestBurst: 10,
  /** One attempt to empty a node. */
  drainAttemptMs: 90_000,
  /** Between evictions of a pod whose budget refused. */
  evictionRetryMs: 5_000,
  /** Between drain attempts. */
  drainRetryMs: 60_000,
  /** From here on a drain is called failing, reported, and tried again less often. */
  drainFailingAfterMs: 600_000,
  drainFailingRetryMs: 300_000,
  /** The daemon gives up waiting and degrades its node; the controller goes on trying. */
  drainTimeoutMs: 3_600_000,
  /** How often the daemon looks whether its drain or uncordon request has been granted. */
  daemonPollMs: 10_000,
  /** How often the daemon tries again what failed. */
  daemonRetryMs: 60_000,
  /** Writing files and staging the operating system. */
  applyMs: 2_500,
  /** From the shutdown to a ready kubelet. */
  rebootMs: 8_600,
};

export type Timings = typeof timings;
