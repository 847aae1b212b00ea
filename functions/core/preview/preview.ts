import type { OwnPace } from '../impact/node-pace.ts';
import type { Unjudged } from '../impact/unjudged.ts';
import { type DisruptionClass, disruptionClasses } from '../machine-config/disruption.ts';
import type { PullState } from './pull.ts';

/** Preview of a pull request as every reader of the repository may see it: names are already hidden (hide-names.ts). */
export interface Preview extends PreviewedChange {
  readonly state: PullState;
  /** Whether clusters are named. */
  readonly isNamed: boolean;
  /** An Argo CD did not answer: it is to be asked again. */
  readonly isPartial: boolean;
  /** The rate limit of the Git host kept files back: seconds until they are to be asked for again. Absent: it did
   *  not. */
  readonly keptBackSeconds?: number | undefined;
}

/** What a change would do, wherever it comes from. */
export interface PreviewedChange {
  /** Applications that deploy it; 0: none that is watched, undefined: not checked, all of the change counts. */
  readonly applications: number | undefined;
  /** No Application or ApplicationSet that is watched names the repository, which may have another name there. Absent:
   *  one does, or it was not checked. */
  readonly isUnnamed?: true | undefined;
  readonly clusters: readonly PreviewedCluster[];
  /** Clusters that could not be read, whose nodes may reboot. */
  readonly outOfSight: readonly { readonly cluster: string; readonly why: string }[];
  /** Clusters that were not checked because there were too many. */
  readonly beyond: number;
  /** Parts of the change that could not be read or understood, so that the worst case is assumed. */
  readonly unknown: readonly { readonly path: string; readonly why: string }[];
  /** Parts of the change of which it is not known what they do, whether or not pools are assumed because of them. */
  readonly unjudged: readonly Unjudged[];
  /** Objects of the clusters that could not be parsed, Argo CD instances that do not answer, and names of which it is
   *  not known what the repository is called now, that the change may concern. */
  readonly unreadable: readonly UnreadableInPreview[];
}

export interface UnreadableInPreview {
  readonly what: 'Application' | 'ApplicationSet' | 'ApplicationSet list' | 'pool' | 'Argo CD' | 'repository name';
  /** Empty if it must not be shown, or is not known. */
  readonly name: string;
  /** The change has something that would reach nodes through it. */
  readonly mayReboot: boolean;
}

/** What a change would do to one cluster. */
export interface PreviewedCluster {
  /** Name, or an alias if clusters are not named. */
  readonly cluster: string;
  /** Those that deploy the change there. */
  readonly applications: readonly string[];
  readonly pools: readonly PreviewedPool[];
  /** Changed objects that reach no pool, with the reason. */
  readonly silent: readonly { readonly what: string; readonly why: string }[];
  readonly warnings: readonly PreviewedWarning[];
}

/** What it would do to one pool. */
export interface PreviewedPool {
  readonly pool: string;
  /** By which changed objects the pool is affected. */
  readonly why: readonly string[];
  /** Nodes of the pool. */
  readonly machines: number;
  readonly maxUnavailable: string;
  /** Undefined: assume a reboot. */
  readonly class: DisruptionClass | undefined;
  readonly update: 'nothing' | 'files' | 'os' | 'os-and-files' | 'unknown';
  /** Which changed setting leads to which disruption. */
  readonly reasons: readonly { readonly what: string; readonly class: DisruptionClass; readonly why: string }[];
  readonly diff: readonly PreviewedDiff[];
  readonly warnings: readonly PreviewedWarning[];
  readonly holds: readonly PreviewedHold[];
  /** The pace of its own nodes; absent: not known. */
  readonly pace?: OwnPace | undefined;
  /** What stands before its rollout, in words; absent: not known. */
  readonly ahead?: readonly string[] | undefined;
}

/** One setting of the rendered config that changes: a file, a unit, a field. */
export interface PreviewedDiff {
  readonly what: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** Empty if the content is masked or not for this repository's readers; `note` says why. */
  readonly lines: readonly string[];
  readonly note: string;
  /** MachineConfig that sets it afterwards, or set it before; empty: neither is known. */
  readonly source: string;
  /** Security topics that it concerns: `SELinux`, `sshd` ..., and that its content was not looked at; empty:
   *  none. */
  readonly security: readonly string[];
  /** It stands for that many changes which are not listed. Absent: for the one that it names. */
  readonly more?: number | undefined;
}

export interface PreviewedWarning {
  readonly text: string;
  readonly remedy: string;
}

/** A current hold on this pool. */
export interface PreviewedHold {
  readonly kind: string;
  /** Empty if it must not be shown. */
  readonly who: string;
  readonly since: string;
}

/** Pools that would be re-rendered. */
export function reRenderedPools({ clusters }: Pick<Preview, 'clusters'>): readonly PreviewedPool[] {
  return clusters.flatMap(({ pools }) => pools.filter(({ update }) => update !== 'nothing'));
}

/** What may reboot nodes although no pool of it is known: it is told like a disruption. */
export function doubtsOf({ unjudged, unreadable }: Pick<PreviewedChange, 'unjudged' | 'unreadable'>) {
  return {
    unjudged: unjudged.filter(({ mayBring }) => mayBring),
    unreadable: unreadable.filter(({ mayReboot }) => mayReboot),
  };
}

/** Of these, what is not told by pools that are assumed because of it. */
export function unassumedOf(preview: PreviewedChange): readonly Unjudged[] {
  return doubtsOf(preview).unjudged.filter(({ isAssumed }) => isAssumed !== true);
}

/** Worst disruption of any node; unknown counts as a reboot. */
export function worstClass(preview: Pick<Preview, 'clusters' | 'outOfSight' | 'beyond'>): DisruptionClass {
  const classes = reRenderedPools(preview).map((pool) => pool.class ?? 'reboot');
  const blind = preview.outOfSight.length + preview.beyond > 0;
  const worst = Math.max(0, ...classes.map((each) => disruptionClasses.indexOf(each)));
  return blind ? 'reboot' : (disruptionClasses[worst] ?? 'reboot');
}
