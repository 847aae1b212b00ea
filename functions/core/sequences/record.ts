import * as z from 'zod';
import { stable } from './stable.ts';

const instant = z.iso.datetime();
const text = z.string().max(1_000);

/** Who asked for something, why and when. */
const Said = z.object({ who: text, why: text, at: instant });
export type Said = Readonly<z.infer<typeof Said>>;

const ItemRecord = z.object({
  state: z.enum(['healthy', 'unhealthy', 'unseen']),
  /** Since when it has been in this state. */
  since: instant,
  /** What was found, in words. */
  value: text,
  /** As its object was annotated; absent: the configuration says it, or nothing does. */
  wave: z.int().optional(),
  /** When its step was let go. */
  begunAt: instant.optional(),
  /** Since when a gate has been waited for. */
  waitedSince: instant.optional(),
  /** When a gate passed its timeout and stopped to count. */
  passedAt: instant.optional(),
});
export type ItemRecord = Readonly<z.infer<typeof ItemRecord>>;

/** An Application that is held back by a deny window in its AppProject. */
const HeldApplication = z.object({ cluster: text, namespace: text, project: text, application: text });
export type HeldApplication = Readonly<z.infer<typeof HeldApplication>>;

const LogEntry = z.object({ at: instant, item: text, what: text });
export type LogEntry = Readonly<z.infer<typeof LogEntry>>;

/** Entries that are kept. */
const logAtMost = 200;

/** What a sequence keeps of itself, in a ConfigMap of its first cluster. Everything that can be read from the clusters
 *  is read again: if the record is lost, steps are begun again in their order, which changes nothing where they were.
 *  What people said is lost then. */
export const SequenceRecord = z.object({
  v: z.literal(1),
  items: z.record(z.string(), ItemRecord),
  paused: Said.optional(),
  aborted: Said.optional(),
  /** When what it had applied was gone, after it was aborted. */
  cleanedAt: instant.optional(),
  skipped: z.record(z.string(), Said),
  /** Applications whose windows may be there, by step: written before the windows are, so that none is forgotten. */
  held: z.record(z.string(), HeldApplication).optional(),
  /** All steps were healthy, with the configuration of this fingerprint. */
  done: z.object({ at: instant, of: text }).optional(),
  log: z.array(LogEntry),
});
export type SequenceRecord = Readonly<z.infer<typeof SequenceRecord>>;

export const emptySequenceRecord: SequenceRecord = { v: 1, items: {}, skipped: {}, log: [] };

/** The record as it is stored; `unreadable` for what this version does not understand. */
export function parseSequenceRecord(stored: string): SequenceRecord | 'unreadable' {
  try {
    const read = SequenceRecord.safeParse(JSON.parse(stored));
    return read.success ? read.data : 'unreadable';
  } catch {
    return 'unreadable';
  }
}

export function sequenceRecordText(record: SequenceRecord): string {
  return JSON.stringify(record);
}

export function isSameRecord(a: SequenceRecord, b: SequenceRecord): boolean {
  return stable(a) === stable(b);
}

export function withLog(record: SequenceRecord, entries: readonly LogEntry[]): SequenceRecord {
  return entries.length === 0 ? record : { ...record, log: [...record.log, ...entries].slice(-logAtMost) };
}

/** Gates get their whole time again: otherwise what aborted the sequence would abort it at once. */
function withoutWaits(items: SequenceRecord['items']): SequenceRecord['items'] {
  return Object.fromEntries(Object.entries(items).map(([id, { waitedSince: _, ...item }]) => [id, item]));
}

/** What people ask of a sequence. */
export type SequenceRequest =
  | { readonly kind: 'pause' | 'go-on' | 'abort'; readonly said: Said }
  | { readonly kind: 'skip'; readonly item: string; readonly said: Said };

/** The record with what somebody asked for. */
export function withRequest(record: SequenceRecord, request: SequenceRequest): SequenceRecord {
  const { said } = request;
  const log = (what: string, item = '') =>
    withLog(record, [{ at: said.at, item, what: `${what} by ${said.who}: ${said.why}` }]);
  const { paused: _, aborted: __, cleanedAt: ___, ...unstopped } = record;
  switch (request.kind) {
    case 'pause':
      return { ...log('paused'), paused: said };
    case 'go-on':
      return { ...unstopped, items: withoutWaits(record.items), log: log('told to go on').log };
    case 'abort':
      return { ...log('aborted'), aborted: said };
    case 'skip':
      return { ...log('skipped', request.item), skipped: { ...record.skipped, [request.item]: said } };
    default:
      return request satisfies never;
  }
}
