import type { Warning } from '../disruption.ts';

/** SELinux is taken away by what `text` says. */
export function selinuxWarning(text: string): Warning {
  return {
    code: 'selinux-weakened',
    text,
    remedy: 'Keep SELinux enforcing, which OpenShift requires; give the one program a policy of its own instead',
  };
}

/** Only the first boot can do it. Source: MCO reconcile.go. */
export function unsupported(what: string, why: string): Warning {
  return {
    code: 'unsupported-section',
    text: `${what} is not supported after the installation: ${why}, and the pool stops rendering or its nodes turn Degraded`,
    remedy: 'Take it out; provision new machines for what only the first boot can do',
  };
}

/** Something secret stands where many may read it. */
export function secretWarning(what: string): Warning {
  return {
    code: 'secret-in-git',
    text: `${what} looks like a secret, and whoever reads Git or MachineConfigs reads it`,
    remedy: 'Keep it out of MachineConfigs: they are not encrypted and are readable for many; rotate what was pushed',
  };
}
