import type { ItemRecord, LogEntry, SequenceRecord } from './record.ts';

/** Bytes up to which a record is stored as it is, for people to read. A ConfigMap takes 1 MiB. */
export const plainAtMost = 900_000;

/** UTF-16 units of texts that a large record keeps, each of which may take three bytes. Packed, they take 300 kB,
 *  however little they have in common. */
const unitsAtMost = { items: 60_000, log: 30_000, logEntry: 300, drift: 300, value: 600, who: 60, why: 100 } as const;

/** The record with its texts shortened where all of it would be too large for an object: what must be remembered has
 *  room then, for as many steps and gates as the configuration allows. Once short, it stays so. */
export function fitted(record: SequenceRecord): SequenceRecord {
  if (record.isShort !== true && Buffer.byteLength(JSON.stringify(record)) <= plainAtMost) return record;
  const { items, skipped, log } = record;
  const each = Math.floor(unitsAtMost.items / Math.max(1, Object.keys(items).length));
  return {
    ...record,
    isShort: true,
    items: Object.fromEntries(Object.entries(items).map(([id, item]) => [id, shortItem(item, each)])),
    skipped: Object.fromEntries(
      Object.entries(skipped).map(([id, { who, why, at }]) => [
        id,
        { who: cut(who, unitsAtMost.who), why: cut(why, unitsAtMost.why), at },
      ]),
    ),
    log: newest(log.map(({ at, item, what }) => ({ at, item, what: cut(what, unitsAtMost.logEntry) }))),
  };
}

/** Of a drift half is kept; which fields were nobody's is found again. */
function shortItem({ unowned: _, drift, ...item }: ItemRecord, each: number): ItemRecord {
  const half = Math.floor(each / 2);
  return {
    ...item,
    value: cut(item.value, Math.min(half, unitsAtMost.value)),
    ...(drift === undefined ? {} : { drift: cut(drift, Math.min(half, unitsAtMost.drift)) }),
  };
}

function newest(log: readonly LogEntry[]): LogEntry[] {
  let units = 0;
  const first = log.findLastIndex(({ item, what }) => {
    units += item.length + what.length;
    return units > unitsAtMost.log;
  });
  return log.slice(first + 1);
}

/** The same once more changes nothing. */
function cut(text: string, units: number): string {
  return text.length <= units ? text : text.slice(0, units).toWellFormed();
}
