import { isOfPerson } from '../openshift/field-managers.ts';
import { fieldManager, type Hold } from '../openshift/hold.ts';
import type { Pool } from '../openshift/pool.ts';
import { lasting, type PoolRecord, recordIn, type Word } from '../openshift/pool-record.ts';
import { latest } from '../text/instant.ts';

/** What a word on a resume is about. */
export const resumeWord = 'resume';

/** Words of a pool that are remembered: one of each person and kind of hold. */
const wordsAtMost = 20;

/** Characters of a person that a word remembers. */
const nameAtMost = 253;

/** The record with what a person has just asked. */
export function withWord(
  record: PoolRecord,
  about: string,
  { who, now, askedAt = now }: { readonly who: string; readonly now: Date; readonly askedAt?: Date | undefined },
): PoolRecord {
  const known = lasting(record, now).words ?? [];
  const before = known.find((word) => word.about === about);
  // A clock that runs behind makes no word older than the one that it replaces.
  const at = latest([before?.at, askedAt.toISOString()]) ?? askedAt.toISOString();
  const said = { about, at, by: who.slice(0, nameAtMost) };
  const words = before === undefined ? [...known, said] : known.map((word) => (word === before ? said : word));
  return { ...record, words: words.slice(-wordsAtMost) };
}

/** The last word on the hold; undefined: none is remembered. */
export function wordOn({ words = [] }: PoolRecord, about: string): Word | undefined {
  return words.find((word) => word.about === about);
}

/** When it was last asked for; of a hold that nobody asked for a moment ago, since when it is there. */
export function askedOf({ id, since }: Hold, record: PoolRecord): string {
  return wordOn(record, id)?.at ?? since;
}

/** The last resume by a person that is known, also where no pass has noted it yet. */
export function lastResume(pool: Pool): Pick<Word, 'at' | 'by'> | undefined {
  const record = recordIn(pool);
  const word = wordOn(record, resumeWord);
  const { letGo } = record;
  // What the word is about is noted there as of when it was carried out.
  const isAnother = letGo !== undefined && letGo.program === undefined && letGo.by !== word?.by;
  const all = [word, isAnother ? letGo : undefined, unnotedResume(pool, record)].flatMap((each) => each ?? []);
  return all.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))[0];
}

function unnotedResume({ paused, pausedBy }: Pool, { pause }: PoolRecord): Pick<Word, 'at' | 'by'> | undefined {
  if (pause !== 'ours' || paused || pausedBy?.at === undefined || pausedBy.manager === fieldManager) return undefined;
  return isOfPerson(pausedBy.manager) ? { at: pausedBy.at, by: pausedBy.manager } : undefined;
}
