import { decodeContents } from '../decode.ts';
import type { Warning } from '../disruption.ts';
import { type Facet, facetsOf } from '../facet.ts';
import { isObject, textsAt } from '../json.ts';
import type { MachineConfigContent } from '../machine-config.ts';
import { line } from './line.ts';
import { unitText } from './unit-text.ts';

/** Folders whose files are run by existing programs. */
const runByOthers =
  /^\/etc\/(?:NetworkManager\/dispatcher\.d|cron\.(?:hourly|daily|weekly|monthly|d)|profile\.d|kubernetes\/(?:static-pod|manifests|credential-providers)|systemd\/system-(?:generators|sleep|shutdown)|cni|crio|containers\/oci\/hooks\.d)\/|\/oci\/hooks\.d\/|\/kubelet-plugins\//;

/** Most scripts checked in one MachineConfig: each is searched for in every unit. */
const mostScripts = 50;

/** Scripts that no unit, timer or other script names. */
export function lintScripts(
  config: MachineConfigContent,
  facets: readonly Facet[],
  others: readonly MachineConfigContent[],
): readonly Warning[] {
  const scripts = facets.filter((facet) => isScript(facet) && !runByOthers.test(facet.name)).slice(0, mostScripts);
  if (scripts.length === 0) return [];
  const all = [
    ...facets,
    ...others.filter((other) => other.name !== config.name).flatMap((other) => [...facetsOf(other).values()]),
  ];
  const texts = all.map((facet) => ({ key: facet.key, text: textOf(facet) }));
  return scripts
    .filter((script) => !texts.some(({ key, text }) => key !== script.key && text.includes(script.name)))
    .map((script) => ({
      code: 'script-not-run',
      text: `file ${line(script.name)} is a script, and no unit here runs it`,
      remedy: 'Add a unit whose ExecStart has the full path, and enable it',
    }));
}

function isScript({ kind, name, value }: Facet): boolean {
  if (kind !== 'file' || !isObject(value)) return false;
  const mode = value['mode'];
  const isExecutable = typeof mode === 'number' && (mode & 0o111) !== 0;
  if (!isExecutable && !/\.(?:sh|bash|py|pl)$/.test(name) && !/\/s?bin\//.test(name)) return false;
  const decoded = decodeContents(value['contents']);
  return decoded.kind === 'text' && (decoded.text.startsWith('#!') || isExecutable);
}

function textOf({ kind, value }: Facet): string {
  switch (kind) {
    case 'unit':
      return unitText(value);
    case 'file': {
      const decoded = decodeContents(isObject(value) ? value['contents'] : undefined);
      return decoded.kind === 'text' ? decoded.text : '';
    }
    case 'kernelArguments':
      return textsAt({ value }, 'value').join(' ');
    default:
      return '';
  }
}
