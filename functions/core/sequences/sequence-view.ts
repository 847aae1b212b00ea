import { plusSeconds } from '../text/instant.ts';
import { gateText, targetText } from './item-text.ts';
import { judgeSequence, type SequenceJudgement } from './judge-sequence.ts';
import type { OrderedItem } from './order.ts';
import type { PlannedGate, PlannedStep } from './plan.ts';
import type { HeldApplication, ItemRecord, LogEntry, Said, SequenceRecord } from './record.ts';
import type { SequenceQuestion } from './sequence-question.ts';

/** A sequence as people see it: its waves, what each step waits for, since when and until when. */
export interface SequenceView {
  readonly sequence: string;
  readonly state: 'not begun' | 'running' | 'done' | 'paused' | 'aborted';
  /** Who paused or aborted it, and why; absent: nobody. */
  readonly said?: Said | undefined;
  /** The lowest wave that is not healthy; absent: all are. */
  readonly wave?: number | undefined;
  readonly waves: readonly { readonly wave: number; readonly items: readonly SequenceItemView[] }[];
  /** What happened, the newest last. */
  readonly log: readonly LogEntry[];
}

export interface SequenceItemView {
  readonly id: string;
  readonly kind: 'step' | 'gate';
  /** The step that a gate belongs to, by id. */
  readonly of?: string | undefined;
  /** `Subscription openshift-storage/odf-operator`; of a gate, what must be there. */
  readonly what: string;
  readonly cluster: string;
  readonly state: OrderedItem['state'] | 'skipped' | 'passed';
  /** What was found, in words. */
  readonly value: string;
  /** ISO instant since when it is in this state. */
  readonly since?: string | undefined;
  readonly begunAt?: string | undefined;
  /** Of a gate that is waited for: since when, and when its timeout is over. */
  readonly waitedSince?: string | undefined;
  readonly until?: string | undefined;
  readonly onTimeout?: string | undefined;
  /** What holds a step back, in words, and what it waits for, by id. */
  readonly why?: string | undefined;
  readonly waitsFor?: readonly string[] | undefined;
}

/** By the record alone: as the last tick left it. */
export function sequenceView(question: SequenceQuestion): SequenceView {
  const judged = judgeSequence(question);
  const { record, plan } = question;
  const waves = Map.groupBy(judged.items, ({ wave }) => wave);
  const planned: Planned = {
    steps: new Map(plan.steps.map((step) => [step.id, step])),
    gates: new Map(judged.gates.map((gate) => [gate.id, gate])),
  };
  return {
    sequence: plan.name,
    state: stateOf(question, judged),
    said: record.aborted ?? record.paused,
    wave: judged.order.wave,
    waves: [...waves]
      .toSorted(([a], [b]) => a - b)
      .map(([wave, items]) => ({ wave, items: items.map((item) => itemView(item, planned, { record, judged })) })),
    log: record.log,
  };
}

function stateOf({ record }: SequenceQuestion, { isDone }: SequenceJudgement): SequenceView['state'] {
  if (record.aborted !== undefined) return 'aborted';
  if (record.paused !== undefined) return 'paused';
  if (isDone) return 'done';
  return Object.keys(record.items).length === 0 ? 'not begun' : 'running';
}

interface Planned {
  readonly steps: ReadonlyMap<string, PlannedStep>;
  readonly gates: ReadonlyMap<string, PlannedGate>;
}

function itemView(
  item: OrderedItem,
  planned: Planned,
  { record, judged }: { readonly record: SequenceRecord; readonly judged: SequenceJudgement },
): SequenceItemView {
  const { id, cluster } = item;
  const known = record.items[id];
  const gate = planned.gates.get(id);
  const step = planned.steps.get(id);
  const turn = gate === undefined && known?.state !== 'healthy' ? judged.turns.get(id) : undefined;
  const waitedSince = known?.waitedSince;
  return {
    id,
    ...(gate === undefined ? { kind: 'step' } : { kind: 'gate', of: gate.of }),
    what: gate === undefined ? (step === undefined ? '' : targetText(step.target)) : gateText(gate),
    cluster,
    state: Object.hasOwn(record.skipped, id) ? 'skipped' : known?.passedAt === undefined ? item.state : 'passed',
    value: known?.value ?? 'nobody has looked yet',
    since: known?.since,
    begunAt: begunAt(item, step, known),
    ...(gate === undefined || waitedSince === undefined
      ? {}
      : {
          waitedSince,
          until: plusSeconds(new Date(waitedSince), gate.timing.timeoutSeconds),
          onTimeout: gate.timing.onTimeout,
        }),
    ...(turn === undefined || turn.mayGo ? {} : { why: whyHeld(turn.why, record.held?.[id]), waitsFor: turn.waitsFor }),
  };
}

/** A pool that waits has begun for an earlier change. */
function begunAt({ begun }: OrderedItem, step: PlannedStep | undefined, known: ItemRecord | undefined) {
  return step?.target.kind === 'pool' && !begun ? undefined : known?.begunAt;
}

/** An Application is held by a window of ours. */
function whyHeld(why: string, held: HeldApplication | undefined): string {
  return held === undefined ? why : `${why}; a deny window in AppProject ${held.namespace}/${held.project} holds it`;
}
