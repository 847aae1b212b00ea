import * as z from 'zod';
import { forbiddenHost } from '../../core/configuration/outgoing-host.ts';
import { durationPattern, durationSeconds } from './duration.ts';
import { isLoopback } from './loopback.ts';

/** Building blocks of the configuration's schema. Every `error` says what the value must be and never what it was: a
 *  value may be a secret that was pasted into the wrong place. Descriptions end up in the editor, through the JSON
 *  Schema. */

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

export function yesOrNo(description: string, byDefault: boolean) {
  return z
    .boolean({ error: 'must be true or false, without quotes (yes, no, on and off are words)' })
    .default(byDefault)
    .describe(description);
}

export function listOf<Item extends z.ZodType>(item: Item, must: string) {
  return z.array(item, { error: must });
}

export function mapping<Shape extends z.ZodRawShape>(shape: Shape, must = 'must be a mapping of keys to values') {
  return z.strictObject(shape, { error: must });
}

interface Bounds {
  readonly least: string;
  readonly most: string;
}

/** Read as seconds. */
export function duration({ least, most }: Bounds) {
  const must = `must be a length of time with its unit, like 45s, 15m or 1h30m; from ${least} to ${most}`;
  const [leastSeconds, mostSeconds] = [durationSeconds(least) ?? 0, durationSeconds(most) ?? 0];
  return matching(durationPattern, must).transform((text, context) => {
    const seconds = durationSeconds(text);
    if (seconds !== undefined && seconds >= leastSeconds && seconds <= mostSeconds) return seconds;
    context.addIssue({ code: 'custom', message: must });
    return z.NEVER;
  });
}

export function count(least: number, most: number) {
  const must = `must be a whole number from ${least} to ${most}`;
  return z.int({ error: must }).min(least, { error: must }).max(most, { error: must });
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

function isSafeUrl(text: string): boolean {
  const parsed = URL.parse(text);
  if (parsed === null || parsed.username !== '' || parsed.password !== '') return false;
  if (parsed.search !== '' || parsed.hash !== '' || text.includes('?') || text.includes('#')) return false;
  return parsed.protocol === 'https:' || (parsed.protocol === 'http:' && isLoopback(parsed));
}
