import { masked } from './masked.ts';

/** Whose it is: `for user bob`. */
const owner = /^for\s{1,9}(?:(?:user|account|host|node)\s{1,9})?["']?[\w.@-]{1,64}["']?(?![\w.@-])/i;

/** What is said of it. To be a certain word is none of it: `password is word`. */
const states: readonly RegExp[] = [
  /^(?:(?:is|are|was|were|has|have|had)\s{1,9}(?:(?:been|already|now)\s{1,9})?)?(?:expired|invalid|incorrect|wrong|rejected|refused|revoked|denied|missing|required|empty|unknown|malformed|failed)(?![\w-])/i,
  /^(?:(?:is|are|was|were|has|have|had)\s{1,9}(?:been\s{1,9})?)?(?:not|never)\s{1,9}(?:found|set|given|provided|valid|met|accepted|allowed|supported|configured|specified|readable|recogni[sz]ed|authorized)(?![\w-])/i,
  /^(?:(?:is|was)\s{1,9})?too\s{1,9}(?:short|long|weak|old)(?![\w-])/i,
  /^(?:authentication|verification|validation)\s{1,9}failed(?![\w-])/i,
  /^(?:must|could|can|cannot)\s{1,9}(?:not\s{1,9})?be\s{1,9}(?:changed|set|given|read|found|reset|decrypted|verified)(?![\w-])/i,
  /^(?:does|did)\s{1,9}not\s{1,9}match(?![\w-])/i,
];

/** An object of the cluster by its name: `secret "db" not found`. */
const object = /^["'][^\s"']{1,253}["']\s{1,9}(?:not\s{1,9}found|already\s{1,9}exists|is\s{1,9}forbidden)(?!\w)/i;

const blanks = /^\s{1,9}/;

/** Ends of sentences, and of texts in quotes. */
const ends = /^[.,;)\]}"'\s]*/;

/** What stands behind the word for a secret and a blank, masked, but for what a message says of it, as
 *  `token expired`: what is said then may be the secret, as in `password not set, using word`.
 *  @param name the word */
export function maskBehind(name: string, behind: string): string {
  const said = saidOf(name, behind);
  if (said === 0) return masked;
  const shown = said + lengthOf(ends, behind.slice(said));
  return shown === behind.length ? behind : `${behind.slice(0, shown).trimEnd()} ${masked}`;
}

/** How many characters of it are what a message says. */
function saidOf(name: string, behind: string): number {
  const named = /^secret$/i.test(name) ? lengthOf(object, behind) : 0;
  if (named > 0) return named;
  const whose = lengthOf(owner, behind);
  const start = whose + lengthOf(blanks, behind.slice(whose));
  const state = states.reduce((most, each) => Math.max(most, lengthOf(each, behind.slice(start))), 0);
  if (state === 0) return lengthOf(ends, behind.slice(whose)) === behind.length - whose ? whose : 0;
  const end = start + state;
  const blank = lengthOf(blanks, behind.slice(end));
  const other = blank === 0 ? 0 : lengthOf(owner, behind.slice(end + blank));
  return other === 0 ? end : end + blank + other;
}

function lengthOf(pattern: RegExp, text: string): number {
  return pattern.exec(text)?.[0].length ?? 0;
}
