import type { Warning } from '../disruption.ts';

/** `text` disables SELinux. */
export function selinuxWarning(text: string): Warning {
  return {
    code: 'selinux-weakened',
    text,
    remedy: 'Keep SELinux enforcing, which OpenShift requires; give the one program its own policy instead',
  };
}

/** Only the first boot can apply it. Source: MCO reconcile.go. */
export function unsupported(what: string, why: string): Warning {
  return {
    code: 'unsupported-section',
    text: `${what} is not supported after the installation: ${why}, and the pool stops rendering or its nodes become Degraded`,
    remedy: 'Remove it; provision new machines for what only the first boot can do',
  };
}

/** A secret in a place that many may read. */
export function secretWarning(what: string): Warning {
  return {
    code: 'secret-in-git',
    text: `${what} looks like a secret, and everyone who can read Git or MachineConfigs can read it`,
    remedy: 'Keep it out of MachineConfigs: they are not encrypted and widely readable; rotate what was pushed',
  };
}

/** What nobody was warned of, because the change is larger than what is looked at. */
export function notLookedAt(text: string): Warning {
  return { code: 'not-looked-at', text, remedy: 'Look at it yourself, or split the change' };
}
