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

/** A node asks in its own name to renew; the first time it asks through the bootstrapper, and its name stands in the
 *  request alone, as plain letters inside DER inside PEM. */
export function asksFor({ spec }: CertificateRequest, node: string): boolean {
  const name = `system:node:${node}`;
  if (spec.username === name) return true;
  return isBootstrap(spec.username) && subjectNames(spec.request, name);
}

export function isBootstrap(username: string): boolean {
  return /:node-bootstrapper$/.test(username);
}

function subjectNames(request: string, name: string): boolean {
  const body = decoded(request).replaceAll(/-----[^-]+-----|\s/g, '');
  const der = decoded(body);
  const at = der.indexOf(name);
  // DER puts the length of a string before it, so that a longer name is told from this one.
  return at > 0 && der.charCodeAt(at - 1) === name.length;
}

function decoded(base64: string): string {
  try {
    return atob(base64);
  } catch {
    return '';
  }
}
