/** As a kubelet sends it: the name stands in DER, in PEM, in base64. */
export function requestOf(node: string): string {
  const name = `system:node:${node}`;
  const der = `0\x82\x01\x02\x13${String.fromCharCode(name.length)}${name}0Y0\x13`;
  return btoa(`-----BEGIN CERTIFICATE REQUEST-----\n${btoa(der)}\n-----END CERTIFICATE REQUEST-----\n`);
}
