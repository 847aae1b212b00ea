/** Which nodes a pool's NodeDegraded message names and what it says of each. A node may be listed twice (from its
 *  MachineConfigNode and from its annotation) and the count in the condition's reason may lag. Source:
 *  machine-config-operator pkg/controller/node/status.go. */
export function parseNodeDegraded(message: string): ReadonlyMap<string, string> {
  const reasons = new Map<string, string>();
  for (const [, node = '', literal = ''] of message.matchAll(/Node (\S+) is reporting: "((?:[^"\\]|\\.)*)"/gs)) {
    const reason = withoutPrefix(unquoteGo(literal), node);
    if (reason !== '' || !reasons.has(node)) reasons.set(node, reasons.get(node) || reason);
  }
  return reasons;
}

/** The MachineConfigNode says the same as the annotation, after these words. */
export function withoutPrefix(reason: string, node: string): string {
  const prefix = `Node ${node} upgrade failure.`;
  return (reason.startsWith(prefix) ? reason.slice(prefix.length) : reason).trim();
}

const named: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** Undoes Go's %q: backslash letters, \xNN, \ooo, \uNNNN and \UNNNNNNNN. What is no escape is left as it is. */
function unquoteGo(literal: string): string {
  return literal.replaceAll(
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|([\s\S]))/g,
    (_all, hex?: string, short?: string, long?: string, octal?: string, letter?: string) => {
      if (letter !== undefined) return named[letter] ?? letter;
      const code = octal === undefined ? Number.parseInt(hex ?? short ?? long ?? '0', 16) : Number.parseInt(octal, 8);
      return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
    },
  );
}
