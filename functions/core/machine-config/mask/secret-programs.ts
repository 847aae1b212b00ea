import { isSecretPath } from '../secret-file.ts';
import { hide } from './masked.ts';
import { isSecretName } from './secret-name.ts';

/** One command, its lines joined by breaks, without what its programs are given as a secret. */
export function maskCommand(command: string): string {
  if (!suspicious.test(command)) return command;
  if (secretProgram.test(command) || readingProgram.test(command)) return hide(command);
  return [maskInput, maskWritten, maskOptions].reduce((rest, mask) => mask(rest), command);
}

/** What some part of each of them matches: one look instead of twenty, as most commands have none of it. */
const suspicious =
  /pass|cryptsetup|kinit|openssl|gpg|vault|realm|adcli|token|clevis|creds|secret|sudo|echo|printf|<<|\bsu\b|login|user|pcs|mongo|ipa|trapsess|dev\/stdin|of=|mysql|mariadb|fence_|ipmi|racadm|redfishtool|ldap|redis|snmp|smb|rpc|\bnet\s|winexe|\brhc\s|kadmin|proxy\s|-v ?[12]|curl|pk12util|keygen|kdb5_util|obfuscate|luksmeta|\bwg\s|ssh-add|tpm2_/i;

/** What a command reads is secret: by its program, or by the file that it is written to. */
export function isSecretInput(command: string): boolean {
  const isRead = [secretProgram, readingProgram, secretInput].some((pattern) => command.search(pattern) >= 0);
  const isKept = [...command.matchAll(variable)].some(([, name = '']) => isSecretName(name));
  return isRead || isKept || [...command.matchAll(target)].some(([, path = '']) => isSecretPath(path));
}

/** What is read from a here document is kept in a variable: `read PASSWORD <<EOF`, `PASSWORD=$(cat <<EOF`. */
const variable = /\b(?:read\s+(?:-\w{1,9}\s+){0,4}(?=\w+\s{0,9}<<)|(?=\w{1,60}=["']?\$\(\s{0,9}cat\s))(\w{1,60})/g;

/** Programs whose arguments and input are secrets. `openssl verify: …` is what one says. */
const secretProgram =
  /\b(?<!\/etc\/|path=\/usr\/bin\/|path=\/usr\/sbin\/)(?:passwd|chpasswd|sshpass|htpasswd|smbpasswd|(?:grub2-)?mkpasswd[\w-]{0,10}|wpa_passphrase|cryptsetup|kinit|openssl(?!\s{1,9}\w{1,20}:\s)|gpg|vault|realm\s+join|adcli)[\s<]/i;

/** The same where nothing stands behind them: they read what is secret. */
const readingProgram =
  /\|\s*(?:sudo\s+(?:-\w{1,9}\s+){0,3})?(?:\/[\w/]{1,60}\/)?(?:passwd|chpasswd|smbpasswd|cryptsetup|kinit|openssl|gpg|vault|adcli)(?![\w./-])|[[(]\s*["'](?:\/[\w/]{1,60}\/)?(?:chpasswd|sshpass|smbpasswd|kinit)["']/i;

/** Only the input of these is secret. */
const secretInput =
  /--(?:password|passphrase|token)-stdin\b|--with-token\b|\bclevis\s+(?:luks\s+bind|encrypt)\b|\bsystemd-creds\s+encrypt\b|\b(?:podman|docker)\s+secret\s+create\b|\bsudo\s+(?:-[a-zA-Z]{0,5}S\b|--stdin\b)|\b(?<![.-])(?:sss_obfuscate|grub2?-setpassword|grub2?-mkpasswd-pbkdf2|newusers|kpasswd|ssh-add|luksmeta\s+save|wg\s+(?:pubkey|set)|net\s+ads\s+join)(?![\w./-])|\|\s*su(?:\s|$)/g;

/** What is read comes from a file or a registry: no text that stands there. */
function isElsewhere(source: string): boolean {
  const isCommand = /\bget-login-password\b/.test(source) && !/\b(?:echo|printf)\b|</.test(source);
  return isCommand || /^\s*(?:sudo\s+)?cat\s+[\w./${}"-]{1,200}\s*$/.test(source);
}

/** What goes into such a program through a pipe, as a here string, or as the output of a command. */
function maskInput(command: string): string {
  const program = [...command.matchAll(secretInput)].at(-1);
  if (program === undefined) return command;
  const pipe = command.lastIndexOf('|', program.index);
  const isPiped = pipe >= 0 && command.charAt(pipe - 1) !== '|';
  const before = isPiped ? command.slice(0, pipe) : '';
  const rest = isPiped ? command.slice(pipe) : command;
  const here = /<<<|<\(\s{0,9}(?:echo|printf)\b/.exec(rest);
  const text = here === null ? rest.length : here.index + (here[0] === '<<<' ? 3 : 2);
  const shown = `${rest.slice(0, text)}${hide(rest.slice(text))}`;
  return `${isElsewhere(before) ? before : hide(before)}${shown}`;
}

/** A file that a command writes to. */
const target =
  /(?:>{1,2}\|?|(?:\|\s*(?:sudo\s+)?)?\btee\s+(?:-\S{1,20}\s+){0,3}|\/dev\/stdin\s+|\bof=)\s*["']?([^\s"'<>|;&()]{1,200})["']?/g;

/** `echo "host:5432:*:bob:word" > /root/.pgpass`: what would be hidden as a file. */
function maskWritten(command: string): string {
  if (!/\b(?:echo|printf)\b|<<</.test(command)) return command;
  const written = [...command.matchAll(target)].findLast(([, path = '']) => isSecretPath(path));
  if (written === undefined) return command;
  const behind = written.index + written[0].length;
  const rest = command.slice(behind);
  const isOther = /^\s*(?:$|[;&|)#}]|<<(?!<)|\d?>)/.test(rest);
  return `${hide(command.slice(0, written.index))}${written[0]}${isOther ? rest : hide(rest)}`;
}

/** Programs, and what stands before the secret that they take: a short option, alone or with a name. */
const secretOptions: readonly (readonly [RegExp, RegExp])[] = [
  [
    /\b(?:login|mysql[a-z]{0,10}|mariadb[a-z-]{0,10}|mongo[a-z]{0,10}|fence_[a-z0-9_]{1,30}|user(?:add|mod)|pcs|rhc|racadm|redfishtool|ipmi-?(?:power|console|chassis|sensors|sel))[\s"']/gi,
    /([\s"']-p(?:["'](?:\s*,\s*|\s+)|[ =]?\s*))/g,
  ],
  [/\bipmitool[\s"']/gi, /([\s"']-P(?:["'](?:\s*,\s*|\s+)|[ =]?\s*))/g],
  [/\b(?:ldap[a-z]{3,12}|ipa-[a-z-]{3,30}|kadmin)[\s"']/gi, /([\s"']-w(?:["'](?:\s*,\s*|\s+)|[ =]?\s*))/g],
  [/\b(?:redis-cli|rhc)\s/gi, /(\s-a[ =]?\s*)/g],
  // The last one is an agent that passes requests on: `proxy -v 2c -c word host`.
  [
    /\b(?:snmp[a-z]{3,12}|trapsess|net-snmp-c(?:onfig|reate-v3-user))\s|(?:^|\s)proxy\s+-(?:[vC]|c\s)|[\s"'=]-v ?(?:1|2c)\s/gi,
    /(\s-[cAX][ =]?\s*)/g,
  ],
  // An empty password is none.
  [/\bpk12util[\s"']/gi, /([\s"']-[WK](?:["'](?:\s*,\s*|\s+)|[ =]?\s*)(?!""|''))/g],
  [/\b(?:ssh-keygen|kdb5_util)\s/gi, /(\s-[NP][ =]?\s*(?!""|''))/g],
  // The word itself, and not where it comes from.
  [/\btpm2_[a-z]{3,30}\s/gi, /(\s-[pP][ =]?\s*)(?!\s|(?:session|file|pcr):)/g],
  // A setting of iSCSI and its value: `-n node.session.auth.password -v word`.
  [/\bauth\.password(?:_in)?["']?\s/gi, /(\s(?:-v|--value)[ =]?\s*)/g],
  [/\b(?:(?:smb|rpc)[a-z]{3,12}|net\s+[a-z]{3,9}|winexe)\s/gi, /(\s(?:-U|--user)[ =]?\s*[^\s%]{1,64}%)/g],
  [/\bcurl\s/gi, /(\s-[A-Za-z#]{0,12}[uU][ =]?\s*)(?="[^":]{0,64}:|'[^':]{0,64}:|[^\s:"']{1,64}:\S)/g],
];

function maskOptions(command: string): string {
  return secretOptions.reduce((rest, [program, option]) => {
    const at = optionsOf(program, rest);
    return at === undefined ? rest : `${rest.slice(0, at)}${hideBehind(rest.slice(at), option)}`;
  }, command);
}

/** What stands behind each of these options: one word, or what is in quotes. */
function hideBehind(text: string, option: RegExp): string {
  const [first = '', ...rest] = text.split(option);
  const behind = rest.map((part, index) => (index % 2 === 0 ? part : part.replace(firstValue, hide)));
  return `${first}${behind.join('')}`;
}

const firstValue = /^(?:"[^"]*"?\S*|'[^']*'?\S*|\S+)/;

/** What stands before a name that starts no program: it is in a folder of data, or a container is called so. */
const noProgram = /(?:\/(?:lib|log|run|etc|data|cache|spool)\/|--(?:name|hostname|network|pod|user|group)[ =]["']?)$/;

/** Where the options of a program may begin; undefined: nothing starts it. Those kept in a variable stand before it. */
function optionsOf(program: RegExp, line: string): number | undefined {
  const started = [...line.matchAll(program)].find(
    ({ index }) => !noProgram.test(line.slice(Math.max(0, index - 20), index)),
  );
  if (started === undefined) return undefined;
  const kept = line.search(/\w=["']/);
  return kept < 0 ? started.index : Math.min(kept, started.index);
}
