import type { Warning } from '../disruption.ts';
import { isSecretFile } from '../secret-file.ts';
import { secretWarning, selinuxWarning } from './shared-warnings.ts';

/** The content of a file or unit: SELinux disabled, or secrets. `name` is its path or unit name. */
export function lintText(what: string, name: string, text: string): readonly Warning[] {
  const found: Warning[] = [];
  if (weakens(name, text)) found.push(selinuxWarning(`${what} disables SELinux`));
  if (
    text !== '' &&
    isSecretFile(name, text.slice(0, 256_000)) &&
    /[:=$]|-----BEGIN|^\d{1,10}[ \t]+\w{1,20}[ \t]+\S/m.test(text)
  )
    found.push(secretWarning(what));
  if (/\/tmpfiles\.d\//.test(name) && /^[fFwLC][^#\n]{0,200}\/run\/machine-config-daemon-force\b/m.test(text))
    found.push({
      code: 'path-not-allowed',
      text: `${what} makes /run/machine-config-daemon-force at each boot: the daemon skips its checks`,
      remedy: 'Create it by hand on the one node that needs it',
    });
  return found;
}

/** Settings that are no commands: the mode itself, what CRI-O and Podman do with labels, and lists of files to write
 *  at boot. Commands of scripts and units are read by lintCommands. */
function weakens(name: string, text: string): boolean {
  if (/^[ \t]*SELINUX[ \t]*=[ \t]*["']?(?:permissive|disabled)/im.test(text)) return true;
  if (/^\/etc\/(?:crio\/|containers\/containers\.conf)/.test(name))
    return /^[ \t]*(?:selinux|label)[ \t]*=[ \t]*false/m.test(text);
  if (/\/(?:tmpfiles|udev|cron|modprobe|kargs)|\/boot\/|\/default\/grub/.test(name))
    return /^[^#\n]*(?:\bsetenforce[ \t]+(?:0|permissive)\b|\/sys\/fs\/selinux\/enforce\b|\b(?:selinux|enforcing)=0\b)/im.test(
      text,
    );
  if (/^\/etc\/containers\/systemd\//.test(name))
    return /^[ \t]*SecurityLabelDisable[ \t]*=[ \t]*(?:true|yes|on|1)\b|label[=:]disable\b/im.test(text);
  return false;
}
