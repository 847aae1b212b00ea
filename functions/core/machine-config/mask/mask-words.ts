import { masked } from './masked.ts';
import { maskBehind } from './prose.ts';
import { isSecretName, isSecretPair } from './secret-name.ts';

/** Whose value stands behind a blank: `auth_pass word`. */
const firstWord = /^(\s*(?:[#;]\s*|-\s+|set\s+|\$(?=Action))?([A-Za-z][\w.-]{2,80})\s+)([^\s[].*)$/;

/** Headers and variables: `proxy_set_header X-Api-Key word`, `SetEnv DB_PASSWORD word`, `RequestHeader set …`. What is
 *  empty or a variable is no secret. */
const secondWord =
  /^(\s*(?:#\s*)?(?:(?:Request)?Header(?:\s+always)?(?:\s+(?:set|add|append))?|(?:proxy|grpc)_set_header|add_header|(?:fastcgi|uwsgi|scgi)_param|SetEnv)\s+["']?([\w.-]{2,80})["']?\s+)(?!["']?(?:\$|\[masked|%\{)|["']{2}|;)\S.*$/i;

/** Headers as haproxy has them, behind what the request is: `http-request set-header X-Api-Key word`. */
const headerWord =
  /(?<=\s)(?:(?:set|add|replace)-header|hdr)\s+["']?([\w.-]{2,80})["']?\s+(?!\s|["']?(?:\$|\[masked|%\[)|["']{2})/gi;

/** A line with one word that is written elsewhere: `echo "auth_pass word" >> x`. */
const echoedWord =
  /^(.*?\b(?:echo|printf)\s+(?:-\w{1,3}\s+)?["']\s*([A-Za-z][\w.-]{2,80})\s+)([^\s[\\"']+)((?:\\n)?["']\s*[>|].*)$/;

/** What words before it tell of, and how it is shown. */
const behindWords: readonly (readonly [RegExp, string])[] = [
  [/(?<![^\s"'(=])([^\s/:@"'(=]{1,64}):(?!\[masked)[^\s/@"']{1,200}@(?!sha\d)/g, `$1:${masked}@`],
  [
    /(\s(?:-u|--user|--proxy-user)(?:\s+|=))(?!\d{1,9}:\d{1,9}(?![^\s"']))(?:"[^":]{0,64}:[^"]*"?|'[^':]{0,64}:[^']*'?|\S*:\S+)/g,
    `$1${masked}`,
  ],
  // The same at the beginning of a line or of a variable, where servers of time have their user and group.
  [
    /((?<=^|["'=])(?:-[uU]|--user|--proxy-user)(?:\s+|=))(?!(?:\d{1,9}:\d{1,9}|ntp:ntp|chrony:chrony)(?![^\s"']))(?:"[^":]{0,64}:[^"]*"?|'[^':]{0,64}:[^']*'?|[^\s:"']{1,64}:\S+)/g,
    `$1${masked}`,
  ],
  // As files with the options of curl have it, and variables with those of etcdctl: `user = "bob:word"`. Of users of
  // Kubernetes and containers it is no secret.
  [
    /((?<![\w.$?&/-])(?:(?:proxy-)?user|ETCDCTL_USER)["']?\s{0,9}[=:]\s{0,9})(?!["']?(?:\d{1,9}:\d{1,9}(?![^\s"'])|system:))(?:"[^":]{1,64}:[^"]+"?|'[^':]{1,64}:[^']+'?|[^\s:"'$]{1,64}:(?!\/\/)[^\s:"']+)/g,
    `$1${masked}`,
  ],
  [
    /^(\s*(?:[#;]\s*)?(?:proxy-)?user\s{1,9})(?!["']?\d{1,9}:\d{1,9}(?![^\s"']))["']?[^\s:"'$]{1,64}:(?!\/\/)[^\s:"']\S*\s*$/,
    `$1${masked}`,
  ],
  // Of the proxy above it, as Squid has it, and of a share, as mount.cifs has it; `?user=a%40b` is an address.
  [/(\blogin=(?!NEGOTIATE:)[^\s:"']{1,64}:)(?!\/\/|\[masked)[^\s"']+/g, `$1${masked}`],
  [/((?<![?&\w])user(?:name)?=[^\s,%"'=]{1,64}%)[^\s,"']+/g, `$1${masked}`],
  // The user before it, as proxychains has it.
  [/^(\s*(?:http|socks[45])\s+[\w.:-]{2,100}\s+\d{2,5}\s+[^\s#]\S*\s+)(?!\[masked)\S.*/, `$1${masked}`],
  [/((?<![\w.$>])(?:set_?)?(?:password|passwd|passphrase|secret|api[_-]?key)\(\s{0,9})(?=["'][^"']).*/i, `$1${masked}`],
  [
    /\b((?:trap2?sink|informsink|authcommunity)\s+\S+|com2sec6?(?:\s+-Cn\s+\S+)?\s+\S+\s+\S+)\s+(?!\[masked)\S.*/i,
    `$1 ${masked}`,
  ],
];

/** Names behind which a secret stands after a blank, wherever they are in the line. What PAM asks for is none. */
const namedWord =
  /\b((?:aws_)?(?:shared|secret_access)_key|createUser|usmUser|password|(?<!\/etc\/|\/s?bin\/)passwd|passphrase|secret|token|psk|requirepass|masterauth|r[ow]community6?|(?:trap|def)?community|message-digest-key|authentication-key|key-string|(?:radius|tacacs)-server\s+(?:host\s+\S{1,100}\s+)?key|authentication\s+(?:string|text)|stats\s+auth|wireguard\.private-key|preshared-key|(?:gsm|802-1x)\.pin|mka-cak|wep-key\d?|auth_pass|(?:root)?bindpw)\s+(?!\s|\[masked|(?:required|requisite|sufficient|optional|include|substack)\s)/gi;

/** Of these messages tell, too. */
const wordOfMessages = /^(?:password|passwd|passphrase|secret|token)$/i;

/** The rest of the line is masked, as a secret may have blanks, but for what a message says of it. */
function maskNamedWord(line: string): string {
  for (const { 0: whole, 1: name = '', index } of line.matchAll(namedWord)) {
    const behind = line.slice(index + whole.length);
    const shown = wordOfMessages.test(name) ? maskBehind(name, behind) : masked;
    if (shown !== behind) return `${line.slice(0, index)}${name} ${shown}`;
  }
  return line;
}

/** One line without a secret that stands behind its name and a blank: `auth_pass word`, `SetEnv DB_PASSWORD word`. */
export function maskWords(line: string): string {
  const [, lead = '', name = '', value = ''] = firstWord.exec(line) ?? [];
  if (isSecretPair(name, value)) return `${lead}${maskBehind(name, value)}`;
  const [, before = '', echoed = '', word = '', after = ''] = echoedWord.exec(line) ?? [];
  if (isSecretPair(echoed, word)) return `${before}${masked}${after}`;
  const [, head = '', second = ''] = secondWord.exec(line) ?? [];
  if (isSecretName(second)) return `${head}${masked}`;
  const header = [...line.matchAll(headerWord)].find(([, each = '']) => isSecretName(each));
  return header === undefined ? line : `${line.slice(0, header.index + header[0].length)}${masked}`;
}

/** One line without a secret that only its place in the line tells of: `neighbor 10.0.0.1 password word`, `curl -u
 *  user:word`, `user:word@host`, `createUser bob SHA word`, `password("word")`. */
export function maskPlaces(line: string): string {
  return line.length < shortestPlace
    ? line
    : maskNamedWord(behindWords.reduce((rest, [pattern, shown]) => rest.replace(pattern, shown), line));
}

/** `a:b@`. */
const shortestPlace = 4;
