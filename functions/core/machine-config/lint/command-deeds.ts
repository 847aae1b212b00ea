import { unique } from '../../text/unique.ts';
import type { Started } from './effective-commands.ts';
import { isOwned, isOwnedFolder } from './owned-paths.ts';
import { selinuxDeed } from './selinux-deed.ts';
import { writtenBy } from './written-files.ts';

/** What a command does that people should know before the nodes have it. */
export interface Deed {
  readonly code: 'selinux-weakened' | 'package-installed' | 'os-changed' | 'reboot-by-script' | 'operator-file-edited';
  /** `turns SELinux to permissive (setenforce)`: follows the name of the script. */
  readonly does: string;
  readonly line: number;
  /** It is one only if a MachineConfig of the pool sets this file. */
  readonly ifSet?: string | undefined;
}

export function deedsOf(started: Started): readonly Deed[] {
  const { line } = started;
  const weakened = selinuxDeed(started);
  const os = osDeed(started);
  const reboots = rebootDeed(started);
  return [
    ...(weakened === undefined ? [] : [{ code: 'selinux-weakened' as const, does: weakened, line }]),
    ...(os === undefined ? [] : [{ ...os, line }]),
    ...(reboots === undefined ? [] : [{ code: 'reboot-by-script' as const, does: reboots, line }]),
    ...editsOf(started),
  ];
}

function editsOf(started: Started): readonly Deed[] {
  const { program, line } = started;
  const code = 'operator-file-edited';
  return unique(writtenBy(started)).map((path): Deed => {
    if (isOwned(path) || (program === 'rm' && isOwnedFolder(path)))
      return { code, does: `writes ${path}, which the Machine Config Operator owns`, line };
    return { code, does: `writes ${path}, which a MachineConfig sets too`, line, ifSet: path };
  });
}

const packageVerbs: Readonly<Record<string, RegExp>> = {
  'rpm-ostree': /^(?:install|override|uninstall|usroverlay|apply-live|refresh-md)$/,
  bootc: /^(?:usr-overlay|install)$/,
  pip: /^install$/,
  dnf: /^(?:(?:local|group|re)?install|upgrade|update|remove|erase|swap|downgrade|distro-sync|autoremove|builddep|module)$/,
};

const osVerbs: Readonly<Record<string, RegExp>> = {
  'rpm-ostree': /^(?:rebase|upgrade|update|deploy|rollback|kargs|initramfs|initramfs-etc|reset)$/,
  bootc: /^(?:switch|upgrade|update|rollback|edit)$/,
  ostree: /^(?:deploy|undeploy|unlock|upgrade|switch|pull|rebase|kargs)$/,
  grubby: /^--(?:args|remove-args|update-kernel|set-default)(?:=|$)/,
};

function osDeed({ program, args }: Started): Pick<Deed, 'code' | 'does'> | undefined {
  const name = ['yum', 'microdnf', 'dnf5', 'dnf-3'].includes(program) ? 'dnf' : program.replace(/^pip[\d.]+$/, 'pip');
  const verbs = Object.hasOwn(packageVerbs, name) ? packageVerbs[name] : undefined;
  const words = program === 'grubby' ? args : args.filter((arg) => !arg.startsWith('-')).slice(0, 3);
  const installs = verbs === undefined ? undefined : words.find((word) => verbs.test(word));
  if (installs !== undefined)
    return { code: 'package-installed', does: `changes packages on the node (${program} ${installs})` };
  if (program === 'rpm' && !args.includes('--test') && args.some(isRpmChange))
    return { code: 'package-installed', does: 'changes packages on the node (rpm)' };
  const changes = Object.hasOwn(osVerbs, program) ? osVerbs[program] : undefined;
  const verb = changes === undefined ? undefined : words.find((word) => changes.test(word));
  if (verb === undefined || (program === 'rpm-ostree' && verb === 'kargs' && !args.some(isKargsChange)))
    return undefined;
  return { code: 'os-changed', does: `changes the OS of the node (${program} ${verb.replace(/=.*/s, '')})` };
}

/** `-q`, `-V` and `--import` change nothing, nor does anything with `--test`. */
function isRpmChange(arg: string): boolean {
  if (arg.startsWith('--')) return /^--(?:install|upgrade|freshen|erase|reinstall)$/.test(arg);
  return arg.length < 20 && /^-[a-zA-Z]/.test(arg) && /[iUFe]/.test(arg) && !/[qVK]/.test(arg);
}

function isKargsChange(arg: string): boolean {
  return /^--(?:append|replace|delete|editor)/.test(arg);
}

const stopping = /^(?:reboot|poweroff|halt|kexec|soft-reboot|rescue|emergency)(?:\.target)?$/;

/** Of these programs the arguments tell whether the node goes down: `never` by one of them, or `only` with one. */
const stoppers: Readonly<Record<string, { readonly never?: RegExp; readonly only?: RegExp }>> = {
  reboot: { never: /^(?:--help|-w|--wtmp-only)$/ },
  poweroff: { never: /^(?:--help|-w|--wtmp-only)$/ },
  halt: { never: /^(?:--help|-w|--wtmp-only)$/ },
  shutdown: { never: /^(?:-c|-k|--show|--help)$/ },
  init: { only: /^[016sS]$/ },
  telinit: { only: /^[016sS]$/ },
  kexec: { only: /^(?:-e|--exec|-f|--force)$/ },
  'rpm-ostree': { only: /^(?:-r|--reboot)$/ },
  bootc: { only: /^--apply$/ },
  busctl: { only: /(?:^|\.)(?:Reboot|PowerOff|Halt|KExec|SoftReboot)$/ },
  'dbus-send': { only: /(?:^|\.)(?:Reboot|PowerOff|Halt|KExec|SoftReboot)$/ },
  gdbus: { only: /(?:^|\.)(?:Reboot|PowerOff|Halt|KExec|SoftReboot)$/ },
};

function rebootDeed(started: Started): string | undefined {
  const { program, args } = started;
  if (program === 'systemctl' || program === 'loginctl') {
    const words = args.filter((arg) => !arg.startsWith('-'));
    return stopsBySystemctl(words) ? `restarts or stops the node (${program} ${words[0] ?? ''})` : undefined;
  }
  const stopper = Object.hasOwn(stoppers, program) ? stoppers[program] : undefined;
  if (stopper === undefined) return bySysrq(started);
  const { never, only } = stopper;
  if (never !== undefined && args.some((arg) => never.test(arg))) return undefined;
  if (only !== undefined && !args.some((arg) => only.test(arg))) return undefined;
  return `restarts or stops the node (${program})`;
}

function bySysrq({ program, args, input, writesTo }: Started): string | undefined {
  const isWritten = [...writesTo, ...(program === 'tee' ? args : [])].includes('/proc/sysrq-trigger');
  const said = program === 'tee' ? [input.trim()] : args;
  return isWritten && said.some((each) => /^[bco]$/.test(each)) ? 'restarts the node (/proc/sysrq-trigger)' : undefined;
}

function stopsBySystemctl([verb = '', unit = '']: readonly string[]): boolean {
  if (['start', 'isolate', 'restart', 'enable'].includes(verb)) {
    const isTarget = /\.target$/.test(unit) && stopping.test(unit);
    return isTarget || /^systemd-(?:reboot|poweroff|halt|kexec|soft-reboot)\.service$/.test(unit);
  }
  return stopping.test(verb);
}
