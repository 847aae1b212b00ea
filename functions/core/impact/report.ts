import type {
  DiffEntry,
  DisruptionClass,
  DisruptionReason,
  UpdateKind,
  Warning,
} from '../machine-config/disruption.ts';

/** Impact of a change on one pool of one cluster. */
export interface PoolImpact {
  readonly pool: string;
  readonly why: readonly string[];
  readonly machines: number;
  readonly maxUnavailable: string;
  /** Undefined if not predictable; `why` has the reason, and `reboot` must be assumed. */
  readonly class: DisruptionClass | undefined;
  /** What is updated: only the OS image, only files and settings, or both. */
  readonly update: UpdateKind;
  readonly reasons: readonly DisruptionReason[];
  readonly diff: readonly DiffEntry[];
  readonly warnings: readonly Warning[];
}

/** Impact of a change on one cluster, through one or more Applications. */
export interface ClusterImpact {
  readonly cluster: string;
  readonly applications: readonly string[];
  readonly pools: readonly PoolImpact[];
  /** Changes that reach no pool, with the reason. */
  readonly silent: readonly { readonly what: string; readonly why: string }[];
  /** What could not be read or predicted, so that the safe result is given. */
  readonly unknown: readonly { readonly path: string; readonly why: string }[];
  readonly warnings: readonly Warning[];
}
