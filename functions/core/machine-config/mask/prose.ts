/** What a message says of a secret: `token expired`, `password is required`. To be a certain word is none of it:
 *  `password is word`. */
const state =
  /^(?:(?:is|are|was|were|has|have|had)\s+(?:(?:been|already|now)\s+)?)?(?:expired|invalid|incorrect|wrong|rejected|refused|revoked|denied|missing|required|empty|unknown|malformed|failed|(?:not|never)\s+(?:found|set|given|provided|valid|met|accepted|allowed|supported|configured|specified|readable|recogni[sz]ed|authorized)|too\s+(?:short|long|weak|old))(?=[.,;)]{0,2}(?:\s|$)|["'](?:$|[,}\]]))/i;

/** What goes on as a sentence: `password authentication failed`, `token could not be read`. */
const sentence =
  /^(?:authentication|verification|validation|mismatch|policy|file|cannot|could|must|does|did|provided\s+(?:by|is|was))(?=[.,;)]{0,2}(?:\s|$)|["'](?:$|[,}\]]))/i;

/** Whose it is, and what is said of it: `password for user bob is invalid`. */
const owner = /^for\s{1,9}(?:(?:user|account|host|node)\s{1,9})?["']?[\w.@-]{1,64}["']?(?:\s{1,9}|$)/i;

/** An object of the cluster by its name: `secret "db" not found`. */
const object = /^["'][^\s"']{1,253}["']\s+(?:not\s+found|already\s+exists|is\s+forbidden)(?!\w)/i;

/** Behind the word for a secret and a blank stands what a message says of it, and no secret. */
export function isProse(behind: string): boolean {
  const said = behind.replace(owner, '');
  return said === '' || [state, sentence, object].some((pattern) => pattern.test(said));
}
