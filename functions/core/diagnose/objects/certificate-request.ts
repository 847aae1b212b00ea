import * as z from 'zod';
import { Condition, listOf, Metadata, text } from './metadata.ts';

/** certificates.k8s.io/v1: a kubelet asks for its client certificate, then for its serving certificate. The request
 *  holds a public key and the name it is for, nothing secret. */
export const CertificateRequest = z.object({
  metadata: Metadata,
  spec: z
    .object({ signerName: text, username: text, request: text })
    .catch({ signerName: '', username: '', request: '' }),
  status: z.object({ conditions: listOf(Condition), certificate: text }).catch({ conditions: [], certificate: '' }),
});
export type CertificateRequest = z.infer<typeof CertificateRequest>;

/** Neither approved nor denied: nobody has decided. */
export function isPending({ status }: CertificateRequest): boolean {
  return (
    status.certificate === '' && !status.conditions.some(({ type }) => ['Approved', 'Denied', 'Failed'].includes(type))
  );
}

/** Who makes the certificates by which kubelets talk to the API server. By the one that they serve with
 *  (`kubelet-serving`) they are talked to, and whoever asks for it talks already: a node is ready without it, and where
 *  nobody approves them such requests are always pending. Source: kubernetes pkg/apis/certificates/types.go. */
const clientSigner = 'kubernetes.io/kube-apiserver-client-kubelet';

/** A node asks in its own name to renew, and through the bootstrapper the first time. In both cases the certificate is
 *  for the name in the request: who is approved joins the cluster as that. */
export function asksFor({ spec }: CertificateRequest, node: string): boolean {
  const name = `system:node:${node}`;
  const isAsker = spec.username === name || isBootstrap(spec.username);
  return isAsker && spec.signerName === clientSigner && commonName(spec.request) === name;
}

export function isBootstrap(username: string): boolean {
  return /:node-bootstrapper$/.test(username);
}

/** Characters of a request, which is PEM in base64. A kubelet's has 600. */
const longestRequest = 16_000;

/** OID 2.5.4.3 in DER. */
const commonNameId = '\u0055\u0004\u0003';

/** The one common name of the request's subject, as the signer reads it; undefined if it has none, or several, or
 *  cannot be read. CertificationRequest ::= { { version, subject, ... }, ... }; the subject is a list of sets of pairs.
 *  Source: RFC 2986 section 4, RFC 5280 section 4.1.2.4. */
function commonName(request: string): string | undefined {
  if (request.length > longestRequest) return undefined;
  const der = decoded(decoded(request).replaceAll(/-----[^-]+-----|\s/g, ''));
  const subject = partsOf(partsOf(partsOf(der)[0])[0])[1];
  const pairs = partsOf(subject).flatMap(partsOf).map(partsOf);
  const names = pairs.flatMap(([id, value]) => (id === commonNameId ? [value] : []));
  return names.length === 1 ? names[0] : undefined;
}

/** Contents of the values in a DER value, one character a byte; none if it is malformed. */
function partsOf(der = ''): readonly string[] {
  const parts: string[] = [];
  for (let at = 0; at < der.length; ) {
    const first = der.charCodeAt(at + 1);
    // From 0x81 on: so many bytes of length follow. A request has at most two.
    const more = first > 0x80 ? first - 0x80 : 0;
    const length = more === 0 ? first : numberIn(der.slice(at + 2, at + 2 + more));
    const from = at + 2 + more;
    at = from + length;
    if (more > 2 || Number.isNaN(length) || at > der.length) return [];
    parts.push(der.slice(from, at));
  }
  return parts;
}

function numberIn(bytes: string): number {
  return [...bytes].reduce((sum, byte) => sum * 256 + byte.charCodeAt(0), 0);
}

function decoded(base64: string): string {
  try {
    return atob(base64);
  } catch {
    return '';
  }
}
