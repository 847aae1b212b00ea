import { type ItemRecord, isLetPass, type LogEntry, type SequenceRecord } from './record.ts';
import { changedItems } from './same-items.ts';
import type { SequenceQuestion } from './sequence-question.ts';
import { notComparedLately } from './target-health.ts';

/** What is configured otherwise than it was. */
export function changesOf({ plan, record, now }: SequenceQuestion): readonly LogEntry[] {
  const at = now.toISOString();
  const what = 'it is configured as something else: what was known of it is forgotten';
  return [...changedItems(plan, record)].map((item) => ({ at, item, what }));
}

/** Of a step whose turn has not come: Argo CD compares it less often than that counts, time and again. */
function onlyAges(was: ItemRecord, { begunAt, value }: Pick<ItemRecord, 'begunAt' | 'value'>): boolean {
  return begunAt === undefined && [was.value, value].includes(notComparedLately);
}

/** What changed, for the timeline. */
export function newsOf({ plan, record: before, now }: SequenceQuestion, after: SequenceRecord): readonly LogEntry[] {
  const at = now.toISOString();
  const ofItems = Object.entries(after.items).flatMap(([item, { state, begunAt, value, passedAt, drift }]) => {
    const was = before.items[item];
    return [
      ...(begunAt !== undefined && was?.begunAt === undefined ? [{ at, item, what: 'begun' }] : []),
      ...(passedAt !== undefined && was?.passedAt === undefined
        ? [{ at, item, what: `not open in time, and no longer waited for (last: ${value})` }]
        : []),
      ...(was !== undefined && was.state !== state && !isLetPass(item, after) && !onlyAges(was, { begunAt, value })
        ? [{ at, item, what: `${state}: ${value}` }]
        : []),
      ...(drift !== undefined && was?.drift !== drift && was?.state === state ? [{ at, item, what: drift }] : []),
      ...(drift === undefined && was?.drift !== undefined && state === 'healthy'
        ? [{ at, item, what: 'it is as it was applied' }]
        : []),
    ];
  });
  const done = after.done !== undefined && before.done?.of !== after.done.of;
  const aborted = after.aborted !== undefined && before.aborted === undefined;
  return [
    ...ofItems,
    ...(aborted ? [{ at, item: '', what: `aborted: ${after.aborted?.why}` }] : []),
    ...(done ? [{ at, item: '', what: plan.steps.length === 0 ? 'left out by the configuration' : 'done' }] : []),
  ];
}
