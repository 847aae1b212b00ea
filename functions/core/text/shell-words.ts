import { safeLine } from './safe-text.ts';

/** One argument of a command that people will paste: names come from the cluster, and a pasted command must stay one
 *  command. */
function argument(value: string): string {
  return /^[A-Za-z0-9._/:=@%+,-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}

export function command(...words: readonly string[]): string {
  return words.map(argument).join(' ');
}

/** A command of ours, which the PATH of whoever types it leads to. Not by `npx`, which runs what the folder declares
 *  under our name, as a clone of somebody's repository may, or what the public registry has. */
export function poolkeeperCommand(...words: readonly string[]): string {
  return command('poolkeeper', ...words);
}

/** A command as every surface prints it: as it is, on one line. Undefined where a text of others in it would be cleaned
 *  or masked, or would end the code span of a message: the quotes around that text could go with it, and a shell would
 *  run what stands between them. */
export function asPrinted(command: string): string | undefined {
  return command.includes('`') || safeLine(command, command.length) !== command ? undefined : command;
}

interface Patched {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string | undefined;
}

/** A merge patch for `oc patch`. */
export function mergePatch(target: Patched, patch: Readonly<Record<string, unknown>>): string {
  return patched(target, 'merge', patch);
}

/** The same, by steps that the API server takes together or not at all. */
export function jsonPatch(target: Patched, steps: readonly object[]): string {
  return patched(target, 'json', steps);
}

function patched({ kind, name, namespace = '' }: Patched, type: 'merge' | 'json', patch: object): string {
  const scope = namespace === '' ? [] : ['-n', namespace];
  return command('oc', ...scope, 'patch', kind, name, '--type', type, '-p', JSON.stringify(patch));
}
