/** Words in the name of a setting whose value is secret. */
const secretName =
  /(?<!by)(?<!com)pass(?:word|wd|phrase|code)?s?(?![a-z])|passw|secret|token|(?:^|[^a-z])creds?(?:[^a-z]|$)|^sig$|(?:api|access|activation)[_.-]?key|private|credential|\bpsk\b|(?:^|[_.-])psk(?:_?\d{1,3})?$|[_.-]psk\b|wep|(?:^|[^a-z])auth(?:[^a-z]|$)|_auth|authoriz|bearer|cookie|session|signature|salt|(?:^|[^a-z])(?:pwd|pin|otp|seed|community)(?:[^a-z]|$)|(?:^|[._-])(?:key|pw)(?:_?\d{1,3})?$|[a-z](?:Key|Pwd)$|bindpw|[a-z]pw\d{0,3}$|connection[_.-]?string|dsn|webhook|^stringData$/i;

/** Such words within another one, where they are no part of an ordinary one: `snmpCommunity`, `basicAuth`, `userPin`,
 *  `pskvalue`. */
const joinedName =
  /(?:snmp|r[ow]|read|write|trap)community|community[_-]?string|(?:basic|proxy|http|digest)auth$|auth[_-]?(?:string|tok$)|(?:user|src|dest|registry|pull)creds?$|(?:user|sim|new)pin$|(?:psk|pin|header)value$|(?:^|[_.-])cak$/i;

/** Settings of systemd and the kernel with such a word for what they are about. */
const publicName =
  /^(?:Private(?:Tmp|Devices|Network|Users|Mounts|PIDs|IPC)|PassCredentials|net\.ipv[46]\.tcp_syncookies)$/;

/** What some part of each of these names matches, and of those below: one look at a line instead of twenty, as most
 *  lines have none of it. Whoever adds a word adds a part of it here. */
const nameParts =
  /pass|secret|token|cred|sig|key|private|psk|wep|auth|bearer|cookie|session|salt|pw|pin|otp|seed|community|connection|dsn|webhook|stringData|headervalue|cak/i;

/** A line may have such a name. */
export function maySayName(line: string): boolean {
  return nameParts.test(line);
}

/** What stands behind the name and a sign is secret. `--password-stdin` says only where it comes from. */
export function isSecretName(name: string): boolean {
  if (/[_-]stdin$/i.test(name) || publicName.test(name)) return false;
  return secretName.test(name) || joinedName.test(name);
}

/** Names that end in the word for a secret, and are no such word alone: the value may follow behind a blank, as prose
 *  does behind others. */
const compoundName =
  /[_.-](?:pass(?:word|wd|phrase|code)?s?|pwd|pw|secret|token|psk)\d{0,3}$|^[a-z]{2,30}(?:passwo?r?d|passphrase|pw)$|(?:api|access|secret|private|shared|account|auth|encryption|master|licen[cs]e|activation|signing|routing|ingest|preshared)[_.-]?key$/;

/** Where nginx sends requests to. */
const passingOn = /^(?:proxy|fastcgi|uwsgi|scgi|grpc|memcached)_pass$/;

/** Switches, files, addresses and other signs than a blank: no secret. */
const plainValue =
  /^["']?(?:(?:yes|no|on|off|true|false|none|null|required|optional|enabled?|disabled?)["';,]{0,3}\s*$|\/(?:etc|var|usr|run|root|home|opt|srv|proc|sys|dev|tmp|mnt|boot)\/|[a-z]{2,10}:\/\/|unix:|[=:|]|\(\))/i;

/** `auth_pass word`, `HTTP_Passwd word`, `bindPassword word`: the name is the first word of the line. */
export function isSecretPair(name: string, value: string): boolean {
  const words = name.replace(/([a-z])(?=[A-Z])/g, '$1_').toLowerCase();
  return compoundName.test(words) && !passingOn.test(words) && !plainValue.test(value);
}
