import { X509Certificate } from 'node:crypto';

/** What is wrong with a text that should be one or more certificates in PEM; undefined = nothing. */
export function certificatesFault(pem: string): string | undefined {
  if (/PRIVATE KEY/.test(pem)) return 'holds a private key; only certificates belong here';
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) return 'holds no certificate in PEM (-----BEGIN CERTIFICATE-----)';
  return blocks.every(isCertificate) ? undefined : 'holds a certificate that cannot be read';
}

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).subject !== undefined;
  } catch {
    return false;
  }
}
