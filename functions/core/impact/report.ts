import type {
  DiffEntry,
  DisruptionClass,
  DisruptionReason,
  UpdateKind,
  Warning,
} from '../machine-config/disruption.ts';
import type { ManifestChange } from '../openshift/manifest.ts';

/** What a change does to one pool of one cluster. */
export interface PoolImpact {
  readonly pool: string;
  readonly why: readonly string[];
  readonly machines: number;
  readonly maxUnavailable: string;
  /** Undefined where it could not be predicted; `why` says the reason, and `reboot` must be assumed. */
  readonly class: DisruptionClass | undefined;
  /** What moves: only the OS image, only files and settings, or both. A new image says nothing of files, and the
   *  other way round. */
  readonly update: UpdateKind;
  readonly reasons: readonly DisruptionReason[];
  readonly diff: readonly DiffEntry[];
  readonly warnings: readonly Warning[];
}

/** What a change does to one cluster, through one or more Applications. */
export interface ClusterImpact {
  readonly cluster: string;
  readonly applications: readonly string[];
  readonly pools: readonly PoolImpact[];
  /** Changes that reach no pool, with the reason. */
  readonly silent: readonly { readonly what: string; readonly why: string }[];
  /** What could not be read or predicted, so that the answer is the safe one. */
  readonly unknown: readonly { readonly path: string; readonly why: string }[];
  readonly warnings: readonly Warning[];
}

/** The change an impact was computed of; its content never leaves. */
export type ImpactChanges = readonly ManifestChange[];
