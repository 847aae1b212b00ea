/** Why no URL of the configuration may lead to this host; undefined: it may. Completes "<host> ...".
 *  Such an address is never that of a cluster, of Slack or of a web page: it leads back to the machine that calls, and
 *  the metadata services of the clouds hand out credentials to whoever reaches them. A name that resolves to such an
 *  address is not recognised here: names are resolved when a call is made.
 *  @param hostname of a parsed `URL`, which writes every IPv4 address (decimal, octal, hexadecimal, short) with dots */
export function forbiddenHost(hostname: string): string | undefined {
  const host = hostname.toLowerCase().replace(/\.$/, '');
  if (metadataHosts.has(host)) return 'is the metadata service of a cloud';
  const address = mappedAddress(host) ?? host;
  return forbiddenAddresses.find(([pattern]) => pattern.test(address))?.[1];
}

/** Names, and addresses outside the ranges below. Source: the clouds' documentation of their instance metadata. */
const metadataHosts: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
  '[fd00:ec2::254]',
  '[fd00:ec2::23]',
  '[fd20:ce::254]',
  '100.100.100.200',
  '168.63.129.16',
]);

/** Source: RFC 6890, special-purpose addresses. */
const forbiddenAddresses: readonly (readonly [RegExp, string])[] = [
  [/^169\.254\./, 'is link-local, where clouds have their metadata services'],
  [/^\[fe[89ab][0-9a-f]:/, 'is link-local'],
  [/^0\./, 'is not an address that can be called'],
  [/^\[::\]$/, 'is not an address that can be called'],
  [/^(?:22[4-9]|23\d|24\d|25[0-5])\./, 'is not the address of one machine'],
  [/^\[ff[0-9a-f]{2}:/, 'is not the address of one machine'],
];

/** The IPv4 address inside an IPv6 address: `[::ffff:a9fe:a9fe]` or, by NAT64, `[64:ff9b::a9fe:a9fe]`. */
function mappedAddress(host: string): string | undefined {
  const parts = /^\[(?:::ffff:|::|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(host);
  if (parts === null) return undefined;
  const [high, low] = [Number.parseInt(parts[1] ?? '', 16), Number.parseInt(parts[2] ?? '', 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
