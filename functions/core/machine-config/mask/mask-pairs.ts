import { masked } from './masked.ts';
import { isSecretName } from './secret-name.ts';

/** A name in a place of its own, and how its value follows: `{"name": "DB_PASSWORD", "value": "word"}`, `<property
 *  name="db.password" value="word"/>`, the same with text in it, `<name>db.password</name><value>word`. */
const nameFirst: readonly RegExp[] = [
  /(\b(?:name|key)["']?\s*:\s*["']?([^\s"',{}]{1,100})["']?\s*,\s*["']?value["']?\s*:\s*)(?:"(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s,{}"'][^,{}]*)/gi,
  /(\b(?:name|key)=["']([^\s"'<>]{1,100})["']\s{1,9}value=)(?:"[^"]*"?|'[^']*'?)/gi,
  /(\b(?:name|key)=["']([^\s"'<>]{1,100})["']>)[^\s<][^<]*/gi,
  /(<(?:name|key)>\s{0,9}([^\s<>]{1,100})\s{0,9}<\/(?:name|key)>\s{0,9}<value>)[^<]+/gi,
];

const valueFirst: readonly RegExp[] = [
  /(\bvalue["']?\s*:\s*)(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s,{}"']{1,200})(\s*,\s*["']?(?:name|key)["']?\s*:\s*["']?([^\s"',{}]{1,100}))/gi,
  /(\bvalue=)(?:"[^"<>]{1,500}"|'[^'<>]{1,500}')(\s{1,9}(?:name|key)=["']([^\s"'<>]{1,100}))/gi,
];

/** One line without the values of such pairs whose name is secret. */
export function maskPairs(line: string): string {
  if (!/value|(?:name|key)=/i.test(line)) return line;
  const shown = nameFirst.reduce(
    (rest, pattern) =>
      rest.replace(pattern, (pair, lead: string, name: string) => (isSecretName(name) ? `${lead}${masked}` : pair)),
    line,
  );
  return valueFirst.reduce(
    (rest, pattern) =>
      rest.replace(pattern, (pair, lead: string, end: string, name: string) =>
        isSecretName(name) ? `${lead}${masked}${end}` : pair,
      ),
    shown,
  );
}
