/** A node as the MCO sees it, from its metadata alone (a list of 2,000 full nodes is 40-60 MB, of their metadata a
 *  tenth). Annotations: prefix `machineconfiguration.openshift.io/`, MCO pkg/daemon/constants. */
export interface Node {
  readonly name: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly currentConfig: string;
  readonly desiredConfig: string;
  /** `Done`, `Working`, `Degraded`, `Unreconcilable`; empty when the daemon has not reported yet. */
  readonly state: string;
  /** Failure text of the daemon, at most 2,000 characters, cleared on Done. */
  readonly reason: string;
  /** `drain-<rendered>` or `uncordon-<rendered>`: what the daemon asks for. */
  readonly desiredDrain: string;
  /** What the controller did last; unequal to `desiredDrain` = the request is open. */
  readonly lastAppliedDrain: string;
  /** `Rebooting` from the reboot request until the daemon is back. */
  readonly postConfigAction: string;
  /** ISO instant of the last write by the machine-config-controller, which sets `desiredConfig`; undefined when
   *  unknown. */
  readonly targetedAt: string | undefined;
  /** `<namespace>/<name>` of the machine behind it; absent where no Machine API made it. */
  readonly machine?: string | undefined;
  /** ISO instant of the last write by whoever writes `state`, which is the config daemon; undefined when unknown. */
  readonly reportedAt?: string | undefined;
  /** ISO instant at which the node joined the cluster; undefined when unknown. */
  readonly createdAt?: string | undefined;
}

/** A node whose `desiredConfig` differs from its `currentConfig`: it goes on whatever `paused` says. */
export function isInFlight(node: Pick<Node, 'currentConfig' | 'desiredConfig'>): boolean {
  return node.desiredConfig !== '' && node.desiredConfig !== node.currentConfig;
}

export function isDraining(node: Pick<Node, 'desiredDrain' | 'lastAppliedDrain'>): boolean {
  return node.desiredDrain.startsWith('drain-') && node.desiredDrain !== node.lastAppliedDrain;
}

export function isFailing(node: Pick<Node, 'state'>): boolean {
  return node.state === 'Degraded' || node.state === 'Unreconcilable';
}
