/** Names that have been found to be zones: to find it out takes as long as a thousand uses. */
const known = new Set(['UTC']);

/** The IANA name of a zone. Offsets and abbreviations are understood by Node, too, and know nothing of summer time, or
 *  mean another zone than their writer does: IST is India's. */
export function isZone(text: string): boolean {
  if (known.has(text)) return true;
  if (!text.includes('/')) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    known.add(text);
    return true;
  } catch {
    return false;
  }
}
