import * as z from 'zod';

/** One of the words of a type, each of which has to be there: a word that is written and not known when it is read
 *  would hide all that it is a part of. */
export function everyOf<Word extends string>(words: { readonly [word in Word]: word }) {
  return z.enum(words);
}
