/** Files that are secret by nature: none of their content is shown. */
const secretPaths: readonly RegExp[] = [
  /(?:^|\/)g?shadow-?$/,
  /\.(?:keys?|p12|pfx|jks|keystore|kdbx|gpg|asc|ppk|keytab|age|vault|psk|pass|jwk)$/i,
  /(?:^|\/)(?:id_[a-z0-9]+|ssh_host_[a-z0-9_]+_key|known_tokens)$/i,
  /(?:^|\/)\.?docker(?:cfg|config\.json)$|\.docker\/config\.json$|\/containers\/auth\.json$/i,
  /^\/var\/lib\/kubelet\/config\.json$/,
  /htpasswd|passwd|password|passphrase|secret|token|credential|kubeconfig|pull-?secret|private|vault/i,
  /(?:^|\/)(?:ipsec\.secrets|ppp\/[a-z]+-secrets|iscsid\.conf|wpa_supplicant[^/]*\.conf|krb5\.keytab|\.netrc|\.pgpass|\.my\.cnf)$/i,
  /\/NetworkManager\/system-connections\//,
  // Keys of clusters, and what servers for names and passwords are asked with.
  /(?:^|\/)(?:authkeys?|\.?erlang\.cookie|psk\.txt|pam_radius_auth\.conf|raddb\/server|userlist\.txt)$/i,
  // Keys of NTP, and users of SNMP as its daemon keeps them.
  /\/(?:ntp|chrony(?:\.d)?)\/keys$|\/ntp\/crypto\/|\/net-snmp\/snmpd\.conf$/,
];

/** The same of files that are no scripts, which may be called after what they do with it: `bin/rotate-creds`. */
const secretUnlessScript: readonly RegExp[] = [
  /\/(?:ipsec\.d|wireguard|luks[\w-]{0,30}|tang|clevis|cryptsetup-keys\.d)\//i,
  // What unlocks a disk or another file, by the whole name or by its last word.
  /key-?files?(?:\.(?:bin|txt|dat|raw))?$|pwd?file(?:\.txt)?$/i,
  /(?:^|[/._-])(?:psk|creds?|(?:ht)?pass|pw|bindpw|userpass|bearer)(?:\.txt)?$/i,
  /(?:^|[/._-])(?:auth|pin|pwd)\.txt$/i,
  /(?:^|[/._-])(?:api|encryption|licen[cs]e|activation|master|shared|host|machine)[_-]?key(?:\.txt)?$/i,
];

const script = /(?:^|\/)s?bin\/[^/]+$|\.(?:sh|py)$/;

/** Files with such a word in their name for what they are about: rules about the files and programs of accounts. */
const publicPaths = /^\/etc\/(?:audit\/(?:rules\.d\/)?[\w.-]{1,255}\.rules|pam\.d\/[\w.-]{1,255})$/;

/** Content that makes a whole file secret, whatever its path. */
const secretContents: readonly RegExp[] = [
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/,
  /-----BEGIN (?:PGP (?!PUBLIC KEY BLOCK)|OPENSSH|ENCRYPTED)/,
  /["']?auths["']?\s*:/,
  /\$(?:1|2[abxy]?|5|6|7|y|gy|sha1|md5|apr1|argon2[a-z]*|pbkdf2[a-z0-9-]*|scrypt)\$/,
  /\$ANSIBLE_VAULT/,
  /^sops:|"sops"\s*:/m,
  /(?:client-key-data|client-certificate-data)\s*:/,
];

/** A Secret of Kubernetes, with what it holds. */
const secretObject: readonly RegExp[] = [
  /^[ \t]*(?:-[ \t]+)?kind:[ \t]*["']?Secret["']?[ \t]*$|"kind"\s*:\s*"Secret"/m,
  /^[ \t]*(?:stringData|data):|"(?:stringData|data)"\s*:/m,
];

/** No content of the file may be shown. */
export function isSecretFile(path: string, text: string): boolean {
  return (
    isSecretPath(path) ||
    secretContents.some((pattern) => pattern.test(text)) ||
    secretObject.every((pattern) => pattern.test(text))
  );
}

/** Its name alone tells that a file is secret. */
export function isSecretPath(path: string): boolean {
  const patterns = script.test(path) ? secretPaths : [...secretPaths, ...secretUnlessScript];
  return patterns.some((pattern) => pattern.test(path)) && !publicPaths.test(path);
}
