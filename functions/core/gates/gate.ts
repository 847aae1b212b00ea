import type { Budget } from '../configuration/budget.ts';
import type { PoolSettings } from '../configuration/cluster.ts';
import type { Policy } from '../configuration/policy.ts';
import type { Window } from '../configuration/window.ts';
import type { Pool } from '../openshift/pool.ts';
import type { LabelledMachineConfig, UnreadMachineConfigs } from '../openshift/pool-chooser.ts';
import type { Release, RolledOut } from '../openshift/pool-record.ts';
import type { PoolStep } from '../sequences/pool-steps.ts';
import type { Evidence, EvidenceKind } from './evidence.ts';

/** A sync of which Argo CD does not say yet what it changes. */
export interface UnclearSync {
  /** `<namespace>/<name>` of its Application. */
  readonly name: string;
  /** ISO instant at which it says that it began; undefined: it has not begun. */
  readonly begunAt: string | undefined;
}

/** Everything a gate may use. Pure data of one pass. */
export interface GateQuestion {
  /** Name of the cluster of the pool; absent: not known, and commands do not name it. */
  readonly cluster?: string | undefined;
  readonly pool: Pool;
  readonly settings: PoolSettings;
  /** All pools of the cluster, this one included. */
  readonly pools: readonly Pool[];
  /** Pools that are there and cannot be parsed; absent: none. */
  readonly unreadablePools?: readonly UnreadablePool[] | undefined;
  readonly settingsOf: (pool: string) => PoolSettings;
  readonly release: Release | undefined;
  /** What was let go last of the pool; absent: it is not known, or nothing was. */
  readonly rolledOut?: RolledOut | undefined;
  /** Ids of the holds for running syncs in spite of which a person has resumed the pool: no gate waits for these
   *  syncs. Absent: there are none. */
  readonly overruledSyncs?: ReadonlySet<string> | undefined;
  /** Applications that are syncing, of which Argo CD does not say yet what they change.
   *  Asked for pools at rest; absent: there are none. */
  readonly unclearSyncs?: readonly UnclearSync[] | undefined;
  /** Metadata of the MachineConfigs that the release names but the pool's render does not list. */
  readonly machineConfigs: readonly LabelledMachineConfig[];
  /** Those of them that could not be read; absent: all were. */
  readonly unreadMachineConfigs?: UnreadMachineConfigs | undefined;
  readonly evidence: Evidence;
  /** ISO instant since when each closed gate of this pool has been closed, by name; open gates are absent. */
  readonly closedSince: Readonly<Record<string, string>>;
  /** The same: since when every look has read it as closed; absent: not known, so that `closedSince` alone counts. */
  readonly readSince?: Readonly<Record<string, string>> | undefined;
  /** ISO instant since when the pool waits with this rendered config; absent: for as long as its gates are closed. */
  readonly renderedSince?: string | undefined;
  readonly policy: Policy;
  /** All windows of the cluster. */
  readonly windows: readonly Window[];
  /** The emergency lane of the pool is open; absent: it is not. */
  readonly emergency?: { readonly who: string; readonly why: string } | undefined;
  /** Absent: any number of pools may roll. */
  readonly budget?: Budget | undefined;
  /** Why a pool that rests paused must not wait; absent: it may. */
  readonly yields?: string | undefined;
  /** The run whose nodes go by this pool, as its note says; absent: none does. */
  readonly canaryOf?: string | undefined;
  /** Pools that a run holds and whose nodes go by this pool: it waits for none of them. Absent: none. */
  readonly goingByIt?: readonly string[] | undefined;
  /** Pools that are later steps of its sequence, whatever their wave: it waits for none of them. Absent: none. */
  readonly laterSteps?: readonly string[] | undefined;
  /** Ids of the holds of Applications that are steps of sequences; absent: there are none. */
  readonly applicationSteps?: ReadonlySet<string> | undefined;
  /** The step of a sequence that the pool is; absent: none. */
  readonly step?: PoolStep | undefined;
  readonly now: Date;
}

export interface UnreadablePool {
  readonly name: string;
  /** Poolkeeper has resumed it, and that rollout is not known to have ended. */
  readonly isResumed: boolean;
}

/** A gate's answer. `lacks`: evidence that could change it and that has not been read yet. */
export type GateAnswer = OpenGate | ClosedGate;

export interface OpenGate {
  readonly open: true;
  /** Why it is open, if the reason of the resume should say so. */
  readonly because?: string | undefined;
  /** What may still go wrong after the resume. */
  readonly warning?: string | undefined;
  readonly lacks?: EvidenceKind | undefined;
}

/** Everything that the person who waits wants to know. Every surface shows it by `waitFacts`. */
export interface ClosedGate {
  readonly open: false;
  readonly why: string;
  /** What was found, in a few words: `1 of 2 approvals`. */
  readonly value: string;
  /** What it has to be, in a few words: `2 approvals`. */
  readonly threshold: string;
  /** What opens it. */
  readonly opens: string;
  /** Who may open it; for what opens by itself, what does. */
  readonly who: string;
  /** The command that opens it, whole; absent: there is none. */
  readonly how?: string | undefined;
  /** ISO instant at which it opens by itself; absent: unknown. */
  readonly opensAt?: string | undefined;
  /** What people are asked to approve (`changeName`); absent: nobody is asked. */
  readonly approves?: string | undefined;
  /** Whose approval of it does not count, as in `approve.by`, because they pushed it; absent: nobody's. */
  readonly excludes?: readonly string[] | undefined;
  readonly lacks?: EvidenceKind | undefined;
  /** What it asks for could not be read: it may be open. */
  readonly isUnseen?: true | undefined;
}

/** One named condition; pure. */
export interface Gate {
  readonly name: string;
  /** While the emergency lane of the pool is open. `passed`: the gate does not count, and needs no read. `asked`: it
   *  counts as ever, because it keeps a rollout from doing harm. */
  readonly inEmergency: 'passed' | 'asked';
  readonly ask: (question: GateQuestion) => GateAnswer;
  /** How long it may stay closed, and what happens then. */
  readonly timeout: (question: GateQuestion) => GateTimeout;
}

/** Names of the gates that an open emergency lane passes. A list, so that whoever only tells of gates need not load
 *  them. */
export const passedInEmergency: ReadonlySet<string> = new Set(['approval', 'budget', 'fit', 'ticket', 'window']);

export interface GateTimeout {
  readonly afterSeconds: number;
  readonly action: TimeoutAction;
}

/** What happens to a pool whose gate stays closed for too long. `wait`: it stays paused. `alert`: so it does, and an
 *  alert is sent. `resume`: the gate no longer counts. `drop`: Poolkeeper gives the pool up; it stays paused until a
 *  person resumes it. */
export type TimeoutAction = 'wait' | 'alert' | 'resume' | 'drop';

/** For gates that open by themselves or by somebody's work: the same patience as for every pause. */
export function pausedAtMost({ policy }: Pick<GateQuestion, 'policy'>): GateTimeout {
  return { afterSeconds: policy.pausedAtMostSeconds, action: 'alert' };
}

export const open: OpenGate = { open: true };

export function closed(answer: Omit<ClosedGate, 'open'>): ClosedGate {
  return { open: false, ...answer };
}

/** A gate that cannot be judged, because something could not be read: it keeps the pool paused. */
export function unseen(answer: Omit<ClosedGate, 'open' | 'isUnseen'>): ClosedGate {
  return closed({ ...answer, isUnseen: true });
}

/** A gate that cannot be judged before something is read, which is done once the other gates are open. */
export function unread(what: string, threshold: string, lacks: EvidenceKind): ClosedGate {
  return closed({
    why: `${what} has not been read yet`,
    value: 'not read yet',
    threshold,
    opens: 'a read, once the other gates are open',
    who: 'Poolkeeper, by itself',
    lacks,
  });
}
