import type { SequencePlan } from './plan.ts';
import { type FormerObject, formerAtMost, objectsIn, type SequenceRecord, withLog } from './record.ts';

/** The record with what its sequence had applied and does not plan any more: its step was removed, renamed or is no
 *  object now, or its manifest has another name. Forgotten, it would stay when the sequence is aborted or removed.
 *  @param before as it was before the plan was followed */
export function withFormer(
  before: SequenceRecord,
  record: SequenceRecord,
  { plan, now }: { readonly plan: SequencePlan; readonly now: Date },
): SequenceRecord {
  const objects = new Set(plan.steps.flatMap(({ id, target }) => (target.kind === 'object' ? [id] : [])));
  const items = Object.fromEntries(
    Object.entries(record.items).map(([id, { made, ...item }]) => [
      id,
      made === undefined || !objects.has(id) ? item : { ...item, made },
    ]),
  );
  const planned = new Set(objectsIn(items).flatMap(marksOf));
  const isFormer = (each: FormerObject) => !marksOf(each).some((mark) => planned.has(mark));
  const dropped = objectsIn(before.items).filter(isFormer);
  const former = [
    ...(record.former ?? []).filter(isFormer),
    ...dropped.map(({ cluster, path, uid }) => ({ cluster, path, uid })),
  ];
  const { former: _, ...rest } = { ...record, items };
  const known = former.slice(-formerAtMost);
  return withLog(
    known.length === 0 ? rest : { ...rest, former: known },
    dropped.map(({ id, path, uid }) => ({ at: now.toISOString(), item: id, what: leftText(path, known, uid) })),
  );
}

function leftText(path: string, known: readonly FormerObject[], of: string): string {
  return known.some(({ uid }) => uid === of)
    ? `no longer planned: ${path} stays until the sequence is aborted, or removed before it was done`
    : `no longer planned: ${path} stays; there are too many of them to be remembered`;
}

/** It is the same object if either is the same: another version of its API has another path, a new one another uid. */
function marksOf({ cluster, path, uid }: FormerObject): readonly string[] {
  return [`${cluster} ${path}`, ...(uid === '' ? [] : [`${cluster} ${uid}`])];
}
