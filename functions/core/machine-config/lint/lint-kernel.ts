import type { Warning } from '../disruption.ts';
import { line } from './line.ts';
import { selinuxWarning } from './shared-warnings.ts';

/** A kernel type that its nodes may not have, or not together with these extensions. */
export function lintKernel(type: string, extensions: readonly string[]): readonly Warning[] {
  if (!['realtime', '64k-pages'].includes(type))
    return [
      {
        code: 'kernel-type',
        text: `kernelType ${line(type)} is unknown: the pool would not render`,
        remedy: 'Use default, realtime or 64k-pages',
      },
    ];
  const why = type === 'realtime' ? 'exists for x86_64 only' : 'exists for aarch64 only';
  const clash = extensions.includes('kernel-devel')
    ? [
        {
          code: 'kernel-type',
          text: `kernelType ${type} cannot be installed together with extension kernel-devel`,
          remedy: 'Leave one of them out',
        },
      ]
    : [];
  return [
    {
      code: 'kernel-type',
      text: `kernelType ${type} ${why}; a node of another architecture becomes Degraded`,
      remedy: 'Check the architecture of every node of the pool',
    },
    ...clash,
  ];
}

/** Kernel arguments that disable SELinux, or several in one entry. Source: MCO pkg/daemon/update.go,
 *  parseKernelArguments, which splits them. */
export function lintKernelArguments(args: readonly string[]): readonly Warning[] {
  return [
    ...args
      .flatMap((each) => each.trim().split(/\s+/))
      .filter((each) => /^(?:selinux=0|enforcing=0|security=(?!selinux))/.test(each))
      .map((each) => selinuxWarning(`kernel argument ${line(each)} disables SELinux`)),
    ...args
      .filter((each) => /\s/.test(each.trim()))
      .map((each) => ({
        code: 'kernel-argument-space',
        text: `one entry has several kernel arguments: ${/=/.test(each) ? line(each.split('=')[0] ?? '') : line(each)} ...`,
        remedy: 'Write one argument per entry: before OpenShift 4.12 the node verifies an entry as a whole',
      })),
  ];
}
