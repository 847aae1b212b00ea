/** What the nodes of a pool will suffer, worst last. Source: facts of the MCO's NodeDisruptionPolicy (apihelpers.go,
 *  update.go). */
export const disruptionClasses = ['none', 'reload', 'restart', 'drain', 'reboot'] as const;

export type DisruptionClass = (typeof disruptionClasses)[number];

/** One reason for a class: the path, unit or field that asks for it, and the rule by which. */
export interface DisruptionReason {
  readonly what: string;
  readonly class: DisruptionClass;
  readonly why: string;
  /** MachineConfig that brings it. */
  readonly source: string;
}

/** One line of the readable diff of a pool's rendered config. Secrets are masked before this is made. */
export interface DiffEntry {
  /** `file /etc/chrony.conf`, `unit kubelet.service`, `kernel argument`, `extension`, `osImageURL` ... */
  readonly what: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** Unified lines without content of what looks secret; empty where only the fact is known. */
  readonly lines: readonly string[];
  /** Which MachineConfig wins before and after; empty where there is none. */
  readonly source: { readonly before: string; readonly after: string };
  /** What of the node's security it concerns: `SELinux`, `sshd`, `sudo`, `CA bundle` ...; empty for anything else. */
  readonly security: readonly string[];
}

/** Something a person should know before it lands: a lint finding, an overlap of pools, a large maxUnavailable. */
export interface Warning {
  readonly code: string;
  readonly text: string;
  readonly remedy: string;
}

/** `nothing`: the rendered config stays what it is; `unknown`: it could not be predicted. */
export type UpdateKind = 'nothing' | 'files' | 'os' | 'os-and-files' | 'unknown';
