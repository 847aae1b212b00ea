import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A private key and its certificate, both PEM. */
export interface Identity {
  readonly key: string;
  readonly certificate: string;
}

const tags = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  sequence: 0x30,
  set: 0x31,
};
/** UTCTime: years of two digits. */
const timeTag = 0x17;
const versionTag = 0xa0;
const extensionsTag = 0xa3;
/** In a subjectAltName: an IP address. */
const addressTag = 0x87;

/** Values of object identifiers, as they stand in a certificate. */
const ids = {
  ecdsaWithSha256: '2a8648ce3d040302',
  commonName: '550403',
  subjectAltName: '551d11',
  basicConstraints: '551d13',
} as const;

const dayMs = 86_400_000;
/** However long a demo runs, and however far its clock gets ahead: clients compare with their own. */
const validDays = 365;

/** A new certificate for 127.0.0.1 that signs itself, so that a kubeconfig can name it as its authority: kubectl and oc
 *  send a token over TLS only. Node makes keys and no certificates. Source: RFC 5280; client-go
 *  tools/clientcmd/client_config.go. */
export function selfSigned(now: Date): Identity {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const algorithm = sequence(oid(ids.ecdsaWithSha256));
  const name = sequence(der(tags.set, sequence(oid(ids.commonName), der(tags.utf8, Buffer.from('poolkeeper demo')))));
  const statement = sequence(
    der(versionTag, integer(Buffer.from([2]))),
    integer(randomBytes(16)),
    algorithm,
    name,
    sequence(time(now.getTime() - dayMs), time(now.getTime() + validDays * dayMs)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(extensionsTag, sequence(...extensions())),
  );
  const signature = sign('sha256', statement, privateKey);
  const certificate = sequence(statement, algorithm, bits(signature));
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), certificate: pem(certificate) };
}

function extensions(): readonly Buffer[] {
  const isAuthority = sequence(der(tags.boolean, Buffer.from([0xff])));
  const addresses = sequence(der(addressTag, Buffer.from([127, 0, 0, 1])));
  return [
    sequence(oid(ids.basicConstraints), der(tags.boolean, Buffer.from([0xff])), der(tags.octets, isAuthority)),
    sequence(oid(ids.subjectAltName), der(tags.octets, addresses)),
  ];
}

/** Tag, length, value (X.690, DER). */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const value = Buffer.concat(parts);
  if (value.length < 0x80) return Buffer.concat([Buffer.from([tag, value.length]), value]);
  const digits = value.length.toString(16);
  const length = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.from([tag, 0x80 + length.length]), length, value]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(tags.sequence, ...parts);
}

/** Positive: the first bit of the value is its sign; without a leading zero byte that is not needed. */
function integer(value: Buffer): Buffer {
  const first = (value[0] ?? 0) & 0x7f;
  return der(tags.integer, Buffer.from([first === 0 && value.length > 1 ? 1 : first]), value.subarray(1));
}

function oid(value: string): Buffer {
  return der(tags.oid, Buffer.from(value, 'hex'));
}

function bits(value: Buffer): Buffer {
  return der(tags.bits, Buffer.from([0]), value);
}

/** `260302100000Z` */
function time(ms: number): Buffer {
  return der(
    timeTag,
    Buffer.from(
      `${new Date(ms)
        .toISOString()
        .slice(2, 19)
        .replaceAll(/[^0-9]/g, '')}Z`,
    ),
  );
}

function pem(content: Buffer): string {
  const lines = content.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
