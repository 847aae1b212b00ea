/** One argument of a command that people will paste: names come from the cluster, and a pasted command must stay one
 *  command. */
function argument(value: string): string {
  return /^[A-Za-z0-9._/:=@%+,-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}

export function command(...words: readonly string[]): string {
  return words.map(argument).join(' ');
}

/** A merge patch for `oc patch`. */
export function mergePatch(
  target: { readonly kind: string; readonly name: string; readonly namespace?: string | undefined },
  patch: Readonly<Record<string, unknown>>,
): string {
  const scope = target.namespace === undefined || target.namespace === '' ? [] : ['-n', target.namespace];
  return command('oc', ...scope, 'patch', target.kind, target.name, '--type', 'merge', '-p', JSON.stringify(patch));
}
