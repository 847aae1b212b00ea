import { clean, redact } from '../text/safe-text.ts';
import { withoutTrailing } from '../text/trailing.ts';

/** Shown instead of what may be secret. */
export const masked = '[masked]';

/** Files that are secret by nature: none of their content is shown. */
const secretPaths: readonly RegExp[] = [
  /(?:^|\/)g?shadow-?$/,
  /\.(?:keys?|p12|pfx|jks|keystore|kdbx|gpg|asc|ppk|keytab|age|vault)$/i,
  /(?:^|\/)(?:id_[a-z0-9]+|ssh_host_[a-z0-9_]+_key|known_tokens)$/i,
  /(?:^|\/)\.?docker(?:cfg|config\.json)$|\.docker\/config\.json$|\/containers\/auth\.json$/i,
  /^\/var\/lib\/kubelet\/config\.json$/,
  /htpasswd|passwd|password|passphrase|secret|token|credential|kubeconfig|pull-?secret|private|vault/i,
  /(?:^|\/)(?:ipsec\.secrets|ppp\/[a-z]+-secrets|iscsid\.conf|wpa_supplicant[^/]*\.conf|krb5\.keytab|\.netrc|\.pgpass|\.my\.cnf)$/i,
  /\/NetworkManager\/system-connections\//,
  // Keys of NTP, and users of SNMP as its daemon keeps them.
  /\/ntp\/(?:keys$|crypto\/)|\/net-snmp\/snmpd\.conf$/,
  /\/(?:ipsec\.d|wireguard|luks|tang|clevis)\//i,
];

/** Files with such a word in their name for what they are about: rules about the files and programs of accounts. */
const publicPaths = /^\/etc\/(?:audit\/(?:rules\.d\/)?[\w.-]{1,255}\.rules|pam\.d\/[\w.-]{1,255})$/;

/** Content that makes a whole file secret, whatever its path. */
const secretContents: readonly RegExp[] = [
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/,
  /-----BEGIN (?:PGP|OPENSSH|ENCRYPTED)/,
  /["']?auths["']?\s*:/,
  /\$(?:1|2[abxy]?|5|6|7|y|gy|sha1|md5|apr1|argon2[a-z]*|pbkdf2[a-z0-9-]*|scrypt)\$/,
  /\$ANSIBLE_VAULT/,
  /^sops:|"sops"\s*:/m,
  /(?:client-key-data|client-certificate-data)\s*:/,
];

/** Words in the name of a setting whose value is secret. */
const secretName =
  /(?<!by)(?<!com)pass(?:word|wd|phrase|code)?s?(?![a-z])|passw|secret|token|(?:^|[^a-z])creds?(?:[^a-z]|$)|^sig$|api[_.-]?key|access[_.-]?key|private|credential|\bpsk\b|[_.-]psk\b|wep|(?:^|[^a-z])auth(?:[^a-z]|$)|_auth|authoriz|bearer|cookie|session|signature|salt|(?:^|[^a-z])(?:pwd|pin|otp|seed|community)(?:[^a-z]|$)|(?:^|[._-])(?:key|pw)$|[a-z](?:Key|Pwd)$|bindpw|connection[_.-]?string|dsn|webhook/i;

/** No content of the file may be shown. */
export function isSecretFile(path: string, text: string): boolean {
  const isNamed = secretPaths.some((pattern) => pattern.test(path)) && !publicPaths.test(path);
  return isNamed || secretContents.some((pattern) => pattern.test(text));
}

/** The lines of a text as they may be shown: cleaned, and without what looks like a secret. When in doubt it is
 *  masked. */
export function maskLines(text: string): readonly string[] {
  const lines: string[] = [];
  // Indentation of a setting whose value is on the lines below it; everything deeper belongs to it.
  let open: number | undefined;
  for (const line of redact(clean(text)).split('\n')) {
    const indent = line.length - line.trimStart().length;
    if (open !== undefined && (line.trim() === '' || indent > open)) {
      lines.push(line.trim() === '' ? '' : `${line.slice(0, indent)}${masked}`);
      continue;
    }
    open = opensSecret(line) ? indent : undefined;
    lines.push(maskLine(line));
  }
  return lines;
}

/** `password:`, `secret: |`, `token = \`: the value follows on the next lines. */
function opensSecret(line: string): boolean {
  const name = /^\s*(?:-\s+)?["']?([^\s"':=]{1,100})["']?\s*[:=]\s*(?:(?:[|>][+-]?\d?|\\|["'[{])\s*)?$/.exec(
    line.slice(0, longestLine),
  )?.[1];
  return name !== undefined && secretName.test(name);
}

/** Longer lines are cut before they are searched. */
const longestLine = 2_000;

/** Programs whose arguments and input are secrets. */
const secretProgram =
  /\b(?:passwd|chpasswd|sshpass|htpasswd|smbpasswd|cryptsetup|kinit|openssl|gpg|vault|realm\s+join|adcli)\s/i;

/** One line without what looks like a secret. */
export function maskLine(line: string): string {
  const cut = line.length > longestLine ? `${line.slice(0, longestLine)} ${masked}` : line;
  if (secretProgram.test(cut)) return `${/^\s*/.exec(cut)?.[0] ?? ''}${masked}`;
  return [maskSettings, maskWords, maskKeys, maskBlobs].reduce((rest, mask) => mask(rest), cut);
}

/** Syntaxes of a name with its value: `name = value`, `"name": "value"`, `Environment="NAME=value"`, `--name value`,
 *  `<name>value`. */
const settings: readonly RegExp[] = [
  /["']?(?<![A-Za-z0-9_.$-])([A-Za-z0-9_.$-]+)["']?\s*(?::=|=>|[:=])\s*/g,
  /(?:^|\s)(--?[A-Za-z0-9_-]{1,60})\s+/g,
  /<([A-Za-z0-9:_.-]{1,60})(?:\s[^<>]{0,200})?>/g,
];

/** The rest of the line is masked: a value may contain anything. */
function maskSettings(line: string): string {
  const starts = settings.flatMap((pattern) =>
    [...line.matchAll(pattern)]
      .filter((found) => secretName.test(found[1] ?? ''))
      .map((found) => found.index + found[0].length),
  );
  const start = Math.min(...starts);
  return start < line.length ? `${line.slice(0, start)}${masked}` : line;
}

/** Programs that take a secret as a short option behind them, alone or with the name before it. */
const secretOptions: readonly (readonly [RegExp, RegExp])[] = [
  [/\b(?:login|mysql[a-z]{0,10}|mariadb[a-z-]{0,10}|fence_[a-z0-9_]{1,30})\s/gi, /(\s-p[ =]?)\s*\S+/g],
  [/\bipmitool\s/gi, /(\s-P[ =]?)\s*\S+/g],
  [/\bldap[a-z]{3,12}\s/gi, /(\s-w[ =]?)\s*\S+/g],
  [/\bredis-cli\s/gi, /(\s-a[ =]?)\s*\S+/g],
  [/\bsnmp[a-z]{3,12}\s/gi, /(\s-[cAX][ =]?)\s*\S+/g],
  [/\b(?:smb|rpc)[a-z]{3,12}\s/gi, /(\s(?:-U|--user)[ =]?\s*[^\s%]{1,64}%)\S+/g],
];

/** What stands before a name that starts no program: it is in a folder of data, or a container is called so. */
const noProgram = /(?:\/(?:lib|log|run|etc|data|cache|spool)\/|--(?:name|hostname|network|pod|user|group)[ =])$/;

/** Where the options of a program may begin; undefined: nothing starts it. Those kept in a variable stand before it. */
function optionsOf(program: RegExp, line: string): number | undefined {
  const started = [...line.matchAll(program)].find(
    ({ index }) => !noProgram.test(line.slice(Math.max(0, index - 20), index)),
  );
  if (started === undefined) return undefined;
  const kept = line.search(/\w=["']/);
  return kept < 0 ? started.index : Math.min(kept, started.index);
}

/** `neighbor 10.0.0.1 password hunter2`, `curl -u user:word`, `user:word@host`, `podman login -p word`, `createUser bob
 *  SHA word`. */
function maskWords(line: string): string {
  const cut = secretOptions.reduce((rest, [program, option]) => {
    const at = optionsOf(program, rest);
    return at === undefined ? rest : `${rest.slice(0, at)}${rest.slice(at).replace(option, `$1${masked}`)}`;
  }, line);
  return cut
    .replace(/(?<![^\s"'(=])([^\s/:@"'(=]{1,64}):(?!\[masked)[^\s/@"']{1,200}@(?!sha\d)/g, `$1:${masked}@`)
    .replace(/(\s(?:-u|--user|--proxy-user)\s+)\S*:\S+/g, `$1${masked}`)
    .replace(
      /\b((?:aws_)?(?:shared|secret_access)_key|createUser|usmUser|password|passwd|passphrase|secret|token|psk|requirepass|masterauth|r[ow]community|community)\s+(?!\[masked).*/i,
      `$1 ${masked}`,
    );
}

/** Public keys are no secret, but their body is unreadable: only type and comment are shown. */
function maskKeys(line: string): string {
  return line.replace(/\b((?:ssh|ecdsa|sk)-[A-Za-z0-9@.-]{2,60}\s+)AAAA[A-Za-z0-9+/=]+/g, `$1${masked}`);
}

/** As crypt(5) and LDAP (RFC 2307) write them. */
const passwordHash =
  /\$(?:[1-7]|2[abxy]|y|gy|sha1|md5|apr1|argon2[a-z]{0,2}|pbkdf2[a-z0-9-]{0,12}|scrypt)\$\S+|\{(?:S?SHA|S?MD5|CRYPT)\d{0,3}\}\S+/gi;

/** Long runs of base64, hex or random characters. An image digest is no secret, nor is the name of a rendered config,
 *  which ends with the hash of its content. Source: machine-config-operator pkg/controller/render/hash.go. */
function maskBlobs(line: string): string {
  return line
    .replace(passwordHash, masked)
    .replace(
      /(sha256:|\brendered-[a-z0-9.-]{1,63}-(?=[0-9a-f]{32}(?![A-Za-z0-9])))?(?<![A-Za-z0-9])[0-9a-fA-F]{32,}(?![A-Za-z0-9])/g,
      (run, name: string | undefined) => (name === undefined ? masked : run),
    )
    .replace(/(?<![A-Za-z0-9+/_-]|sha256:)[A-Za-z0-9+/_-]{24,}={0,2}(?![A-Za-z0-9=])/g, (run) =>
      isRandom(run) ? masked : run,
    );
}

/** Upper case, lower case and digits in one run, and neither a path nor words with dashes: not written by a person. */
function isRandom(run: string): boolean {
  if (/^\[?masked\]?$/.test(run)) return false;
  const longest = run.split(/[/_-]/).reduce((most, part) => Math.max(most, part.length), 0);
  const isMixed = /[A-Z]/.test(run) && /[a-z]/.test(run) && /\d/.test(run);
  const isOneCase = /^[A-Za-z0-9]{32,}$/.test(withoutTrailing(run, '=')) && /\d/.test(run);
  return run.endsWith('=') || (isMixed && longest >= 12) || isOneCase || run.length > 120;
}
