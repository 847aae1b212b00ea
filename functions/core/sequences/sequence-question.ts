import type { Sequence } from '../configuration/sequence.ts';
import type { StepHealth } from './operator-health.ts';
import type { Order, OrderRules, Turn } from './order.ts';
import type { SequencePlan } from './plan.ts';
import type { CheckRun, ItemRecord, MadeObject, SequenceRecord } from './record.ts';

/** What was found of a step or a gate in this look. */
export interface ItemReading extends StepHealth {
  /** As the object is annotated; absent: not at all, or it was not read. */
  readonly wave?: number | undefined;
  /** Of an Application that is not there yet, and whose annotation would say its wave; absent: it is known. */
  readonly isWaveUnknown?: boolean | undefined;
  /** The object of the step, as it is to be recorded; absent: as it is recorded already. */
  readonly made?: MadeObject | undefined;
  /** The Jobs of the gate; absent: as they are recorded already. */
  readonly runs?: Readonly<Record<string, CheckRun>> | undefined;
  /** Of an object: what others have done to it since it was applied; absent: nothing. */
  readonly drift?: string | undefined;
  /** Of a pool: it was let go for the change that it has now; absent: it was not. */
  readonly underWay?: boolean | undefined;
  /** Of a gate that is refused: because the cluster serves no such kind; absent: for something else. */
  readonly isUnknownKind?: boolean | undefined;
  /** Of an object that is ours: its fields that never were anybody's. */
  readonly unowned?: readonly string[] | undefined;
}

/** What is known of a sequence in one look. */
export interface SequenceQuestion {
  readonly plan: SequencePlan;
  readonly rules: OrderRules & Partial<Pick<Sequence, 'onAbort'>>;
  readonly record: SequenceRecord;
  /** By id; absent: not read in this look. */
  readonly readings: ReadonlyMap<string, ItemReading>;
  /** Sequences that must be done first, and are not. */
  readonly waitsForSequences: readonly string[];
  /** Of the configuration of the sequence. */
  readonly fingerprint: string;
  readonly now: Date;
}

/** What is recorded of steps and gates, by id. */
export type Items = Readonly<Record<string, ItemRecord>>;

/** What may go or is waited for now. */
export interface InTurn {
  readonly order: Order;
  readonly turns: ReadonlyMap<string, Turn>;
  /** Gates before steps whose turn it is. */
  readonly awaited: ReadonlySet<string>;
  /** Of steps and gates, by id. */
  readonly waves: ReadonlyMap<string, number>;
}
