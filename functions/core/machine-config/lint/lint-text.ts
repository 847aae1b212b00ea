import type { Warning } from '../disruption.ts';
import { isSecretFile } from '../mask.ts';
import { secretWarning, selinuxWarning } from './shared-warnings.ts';

/** The content of a file or unit: SELinux disabled, or secrets. `name` is its path or unit name. */
export function lintText(what: string, name: string, text: string): readonly Warning[] {
  const found: Warning[] = [];
  if (/^\s*SELINUX\s*=\s*(?:permissive|disabled)/m.test(text) || /\bsetenforce\s+(?:0|permissive)\b/i.test(text))
    found.push(selinuxWarning(`${what} disables SELinux`));
  if (text !== '' && isSecretFile(name, text.slice(0, 256_000)) && /[:=$]|-----BEGIN/.test(text))
    found.push(secretWarning(what));
  return found;
}
