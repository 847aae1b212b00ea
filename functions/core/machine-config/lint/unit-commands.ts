import type { Deed } from './command-deeds.ts';
import { type Started, startedByWords } from './effective-commands.ts';
import { unconfinedType } from './selinux-deed.ts';
import { shellCommands } from './shell-commands.ts';

/** Most lines of one unit that are read, and most characters of one, its continuations included. */
export const unitLimits = { lines: 5_000, line: 16_384 } as const;

interface Setting {
  readonly key: string;
  readonly value: string;
  readonly line: number;
}

/** What a unit starts: every Exec line, as systemd splits it. */
export function startedByUnit(text: string): readonly Started[] {
  return settingsOf(text)
    .filter(({ key }) => /^Exec[A-Z]\w*$/.test(key))
    .flatMap(({ value, line }) => {
      const quoted = literally(value.replace(/^[-@:+!|]+/, ''));
      return shellCommands(quoted).flatMap(({ words }) => startedByWords(words, line));
    });
}

/** No shell: outside of quotes `|`, `>` and `&` are arguments like any other. */
function literally(value: string): string {
  let quote = '';
  let text = '';
  for (const char of value) {
    if (quote === '' && /[|&<>()`#]/.test(char)) text += '\\';
    if (char === quote) quote = '';
    else if (quote === '' && (char === '"' || char === "'")) quote = char;
    text += char;
  }
  return text;
}

/** What the unit's own settings do. */
export function deedsOfUnit(text: string): readonly Deed[] {
  return settingsOf(text).flatMap(({ key, value, line }): readonly Deed[] => {
    if (
      /^(?:Failure|Success|StartLimit|JobTimeout)Action$/.test(key) &&
      /^(?:reboot|poweroff|halt|kexec|soft-reboot)/.test(value)
    )
      return [{ code: 'reboot-by-script', does: `restarts or stops the node (${key}=${value.slice(0, 40)})`, line }];
    if (
      /^(?:Unit|Wants|Requires|BindsTo|OnFailure|OnSuccess|Upholds)$/.test(key) &&
      /(?<![\w-])(?:systemd-(?:reboot|poweroff|halt|kexec|soft-reboot)\.service|(?:reboot|poweroff|halt|kexec|soft-reboot)\.target)\b/.test(
        value,
      )
    )
      return [{ code: 'reboot-by-script', does: `restarts or stops the node (${key}=${value.slice(0, 40)})`, line }];
    if (key === 'SELinuxContext' && unconfinedType.test(value))
      return [{ code: 'selinux-weakened', does: 'runs without the protection of SELinux (SELinuxContext)', line }];
    return [];
  });
}

/** `Key=value` with lines that end in a backslash joined; comments and sections left out. */
function settingsOf(text: string): readonly Setting[] {
  const settings: Setting[] = [];
  let open: { value: string; line: number } | undefined;
  for (const [index, raw] of text.split('\n', unitLimits.lines).entries()) {
    const line = raw.trim().slice(0, unitLimits.line);
    if (line.startsWith('#') || line.startsWith(';')) continue;
    const joined: { value: string; line: number } = open ?? { value: '', line: index + 1 };
    if (joined.value.length < unitLimits.line) joined.value += line.endsWith('\\') ? `${line.slice(0, -1)} ` : line;
    open = line.endsWith('\\') ? joined : undefined;
    const at = joined.value.indexOf('=');
    if (open === undefined && at > 0)
      settings.push({
        key: joined.value.slice(0, at).trim(),
        value: joined.value.slice(at + 1).trim(),
        line: joined.line,
      });
  }
  return settings;
}
