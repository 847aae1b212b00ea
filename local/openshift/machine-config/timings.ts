/** How long the machine config parts take, in milliseconds of the cluster's time. The controllers' delays are constants
 *  of their source and were measured on release-4.21; a node's own times are those of the measured one. */
export const timings = {
  /** From a change of a MachineConfig or pool to the sync of the pool by the render controller. Not debounced: the
   *  earliest deadline stays. */
  renderDelayMs: 5_000,
  /** Merging and writing the result. Short, but it makes the node controller's sync at the same moment come too
   *  early. */
  renderMs: 100,
  /** From a change of a pool or node to the sync of the pool by the node controller. Also how long that waits for a
   *  first render. */
  updateDelayMs: 5_000,
  /** From a node's request to its sync by the drain controller. */
  drainDelayMs: 5_000,
  /** client-go's limit per controller: about 0.4 s for a node that is read and patched. */
  requestsPerSecond: 5,
  requestBurst: 10,
  /** From a change of a pool, or of a node's labels, to the sync of the operator itself. Not measured. */
  operatorDelayMs: 1_000,
  /** One attempt to drain a node. */
  drainAttemptMs: 90_000,
  /** Between two attempts to evict a pod that its budget protects. */
  evictionRetryMs: 5_000,
  /** Between drain attempts. */
  drainRetryMs: 60_000,
  /** After this a drain is reported as failing and retried less often. */
  drainFailingAfterMs: 600_000,
  drainFailingRetryMs: 300_000,
  /** After this the daemon degrades its node; the controller keeps trying. */
  drainTimeoutMs: 3_600_000,
  /** How often the daemon checks whether its drain or uncordon request has been granted. */
  daemonPollMs: 10_000,
  /** How often the daemon retries what failed. */
  daemonRetryMs: 60_000,
  /** Writing files and staging the operating system. */
  applyMs: 2_500,
  /** From shutdown to a ready kubelet. */
  rebootMs: 8_600,
};

export type Timings = typeof timings;
