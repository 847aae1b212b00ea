import { keepNames, keepWholeNames } from './keep-names.ts';

/** Text from clusters is untrusted: it is cleaned, stripped of credentials and shortened here before it is put into any
 *  form. */

/** Control characters except newline and tab; direction marks; invisible separators; signs that look like
 *  a space and are none; tag characters. */
const hostile =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must go
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u115F\u1160\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\u2800\u3164\uFEFF\uFFA0\uFFF9-\uFFFB]|[\u{1D159}\u{E0000}-\u{E0FFF}]/gu;

/** Well-formed, normalised (NFC), without control characters and without marks that make text look different from what
 *  it is. */
export function clean(text: string): string {
  const lines = text.toWellFormed().replace(/\r\n?|\u0085|\u2028|\u2029/g, '\n');
  // Twice: characters may compose once the marks between them are removed.
  return lines.normalize('NFC').replace(hostile, '').normalize('NFC');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must go
const steering = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/** A whole output without what steers a terminal: escape sequences, carriage returns, direction marks. Everything else
 *  stays as it is, in particular the invisible marks by which Markdown of ours breaks mentions. */
export function printable(text: string): string {
  return text.replace(steering, '');
}

const pem: readonly [RegExp, string] = [
  /-----BEGIN [A-Z0-9 ]{1,40}-----[\s\S]*?(?:-----END [A-Z0-9 ]{1,40}-----|$)/g,
  '[PEM removed]',
];

/** Credentials as they occur in node reasons and image pull errors, and their replacements. The widest come first. */
const secrets: readonly (readonly [RegExp, string])[] = [
  pem,
  [/\bdata:[\w.+-]{0,60}(?:\/[\w.+-]{1,60})?(?:;[\w=.+-]{1,60}){0,5},\S*/gi, '[data URL removed]'],
  [/\\?"auths\\?"\s*:\s*\{[\s\S]*/g, '"auths": [removed]'],
  [
    /(\\?"[\w.-]{0,40}?(?:auth|password|passwd|secret|token|(?:api|access|account|secret)[_-]?key)\\?"\s*:\s*\\?")[^"]*"?/gi,
    '$1[removed]"',
  ],
  [/\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/"'<>]{1,2000}@/gi, '$1[removed]@'],
  // Addresses that give access for a while, as registries redirect to them: errors of image pulls quote them.
  [/([?&](?:[\w-]{0,30}signature|sig)=)[^\s&"'<>]{3,}/gi, '$1[removed]'],
  [/\b(hooks\.slack\.com\/(?:services|workflows|triggers)\/)[\w/-]+/gi, '$1[removed]'],
  // Behind `--basic` goes the next option.
  [/\b((?:bearer|basic)\s+)(?!--?[a-z])[\w\-.~+/]{6,}=*/gi, '$1[removed]'],
  [/\b(authorization["']?\s{0,4}[=:]\s{0,4}["']?token)\s{1,4}[\w\-.~+/]{16,}=*/gi, '$1 [removed]'],
  // A name may go before the word (`DB_PASSWORD`, `private_token`), and the word be a key in quotes, as Python and Ruby
  // show one. In quotes, `secret="a/b"` is the name of one. Quotes left open at the end would take what follows.
  [
    /((?:authorization|password|passwd|client[_-]?secret|token|(?:api|access|account|secret)[_-]?key)["']?\s*(?:[=:]|=>)\s*\\?["'])(?!\[removed|bearer|basic|token \[removed)(?:[^"']{3,2000}|[^"']{0,2}$)/gi,
    '$1[removed]',
  ],
  [
    /((?:authorization|password|passwd|passphrase|secret|token|(?:api|access|account|secret)[_-]?key)\s*[=:]\s*)(?!\[removed|bearer|basic|token \[removed)[^\s"',;]{3,}/gi,
    '$1[removed]',
  ],
  // `pass` and `pwd` as a word of a name (`DB_PASS`, `smtpPass`, not `bypass`), behind a colon only as a key: `first
  // pass: done` is prose. What is a folder (`PWD=/root`), how many passed, or whether, is no password.
  [
    /((?:(?<![A-Za-z])(?:pass|Pass|PASS|pwd|Pwd|PWD)|(?<=[a-z])(?:Pass|Pwd))(?:\\?["']\s*(?::|=>)|\s*=)\s*\\?["'])(?!\[removed|\/|(?:\d{1,4}|true|false)(?![\w.-]))(?:[^"']{3,2000}|[^"']{0,2}$)/g,
    '$1[removed]',
  ],
  [
    /((?:(?:(?<![A-Za-z])(?:pass|Pass|PASS|pwd|Pwd|PWD)|(?<=[a-z])(?:Pass|Pwd))\s*=|(?<=_)(?:pass|PASS|pwd|PWD):)\s*)(?!\[removed|\/|(?:\d{1,4}|true|false)(?![\w.-]))[^\s"',;]{3,}/g,
    '$1[removed]',
  ],
];

/** What is recognised by how it begins, and how it is shown. Before it may be whatever is no letter or digit, an escape
 *  as programs quote texts (`\n`, `%3D`), or a colour of a terminal. */
const tokens: readonly (readonly [RegExp, string])[] = [
  // Slack, GitHub, GitLab, npm, Docker, Google, Vault, OpenShift. Source of GitLab's: GitLab, token prefixes.
  [
    /(?:(?<![A-Za-z0-9])|(?<=\\[nrt]|%[0-9A-Fa-f]{2}|\[[\d;]{1,12}m))(?:xox[abeoprs]-[\w-]{8,}|xapp-[\w-]{16,}|(?:gh[opsur]_|github_pat_)\w{16,}|gl(?:pat|rt|rtr|dt|ptt|ft|soat|cbt|imt|ffct|oas)-[\w.-]{16,}|glagent-[\w-]{40,}|npm_[A-Za-z0-9]{36}|dckr_[po]at_[\w-]{16,}|ya29\.[\w-]{20,}|hv[bs]\.[\w-]{20,}|sha256~[\w-]{20,})/g,
    '[token removed]',
  ],
  [/(?:(?<![A-Za-z0-9])|(?<=\\[nrt]|%[0-9A-Fa-f]{2}|\[[\d;]{1,12}m))A[KS]IA[0-9A-Z]{16}\b/g, '[key removed]'],
  // What kubectl and the API server quote of a Secret: base64 of PEM, certificates and their requests aside, and of a
  // pull secret.
  [/(?<![A-Za-z0-9+/])LS0tLS1CRUdJTi(?!BD)[\w+/]{8,}=*/g, '[PEM removed]'],
  [/(?<![A-Za-z0-9+/])eyJhdXRocyI6[\w+/]{8,}=*/g, '[pull secret removed]'],
  // Lines of a PEM block whose beginning was cut off, also indented. A digest in hexadecimal digits is as long and no
  // secret.
  [/((?:^|\n|\\n)[ \t]{0,40})(?![0-9a-f]{64}\b)[A-Za-z0-9+/]{60,76}(?=\r?\n|\\n|\\r)/g, '$1[removed]'],
];

/** What some part of each credential matches: one look instead of twenty, as most texts have none of it. Whoever adds a
 *  pattern adds a part of it here. */
const suspicious =
  /auth|pass|pwd|secret|token|key|:\/\/|data:|sig(?:nature)?=|slack|bearer|basic|BEGIN |eyJ|xox|xapp|gh[opsur]_|github_|gl[a-z]{2,5}-|npm_|dckr_|ya29|hv[bs]\.|sha256~|A[KS]IA|LS0t|[\w+/]{60}/i;

/** Without what stands in blocks of PEM, which go over many lines. */
export function withoutPem(text: string): string {
  return text.includes('-----BEGIN ') ? replaced(text, [pem]) : text;
}

/** The same text with each such block on one line, as `withoutPem` has it. Where its lines ended it has a sign that no
 *  such block has: one that is joined by blanks instead, which programs cannot read, is not the same. */
export function pemOnOneLine(text: string): string {
  if (!text.includes('-----BEGIN ')) return text;
  return text.replace(pem[0], (block) => block.replace(/\r\n?|[\n\u0085\u2028\u2029]/g, '\0'));
}

/** Removes credentials: user and password of URLs, bearer tokens, pull secrets, data URLs, PEM blocks. */
export function redact(text: string): string {
  if (!suspicious.test(text)) return text;
  const withoutJwt = replaced(text, secrets).replace(/[\w.-]{20,}/g, withoutSignedTokens);
  return replaced(withoutJwt, tokens);
}

function replaced(text: string, patterns: readonly (readonly [RegExp, string])[]): string {
  return patterns.reduce((rest, [pattern, shown]) => rest.replace(pattern, shown), text);
}

/** Removes signed tokens (JWT) from a run of token characters: a part that begins with `eyJ`, the next part and the one
 *  after. One pass over the parts is linear; a single pattern would scan the rest of the run from every `eyJ`. */
function withoutSignedTokens(run: string): string {
  const parts = run.split('.');
  const kept: string[] = [];
  for (let at = 0; at < parts.length; at += 1) {
    const part = parts[at] ?? '';
    const start = part.search(/(?<![A-Za-z0-9])eyJ/);
    const isToken = start >= 0 && part.length - start >= 11 && (parts[at + 1] ?? '').length >= 8;
    kept.push(isToken ? `${part.slice(0, start)}[token removed]` : part);
    if (isToken) at += 2;
  }
  return kept.join('.');
}

/** At most `limit` UTF-16 units: a third of them from the beginning and two thirds from the end, because the cause of
 *  an error is usually at its end. Cuts between words where that costs little. */
export function middle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const points = [...text];
  const gap = ` … (+${grouped(points.length)} chars) … `;
  const room = limit - gap.length;
  if (room < 12) return takeFirst(points, limit);
  const head = withoutCutLastWord(takeFirst(points, Math.floor(room / 3)));
  const tail = withoutCutFirstWord(takeLast(points, room - head.length));
  const cut = points.length - [...head].length - [...tail].length;
  return `${head} … (+${grouped(cut)} chars) … ${tail}`;
}

/** As `middle`, cut at its end: of what begins with what counts. */
export function beginning(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const points = [...text];
  const gap = ` … (+${grouped(points.length)} chars)`;
  const room = limit - gap.length;
  if (room < 12) return takeFirst(points, limit);
  const head = withoutCutLastWord(takeFirst(points, room));
  return `${head} … (+${grouped(points.length - [...head].length)} chars)`;
}

/** UTF-16 units that are given up at most, so that a cut falls between words; never more than half of a part. */
const givenUpAtMost = 40;

/** Without a word that was cut at its end. From the end on: a pattern would begin anew at each of many blanks. */
function withoutCutLastWord(head: string): string {
  let at = head.length;
  while (at > 0 && !isBlank(head.charAt(at - 1))) at -= 1;
  while (at > 0 && isBlank(head.charAt(at - 1))) at -= 1;
  return at <= 0 || head.length - at > Math.min(givenUpAtMost, head.length / 2) ? head : head.slice(0, at);
}

function isBlank(character: string): boolean {
  return /\s/.test(character);
}

/** Without a word that was cut at its start. */
function withoutCutFirstWord(tail: string): string {
  const at = tail.search(/\s/);
  return at < 0 || at > Math.min(givenUpAtMost, tail.length / 2) ? tail : tail.slice(at + 1);
}

/** As many code points from the start as fit into `units` UTF-16 units. */
function takeFirst(points: readonly string[], units: number): string {
  let taken = '';
  for (const point of points) {
    if (taken.length + point.length > units) break;
    taken += point;
  }
  return taken;
}

/** As many code points from the end as fit into `units` UTF-16 units. */
function takeLast(points: readonly string[], units: number): string {
  let taken = '';
  for (let index = points.length - 1; index >= 0; index -= 1) {
    const point = points[index] ?? '';
    if (taken.length + point.length > units) break;
    taken = point + taken;
  }
  return taken;
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

/** Longest input processed, in UTF-16 units: far more than any message shows, little enough to clean in
 *  milliseconds. */
const inputLimit = 200_000;

/** Cleaned, stripped of credentials, at most `limit` UTF-16 units. Newlines are kept. */
export function safeText(text: string, limit: number): string {
  return middle(redact(clean(middle(text, inputLimit))).trim(), limit);
}

/** As `safeText`, on one line. */
export function safeLine(text: string, limit: number): string {
  return middle(oneLine(text), limit);
}

/** Longest headline whose words are looked at one by one, in UTF-16 units. */
const headlineInput = 1000;

/** As `safeLine`, for what people read first: names outlive prose. */
export function safeHeadline(text: string, limit: number): string {
  const line = middle(oneLine(text), headlineInput);
  return line.length <= limit ? line : (keepNames(line, limit) ?? middle(line, limit));
}

/** As `safeHeadline`, with whole names: it may be longer than `limit` for them, up to `most`. */
export function safeSubject(text: string, limit: number, most: number): string {
  const whole = keepWholeNames(middle(oneLine(text), headlineInput), limit);
  return whole.length <= most ? whole : safeHeadline(whole, most);
}

function oneLine(text: string): string {
  return redact(clean(middle(text, inputLimit)))
    .replace(/\s+/g, ' ')
    .trim();
}
