/** Disruption of a pool's nodes, worst last. Source: machine-config-operator pkg/apihelpers/apihelpers.go
 *  (NodeDisruptionPolicy) and pkg/daemon/update.go. */
export const disruptionClasses = ['none', 'reload', 'restart', 'drain', 'reboot'] as const;

export type DisruptionClass = (typeof disruptionClasses)[number];

/** One reason for a class: the path, unit or field, and the rule that applies. */
export interface DisruptionReason {
  readonly what: string;
  readonly class: DisruptionClass;
  readonly why: string;
  /** MachineConfig that it comes from. */
  readonly source: string;
}

/** One entry of the readable diff of a pool's rendered config. Secrets are already masked. */
export interface DiffEntry {
  /** `file /etc/chrony.conf`, `unit kubelet.service`, `kernel argument`, `extension`, `osImageURL` ... */
  readonly what: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** Unified diff without content that looks secret; empty if only the fact is known. */
  readonly lines: readonly string[];
  /** Which MachineConfig wins before and after; empty if there is none. */
  readonly source: { readonly before: string; readonly after: string };
  /** Security topics of the change: `SELinux`, `sshd`, `sudo`, `CA bundle` ...; empty if none. */
  readonly security: readonly string[];
  /** There was no room to look at its content: topics are those of its path alone. Absent: it was looked at. */
  readonly isUnread?: true | undefined;
  /** It stands for that many changes which are not listed. Absent: for the one that it names. */
  readonly more?: number | undefined;
}

/** A warning before the change lands: a lint finding, an overlap of pools, a large maxUnavailable. */
export interface Warning {
  readonly code: string;
  readonly text: string;
  readonly remedy: string;
}

/** `nothing`: the rendered config does not change; `unknown`: not predictable. */
export type UpdateKind = 'nothing' | 'files' | 'os' | 'os-and-files' | 'unknown';
