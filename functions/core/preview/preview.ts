import { type DisruptionClass, disruptionClasses } from '../machine-config/disruption.ts';
import type { PullState } from './pull.ts';

/** What a pull request would do, as everybody may read it who reads the repository: veiled already (veil.ts). */
export interface Preview extends PreviewedChange {
  readonly state: PullState;
  /** Whether clusters are named. */
  readonly isNamed: boolean;
}

/** What a change would do, whosever it is. */
export interface PreviewedChange {
  /** Applications that deploy it; 0 = none that is watched, undefined = nobody was asked and all of it counts. */
  readonly applications: number | undefined;
  readonly clusters: readonly PreviewedCluster[];
  /** Clusters of which nothing is known, so that nodes may reboot there. */
  readonly outOfSight: readonly { readonly cluster: string; readonly why: string }[];
  /** Clusters that were not looked at, because they were too many. */
  readonly beyond: number;
  /** What of the change could not be read or is not understood, so that the safe answer was given. */
  readonly unknown: readonly { readonly path: string; readonly why: string }[];
}

export interface PreviewedCluster {
  readonly cluster: string;
  readonly applications: readonly string[];
  readonly pools: readonly PreviewedPool[];
  readonly silent: readonly { readonly what: string; readonly why: string }[];
  readonly warnings: readonly PreviewedWarning[];
}

export interface PreviewedPool {
  readonly pool: string;
  readonly why: readonly string[];
  readonly machines: number;
  readonly maxUnavailable: string;
  /** Undefined: a reboot must be assumed. */
  readonly class: DisruptionClass | undefined;
  readonly update: 'nothing' | 'files' | 'os' | 'os-and-files' | 'unknown';
  readonly reasons: readonly { readonly what: string; readonly class: DisruptionClass; readonly why: string }[];
  readonly diff: readonly PreviewedDiff[];
  readonly warnings: readonly PreviewedWarning[];
  readonly holds: readonly PreviewedHold[];
}

export interface PreviewedDiff {
  readonly what: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** Empty where the content is masked or no business of this repository's readers; `note` says why. */
  readonly lines: readonly string[];
  readonly note: string;
  readonly source: string;
  readonly security: readonly string[];
}

export interface PreviewedWarning {
  readonly text: string;
  readonly remedy: string;
}

/** Somebody keeps this pool paused now. */
export interface PreviewedHold {
  readonly kind: string;
  /** Empty where it is nobody's business. */
  readonly who: string;
  readonly since: string;
}

/** Pools that would render anew. */
export function affectedPoolNames({ clusters }: Pick<Preview, 'clusters'>): readonly PreviewedPool[] {
  return clusters.flatMap(({ pools }) => pools.filter(({ update }) => update !== 'nothing'));
}

/** The worst that happens to any node; what cannot be told is a reboot. */
export function worstClass(preview: Pick<Preview, 'clusters' | 'outOfSight' | 'beyond'>): DisruptionClass {
  const classes = affectedPoolNames(preview).map((pool) => pool.class ?? 'reboot');
  const blind = preview.outOfSight.length + preview.beyond > 0;
  const worst = Math.max(0, ...classes.map((each) => disruptionClasses.indexOf(each)));
  return blind ? 'reboot' : (disruptionClasses[worst] ?? 'reboot');
}
