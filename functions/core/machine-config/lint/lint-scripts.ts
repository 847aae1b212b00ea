import { decodeContents } from '../decode.ts';
import type { Warning } from '../disruption.ts';
import { type Facet, facetsOf } from '../facet.ts';
import { isObject, textsAt } from '../json.ts';
import type { MachineConfigContent } from '../machine-config.ts';
import { line } from './line.ts';
import type { LintContext } from './lint-context.ts';
import { unitText } from './unit-text.ts';

/** Folders whose files are run by existing programs. */
const runByOthers =
  /^\/etc\/(?:NetworkManager\/dispatcher\.d|cron\.(?:hourly|daily|weekly|monthly|d)|profile\.d|kubernetes\/(?:static-pod|manifests|credential-providers)|systemd\/system-(?:generators|sleep|shutdown)|cni|crio|containers\/oci\/hooks\.d)\/|\/oci\/hooks\.d\/|\/kubelet-plugins\//;

/** Most scripts checked in one MachineConfig: each is searched for in every unit. */
const mostScripts = 50;

/** Characters that the scripts of all MachineConfigs of one change, which share their `others`, are searched for in: a
 *  fifth of a second. It may bring a hundred of them with thousands of files; of what is left nothing is said. */
const searchedAtMost = 200_000_000;
const searched = new WeakMap<readonly MachineConfigContent[], number>();

/** Scripts that no unit, timer or other script names. */
export function lintScripts(
  config: MachineConfigContent,
  facets: readonly Facet[],
  { others = [], areMore = false }: LintContext,
): readonly Warning[] {
  const scripts = facets.filter((facet) => isScript(facet) && !runByOthers.test(facet.name)).slice(0, mostScripts);
  if (scripts.length === 0) return [];
  const all = [
    ...facets,
    ...others.filter((other) => other.name !== config.name).flatMap((other) => [...facetsOf(other).values()]),
  ];
  const texts = all.map((facet) => ({ key: facet.key, text: textOnce(facet) }));
  const length = texts.reduce((sum, { text }) => sum + text.length, 0) * scripts.length;
  const before = searched.get(others) ?? 0;
  if (before + length > searchedAtMost) return [];
  searched.set(others, before + length);
  return scripts
    .filter((script) => !texts.some(({ key, text }) => key !== script.key && text.includes(script.name)))
    .map((script) => ({
      code: 'script-not-run',
      text: `file ${line(script.name)} is a script, and no unit ${areMore ? 'of this change' : 'here'} runs it`,
      remedy: `${areMore ? 'If no other one does: add' : 'Add'} a unit whose ExecStart has the full path, and enable it`,
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

/** Every other MachineConfig of a change asks for it. */
function textOnce(facet: Facet): string {
  const text = texts.get(facet) ?? textOf(facet);
  texts.set(facet, text);
  return text;
}

const texts = new WeakMap<Facet, string>();

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
