import * as z from 'zod';
import { withoutTrailing } from '../text/trailing.ts';
import { isZone } from '../text/zones.ts';
import { isLoopback } from './loopback.ts';
import { forbiddenHost } from './outgoing-host.ts';

/** Building blocks of the configuration's sections. Every `error` says what the value must be and never what it was: a
 *  value may be a secret that was pasted into the wrong place. Descriptions end up in the editor, through the JSON
 *  Schema. */

/** What a schema yields, never to be changed. */
export type Values<Schema extends z.ZodType> = Unchanging<z.output<Schema>>;

type Unchanging<Value> = Value extends readonly (infer Item)[]
  ? readonly Unchanging<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Unchanging<Value[Key]> }
    : Value;

/** Seconds. */
export const minute = 60;
/** Seconds. */
export const hour = 60 * minute;

const secretName =
  /^(?:arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:[\w/+=.@-]{1,512}|[A-Za-z0-9_][\w/+=.@-]{0,511})$/;

export function matching(pattern: RegExp, must: string) {
  return z.string({ error: must }).regex(pattern, { error: must });
}

/** Part of incident keys, schedule names and log fields, hence the narrow alphabet. */
export function name() {
  return matching(
    /^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?$/,
    'must be a name of 1 to 63 small letters, digits, dots and dashes',
  );
}

/** Kubernetes object name. */
export function objectName() {
  return matching(
    /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/,
    'must be a Kubernetes name: small letters, digits, dots and dashes',
  );
}

export function secret(of: string) {
  return matching(
    secretName,
    'must be the name or ARN of a secret, or the name of an environment variable; never the secret itself',
  ).describe(
    `${of}: name or ARN of the secret in Secrets Manager; on one machine the name of an environment variable. Never the value.`,
  );
}

/** PEM; undefined: the system's authorities are used. */
export function certificateAuthority(of: string) {
  return z
    .string({ error: 'must be certificates in PEM' })
    .optional()
    .describe(`Certificate authority of ${of}, PEM. Without it, the system's authorities are used.`);
}

/** Poolkeeper fills it in: the file cannot have it. */
export function filledIn<Field extends z.ZodType>(field: Field) {
  return field.optional().meta({ isFilledIn: true });
}

export function isFilledIn(field: z.core.$ZodType): boolean {
  return z.globalRegistry.get(field)?.['isFilledIn'] === true;
}

export function yesOrNo(description: string, byDefault: boolean) {
  return z
    .boolean({ error: 'must be true or false, without quotes (yes, no, on and off are words)' })
    .default(byDefault)
    .describe(description);
}

export function oneOf<const Words extends readonly string[]>(...words: Words) {
  return z.enum(words, { error: `must be one of ${words.join(', ')}` });
}

export function listOf<Item extends z.ZodType>(item: Item, must: string) {
  return z.array(item, { error: must });
}

export function mapping<Shape extends z.ZodRawShape>(shape: Shape, must = 'must be a mapping of keys to values') {
  return z.strictObject(shape, { error: must });
}

export function count(least: number, most: number) {
  const must = `must be a whole number from ${least} to ${most}`;
  return z.int({ error: must }).min(least, { error: must }).max(most, { error: must });
}

/** A length of time in seconds. Its key ends in `Seconds`; in the file the key has no such ending and the value is text
 *  with a unit: `pausedAtMost: 4h` (functions/shell/configuration/file/file-form.ts). */
export function seconds(least: number, most: number) {
  return count(least, most);
}

/** A zone by its IANA name. */
export function timeZone() {
  const must = 'must be the name of a time zone, like Europe/Berlin';
  return z.string({ error: must }).refine(isZone, { error: must });
}

/** https, or http to this very machine; nothing that could carry a secret, and never a metadata service: with it
 *  whoever writes the configuration would be given what the function may do. */
export function url(what: string) {
  const must = `must be ${what}: https://, without user, password, query and fragment (http:// only on loopback)`;
  return z
    .string({ error: must })
    .refine(isSafeUrl, { error: must, abort: true })
    .refine((text) => forbiddenHost(URL.parse(text)?.hostname ?? '') === undefined, {
      error: `must be ${what}; link-local addresses and metadata services are never called`,
    });
}

/** A URL that something is added to or that is compared: a final slash does not matter. */
export function baseUrl(what: string) {
  return url(what).overwrite(withoutFinalSlash);
}

export function withoutFinalSlash(text: string): string {
  return withoutTrailing(text, '/');
}

function isSafeUrl(text: string): boolean {
  const parsed = URL.parse(text);
  if (parsed === null || parsed.username !== '' || parsed.password !== '') return false;
  if (parsed.search !== '' || parsed.hash !== '' || text.includes('?') || text.includes('#')) return false;
  return parsed.protocol === 'https:' || (parsed.protocol === 'http:' && isLoopback(parsed));
}
