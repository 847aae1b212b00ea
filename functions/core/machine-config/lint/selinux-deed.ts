import type { Started } from './effective-commands.ts';
import { writtenBy } from './written-files.ts';

/** A type that the policy confines in nothing; a user or role of such a name is common. */
export const unconfinedType = /\bunconfined_(?:\w{1,60}_)?t\b|\bspc_t\b/;

/** How a command weakens SELinux; undefined if it does not. */
export function selinuxDeed(started: Started): string | undefined {
  return byTool(started) ?? byFile(started) ?? byKernelArgument(started);
}

function byTool({ program, args }: Started): string | undefined {
  const has = (pattern: RegExp) => args.some((arg) => pattern.test(arg));
  switch (program) {
    case 'setenforce':
      return has(/^(?:0|permissive)$/i) ? 'makes SELinux permissive (setenforce)' : undefined;
    case 'semanage':
      return bySemanage(args);
    case 'semodule':
      return has(/^(?:-d|--disable|-r|--remove)/) ? 'disables a module of the SELinux policy (semodule)' : undefined;
    case 'chcon':
    case 'runcon':
      return has(unconfinedType) ? `gives away the protection of SELinux (${program} unconfined)` : undefined;
    case 'umount':
      return has(/^\/sys\/fs\/selinux\/?$/) ? 'takes SELinux away (umount /sys/fs/selinux)' : undefined;
    case 'podman':
    case 'crun':
    case 'docker':
      return has(/label[=:]disable/) ? `runs a container without SELinux (${program} label=disable)` : undefined;
    default:
      return undefined;
  }
}

function bySemanage(args: readonly string[]): string | undefined {
  const [what = ''] = args.filter((arg) => !arg.startsWith('-'));
  const has = (pattern: RegExp) => args.some((arg) => pattern.test(arg));
  if (what === 'permissive' && has(/^(?:-a|--add|-[a-z]*a)$/)) return 'makes a domain permissive (semanage permissive)';
  if (what === 'module' && has(/^(?:-d|--disable|-r|--remove)/)) return 'disables a module of the SELinux policy';
  return has(unconfinedType) ? `gives away the protection of SELinux (semanage ${what})` : undefined;
}

/** The files that set the mode: of the running system, and of the next boot. */
function byFile(started: Started): string | undefined {
  const path = writtenBy(started).find((each) =>
    /^\/(?:sys\/fs\/selinux\/(?:enforce|disable)|selinux\/enforce|etc\/selinux(?:\/config)?|etc\/sysconfig\/selinux)\/?$/.test(
      each,
    ),
  );
  if (path === undefined) return undefined;
  const said = [...started.args, started.input];
  if (!path.startsWith('/etc/')) return said.some((each) => each.trim() === '1') ? undefined : `writes ${path}`;
  if (/^(?:chmod|touch)$/.test(started.program)) return undefined;
  // Of a substitution the last word is what is put there.
  const modes = said.flatMap((each) => each.match(/enforcing|permissive|disabled/gi) ?? []);
  return modes.at(-1)?.toLowerCase() === 'enforcing' ? undefined : `edits ${path}, which sets the mode of SELinux`;
}

/** `selinux=0` wherever it is written to: boot loader entries, defaults, the tools that change both. To look for it,
 *  or to take it away, is no harm. */
function byKernelArgument({ program, args, input, writesTo }: Started): string | undefined {
  if (['grep', 'egrep', 'test', '[', '[[', 'case', 'logger'].includes(program)) return undefined;
  if (program === 'echo' && writesTo.length === 0) return undefined;
  const said = program === 'sed' ? args.flatMap(putBy) : args;
  const isTold = [...said, ...(program === 'tee' ? [input] : [])].some(
    (arg) =>
      !/^--(?:delete|remove-args)/.test(arg) &&
      /(?:^|[\s"'=/])(?:selinux=0|enforcing=0|security=apparmor)(?:$|[\s"'/])/.test(arg),
  );
  return isTold ? `passes a kernel argument that disables SELinux (${program})` : undefined;
}

/** What the substitutions of a script put in the place of what they find; the whole of what is none. */
function putBy(arg: string): readonly string[] {
  const said: string[] = [];
  let rest = arg.replace(/^-[a-zA-Z]*e(?=s)/, '');
  while (/^s[^\w\s\\=;]/.test(rest)) {
    const separator = rest.charAt(1);
    const found = endOf(rest, 2, separator);
    const put = endOf(rest, found + 1, separator);
    const [flags] = /^[gpiIme\d]{0,9}\s{0,9}(?:[;\n]\s{0,9}|$)/.exec(rest.slice(put + 1)) ?? [];
    if (found < 0 || put < 0 || flags === undefined) return [arg];
    said.push(rest.slice(found + 1, put));
    rest = rest.slice(put + 1 + flags.length);
  }
  return [...said, rest];
}

/** Where the next one is that no backslash stands before; -1 if nowhere. */
function endOf(text: string, from: number, separator: string): number {
  for (let at = from; at < text.length; at += text.charAt(at) === '\\' ? 2 : 1)
    if (text.charAt(at) === separator) return at;
  return -1;
}
