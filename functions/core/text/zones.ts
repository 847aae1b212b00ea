/** Names of UTC that mean it everywhere, and have no summer time. */
const utcNames: readonly string[] = ['UTC', 'GMT', 'Zulu'];

/** Names that have been found to be zones: to find it out takes as long as a thousand uses. Of each there are many
 *  spellings, with capitals or without, which whoever writes a calendar may use: so many are kept. */
const known = new Set(utcNames);
const knownAtMost = 1_000;

export function isUtc(timeZone: string): boolean {
  return utcNames.includes(timeZone);
}

/** The IANA name of a zone. Offsets and other abbreviations are understood by Node, too, and know nothing of summer
 *  time, or mean another zone than their writer does: IST is India's. */
export function isZone(text: string): boolean {
  if (known.has(text)) return true;
  if (!text.includes('/')) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    if (known.size < knownAtMost) known.add(text);
    return true;
  } catch {
    return false;
  }
}
