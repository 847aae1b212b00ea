import { redact } from '../../text/safe-text.ts';
import { isLogHead } from './log-lines.ts';

/** What somebody changed on the system that a node has booted. Updates rebase it with these on top, and fail where they
 *  do not fit. */
export interface BootedSystem {
  /** The image of the deployment, or the branch where it has none. */
  readonly image: string;
  /** Packages from repositories, without those that the MCO itself brings (extensions, kernels). */
  readonly layered: readonly string[];
  /** Packages from files. */
  readonly local: readonly string[];
  /** Packages of the image in another version: a hotfix. */
  readonly replaced: readonly string[];
  readonly removed: readonly string[];
  /** `hotfix`, `development`, `transient`: /usr can be written; empty where it cannot. */
  readonly unlocked: string;
}

/** Shown of one list of packages. */
const packagesShown = 20;
const packageName = /^[A-Za-z0-9][\w.+:~^-]{0,127}$/;

/** Packages that the MCO installs for `spec.extensions`. Source: MCO pkg/controller/common SupportedExtensions of the
 *  releases 4.12 to 4.23. */
const ofExtensions = new Set(
  `pacemaker pcs fence-agents-all NetworkManager-libreswan libreswan openvswitch3.5-ipsec usbguard krb5-workstation
libkadm5 kernel-devel kernel-headers kata-containers sysstat crun-wasm`.split(/\s+/),
);
/** The kernels that it installs for `spec.kernelType`, and those that it removes for them. Source: MCO
 *  pkg/daemon/update.go switchKernel. */
const otherKernel = /^kernel-(?:rt|64k)-/;
const usualKernel = /^kernel(?:-core|-modules(?:-core|-extra)?)?$/;

/** A line of a deployment: one of its fields, or more words of the one above it. A list of packages is wrapped at 64
 *  columns. Source: rpm-ostree src/app/rpmostree-builtin-status.cxx print_packages. */
const ofDeployment = /^\s+\w+: |^\s{6,}\S/;
const field = /^\s+(?<key>\w+): (?<value>.*)$/;

/** The booted deployment in the start of a config daemon's log, where the daemon writes what `rpm-ostree status` says.
 *  Undefined: it is not there. Source: MCO pkg/daemon/daemon.go LogSystemData; rpm-ostree
 *  src/app/rpmostree-builtin-status.cxx. */
export function bootedSystem(log: string): BootedSystem | undefined {
  const lines = statusLines(log.split('\n'));
  const start = lines.findIndex((line) => /^\s*[*●] /.test(line));
  if (start < 0) return undefined;
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => !ofDeployment.test(line));
  if (end < 0) return undefined;
  const fields = fieldsOf(rest.slice(0, end));
  const said = (key: string) => fields.get(key) ?? '';
  const requested = packages(said('LayeredPackages'));
  // Their versions stand behind them.
  const removed = packages(said('RemovedBasePackages')).filter((word) => /^[a-z]/i.test(word));
  const hasOtherKernel = requested.some((name) => otherKernel.test(name));
  return {
    image: redact((lines[start] ?? '').replace(/^\s*[*●] /, '').trim()).slice(0, 400),
    layered: requested.filter((name) => !ofExtensions.has(name) && !otherKernel.test(name)),
    local: packages(said('LocalPackages')),
    replaced: replacedOf(said('ReplacedBasePackages')),
    removed: removed.filter((name) => !(hasOtherKernel && usualKernel.test(name))),
    unlocked: /^[a-z]{1,20}$/.exec(said('Unlocked'))?.[0] ?? '',
  };
}

export function isChanged({ layered, local, replaced, removed, unlocked }: BootedSystem): boolean {
  return layered.length + local.length + replaced.length + removed.length > 0 || unlocked !== '';
}

/** `layered strace; replaced kernel-core`, for people. */
export function changesText({ layered, local, replaced, removed, unlocked }: BootedSystem): string {
  const parts = [
    ['layered', layered],
    ['installed from files', local],
    ['replaced', replaced],
    ['removed', removed],
  ] as const;
  return [
    ...parts.filter(([, names]) => names.length > 0).map(([what, names]) => `${what} ${shown(names)}`),
    ...(unlocked === '' ? [] : [`/usr unlocked (${unlocked})`]),
  ].join('; ');
}

/** The lines of the message that is a status, up to the next message. */
function statusLines(lines: readonly string[]): readonly string[] {
  const start = lines.findIndex((line) => isLogHead(line) && /\] State: /.test(line));
  if (start < 0) return [];
  const rest = lines.slice(start + 1);
  const end = rest.findIndex(isLogHead);
  // Cut off by the limit of the read: what it says last may be half of it.
  return end < 0 ? rest.slice(0, -1) : [...rest.slice(0, end), ''];
}

function fieldsOf(lines: readonly string[]): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  let last = '';
  for (const line of lines) {
    const { key = last, value = line } = field.exec(line)?.groups ?? {};
    fields.set(key, `${key === last ? (fields.get(key) ?? '') : ''} ${value}`.trim());
    last = key;
  }
  return fields;
}

/** Names with a plus stand in quotes. */
function packages(value: string): readonly string[] {
  return value.split(/[\s,']+/).filter((word) => packageName.test(word));
}

/** `a b 1.0 -> 2.0, c 3 -> 4`: the names, without the versions. One by another, `c-3.x86_64 -> d-4.x86_64`: the one
 *  that is gone. */
function replacedOf(value: string): readonly string[] {
  return value.split(', ').flatMap((part) => {
    const words = part.split(' ');
    const arrow = words.indexOf('->');
    return packages(words.slice(0, arrow < 0 ? undefined : Math.max(1, arrow - 1)).join(' '));
  });
}

function shown(names: readonly string[]): string {
  const more = names.length - packagesShown;
  return more <= 0 ? names.join(', ') : `${names.slice(0, packagesShown).join(', ')} and ${more} more`;
}
