/** A request as a kubelet sends it: PEM in base64, with DER in base64 in it. The subject has O system:nodes and the
 *  common names; key and signature are left out. */
export function requestOf(...nodes: readonly string[]): string {
  const names = nodes.map((node) => pair('\u0055\u0004\u0003', `system:node:${node}`));
  return requestWith([pair('\u0055\u0004\u000A', 'system:nodes'), ...names]);
}

/** @param subject sets of pairs in DER */
export function requestWith(subject: readonly string[], behind = ''): string {
  const info = der(0x30, der(0x02, '\0') + der(0x30, subject.join('')) + der(0x30, behind));
  const lines = btoa(der(0x30, info + der(0x30, '') + der(0x03, '')))
    .match(/.{1,64}/g)
    ?.join('\n');
  return btoa(`-----BEGIN CERTIFICATE REQUEST-----\n${lines}\n-----END CERTIFICATE REQUEST-----\n`);
}

export function pair(id: string, value: string): string {
  return der(0x31, der(0x30, der(0x06, id) + der(0x0c, value)));
}

function der(tag: number, content: string): string {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return String.fromCharCode(tag, ...size) + content;
}
