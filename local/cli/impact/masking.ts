import { decodeContents } from '../../../functions/core/machine-config/decode.ts';
import { isObject } from '../../../functions/core/machine-config/json.ts';
import { maskLines } from '../../../functions/core/machine-config/mask.ts';
import { isSecretFile } from '../../../functions/core/machine-config/secret-file.ts';

/** Placeholder in a recording for what may be secret. */
export const leftOut = 'poolkeeper:left-out';

/** A part of a MachineConfig's spec without secrets: whatever the diff would mask is left out completely. */
export function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string') return isHarmless(value) ? value : leftOut;
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isObject(value)) return value;
  if (typeof value['path'] === 'string' && isObject(value['contents'])) return withoutFileSecrets(value);
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, /^password/i.test(key) ? leftOut : withoutSecrets(inner)]),
  );
}

/** An Ignition file: its content is examined decoded, as the node has it. */
function withoutFileSecrets(file: Readonly<Record<string, unknown>>): unknown {
  const decoded = decodeContents(file['contents']);
  const isKept =
    decoded.kind === 'text' && !isSecretFile(String(file['path']), decoded.text) && isHarmless(decoded.text);
  return isKept ? file : { ...file, contents: { source: leftOut } };
}

function isHarmless(text: string): boolean {
  const lines = text.split('\n');
  const shown = maskLines(text);
  return lines.length === shown.length && lines.every((line, index) => line === shown[index]);
}

/** Replaces placeholders by what Git has, so that unchanged parts do not look changed. What Git does not have stays a
 *  placeholder and counts as changed. */
export function asInGit(recorded: unknown, git: unknown): unknown {
  if (recorded === leftOut) return git === undefined ? recorded : git;
  if (Array.isArray(recorded))
    return recorded.map((each, index) => asInGit(each, counterpart(each, index, Array.isArray(git) ? git : [])));
  if (!isObject(recorded)) return recorded;
  const other = isObject(git) ? git : {};
  // The content of a file is left out as a whole, in whatever encoding.
  if (recorded['source'] === leftOut) return isObject(git) ? git : recorded;
  return Object.fromEntries(Object.entries(recorded).map(([key, inner]) => [key, asInGit(inner, other[key])]));
}

/** Files are matched by path, units and users by name. */
function counterpart(each: unknown, index: number, others: readonly unknown[]): unknown {
  if (!isObject(each)) return others[index];
  const key = ['path', 'name'].find((name) => typeof each[name] === 'string');
  return key === undefined ? others[index] : others.find((other) => isObject(other) && other[key] === each[key]);
}
