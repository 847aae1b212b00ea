import { clean, redact, withoutPem } from '../text/safe-text.ts';
import { withoutTrailing } from '../text/trailing.ts';
import { maskBelow } from './mask/mask-below.ts';
import { maskCommands } from './mask/mask-commands.ts';
import { maskPairs } from './mask/mask-pairs.ts';
import { maskPlaces, maskWords } from './mask/mask-words.ts';
import { masked } from './mask/masked.ts';
import { maskBehind } from './mask/prose.ts';
import { isSecretName, maySayName } from './mask/secret-name.ts';

/** The lines of a text as they may be shown: cleaned, and without what looks like a secret. When in doubt it is
 *  masked. Longer lines are cut before they are searched. */
export function maskLines(text: string, longest = longestLine): readonly string[] {
  const lines = withoutPem(clean(text))
    .split('\n')
    .map((line) => cut(line, longest));
  return redact(maskTogether(lines).map(maskNamed).join('\n')).split('\n').map(maskShaped);
}

/** What several lines tell of together. Each looks at the lines as they are: what one of them hides may be the name
 *  that another one goes by. Credentials are removed last for the same reason: `token:` would take the first word of
 *  the line below for one. */
function maskTogether(lines: readonly string[]): readonly string[] {
  const below = maskBelow(lines);
  return maskCommands(lines).map((line, at) => {
    const other = below[at] ?? '';
    return other === lines[at] ? line : other;
  });
}

/** One line without what looks like a secret. */
export function maskLine(line: string): string {
  return maskCommands([cut(line)])
    .map((each) => maskShaped(redact(maskNamed(each))))
    .join('');
}

/** Longest line of a file, in UTF-16 units. */
const longestLine = 2_000;

/** Between words: what is left of one may no longer look like a credential. */
function cut(line: string, longest = longestLine): string {
  if (line.length <= longest) return line;
  let end = longest;
  while (end > 0 && !/[\s"',;]/.test(line.charAt(end - 1))) end -= 1;
  return `${line.slice(0, end)} ${masked}${line.endsWith('\\') ? ' \\' : ''}`;
}

/** What a name in the same line tells of. */
function maskNamed(line: string): string {
  return maskPlaces(maySayName(line) ? maskWords(maskSettings(maskPairs(line))) : line);
}

/** What its own shape tells of. After credentials are removed: it would take parts of a token that only the whole of
 *  it tells of. */
function maskShaped(line: string): string {
  return maskBlobs(maskKeys(line));
}

/** Syntaxes of a name with its value: `name = value`, `"name": "value"`, `Environment="NAME=value"`,
 *  `NAMES[key]=value`, `$list{name} = value`, `--name value`, `"--name" "value"`, `"--name", "value"`, `<name>value`,
 *  `define("NAME", "value")`, `set("section", "name", "value")`, `read NAME <<< value`. */
const settings: readonly RegExp[] = [
  /["']?(?<![A-Za-z0-9_.$-])([A-Za-z0-9_.$-]+)["']?\]?\s*(?:[:+]=|=>|[:=])\s*/g,
  /(?<![A-Za-z0-9_.$-])([A-Za-z0-9_.-]+)\[[^[\]\s]{1,60}\]\+?=/g,
  /(?<=[\w>])\{["']?([A-Za-z0-9_.-]{1,60})["']?\}\s{0,9}=(?![=~])\s{0,9}/g,
  // A look back: the blank before an option ends the option before it.
  /(?<=^|[\s"'[=])(--?[A-Za-z0-9_.-]{1,60})(?:["']\s*,\s*|["']\s+(?=[^\s\]&|;)])|\s+)/g,
  /<([A-Za-z0-9:_.-]{1,60})(?:\s[^<>]{0,200})?>/g,
  // Behind the name of a file stands how it is opened.
  /\((?:\s{0,9}["'][^"'()]{0,60}["']\s{0,9},)?\s{0,9}["']([A-Za-z0-9_.-]{1,60})["']\s{0,9},\s{0,9}(?=["'](?![rwab+]{0,3}["']))/g,
  /\bread\s+(?:-\w{1,9}\s+){0,4}([A-Za-z_]\w{0,60})\s{0,9}<<<\s{0,9}/g,
];

/** The value begins in the next line. */
const opening = /^(?:[\\([{"']|[|>][-+\d]{0,2})\s*$/;

/** A rule of auditd, with the word that its records are found by at its end. */
const auditRule = /^\s*-[aA]\s+\w{1,20},\w{1,20}\s.*\s-F key=[\w.-]{1,31}\s*$/;

/** The rest of the line is masked: a value may contain anything. */
function maskSettings(line: string): string {
  const isRule = auditRule.test(line);
  const starts = settings.flatMap((pattern) =>
    [...line.matchAll(pattern)].flatMap(({ 0: whole, 1: name = '', index }) => {
      const start = index + whole.length;
      const behind = line.slice(start);
      const isNone = !isSecretName(name) || (isRule && whole === 'key=') || isSaidOf(name, behind);
      return isNone ? [] : [start];
    }),
  );
  const start = Math.min(...starts);
  return start < line.length && !opening.test(line.slice(start)) ? `${line.slice(0, start)}${masked}` : line;
}

/** A message of an option: `--token is required`. */
function isSaidOf(name: string, behind: string): boolean {
  return name.startsWith('-') && behind !== '' && maskBehind(name, behind) === behind;
}

/** Public keys are no secret, but their body is unreadable: only type and comment are shown. */
function maskKeys(line: string): string {
  return line.replace(/\b((?:ssh|ecdsa|sk)-[A-Za-z0-9@.-]{2,60}\s+)AAAA[A-Za-z0-9+/=]+/g, `$1${masked}`);
}

/** As crypt(5), NVMe and LDAP (RFC 2307) write them. */
const passwordHash =
  /\$(?:[1-7]|2[abxy]|y|gy|sha1|md5|apr1|argon2[a-z]{0,2}|pbkdf2[a-z0-9-]{0,12}|scrypt)\$\S+|\bDHHC-1:\d{2}:[^\s"',]+|\{(?:S?SHA|S?MD5|CRYPT)\d{0,3}\}\S+/gi;

/** Long runs of base64, hex or random characters. An image digest is no secret, nor is the name of a rendered config,
 *  which ends with the hash of its content. Source: machine-config-operator pkg/controller/render/hash.go. */
function maskBlobs(line: string): string {
  return line
    .replace(passwordHash, masked)
    .replace(
      /(sha256:|\brendered-[a-z0-9.-]{1,63}-(?=[0-9a-f]{32}(?![A-Za-z0-9])))?(?<![A-Za-z0-9])[0-9a-fA-F]{32,}(?![A-Za-z0-9])/g,
      (run, name: string | undefined) => (name === undefined ? masked : run),
    )
    .replace(
      /(?<![A-Za-z0-9+/_-]|sha256:)[A-Za-z0-9+/_-]{24,}={0,2}(?![A-Za-z0-9=])/g,
      (run, at: number, whole: string) =>
        isLongName(run, whole.slice(at + run.length, at + run.length + 2)) || !isRandom(run) ? run : masked,
    );
}

/** A name with the sign before its value, and not the end of base64: `ConditionPathIsMountPoint=/var`, `NAME="-v"`. */
function isLongName(run: string, behind: string): boolean {
  return /^[A-Za-z][A-Za-z_-]*=$/.test(run) && /^(?:[/!$~-]|["'][\w/!$~.-])/.test(behind);
}

/** Upper case, lower case and digits in one run, and neither a path nor words with dashes: not written by a person. */
function isRandom(run: string): boolean {
  if (/^\[?masked\]?$/.test(run)) return false;
  const longest = run.split(/[/_-]/).reduce((most, part) => Math.max(most, part.length), 0);
  const isMixed = /[A-Z]/.test(run) && /[a-z]/.test(run) && /\d/.test(run);
  const isOneCase = /^[A-Za-z0-9]{32,}$/.test(withoutTrailing(run, '=')) && /\d/.test(run);
  return run.endsWith('=') || (isMixed && longest >= 12) || isOneCase || run.length > 120;
}
