import type { Warning } from '../disruption.ts';
import { type Facet, facetsOf } from '../facet.ts';
import { isObject, textsAt } from '../json.ts';
import type { MachineConfigContent } from '../machine-config.ts';
import { type ChangeTexts, hasText } from './change-texts.ts';
import { line } from './line.ts';
import type { LintContext } from './lint-context.ts';
import { notLookedAt } from './shared-warnings.ts';

/** Folders whose files are run by existing programs. */
const runByOthers =
  /^\/etc\/(?:NetworkManager\/dispatcher\.d|cron\.(?:hourly|daily|weekly|monthly|d)|profile\.d|kubernetes\/(?:static-pod|manifests|credential-providers)|systemd\/system-(?:generators|sleep|shutdown)|cni|crio|containers\/oci\/hooks\.d)\/|\/oci\/hooks\.d\/|\/kubelet-plugins\//;

/** Most scripts checked in one MachineConfig: each is searched for in every unit. */
const mostScripts = 50;

/** What a text costs to search besides its characters. */
const searchedBesides = 20;

/** Scripts that no unit, timer or other script names. */
export function lintScripts(
  config: MachineConfigContent,
  facets: readonly Facet[],
  { others = [], areMore = false, texts }: LintContext & { readonly texts: ChangeTexts },
): readonly Warning[] {
  const candidates = facets.filter((facet) => isScript(facet, texts) && !runByOthers.test(facet.name));
  const scripts = candidates.slice(0, mostScripts);
  if (scripts.length === 0) return [];
  // What runs them may be in what was not read.
  if (!texts.isWhole()) return [];
  const all = [
    ...facets,
    ...others.filter((other) => other.name !== config.name).flatMap((other) => [...facetsOf(other).values()]),
  ].map((facet) => ({ key: facet.key, text: searchedText(facet, texts) }));
  const characters = all.reduce((sum, { text }) => sum + text.length + searchedBesides, 0) * scripts.length;
  if (!texts.maySearch(characters)) return [notSearched(candidates.length)];
  const notRun = scripts
    .filter((script) => !all.some(({ key, text }) => key !== script.key && text.includes(script.name)))
    .map((script) => ({
      code: 'script-not-run',
      text: `file ${line(script.name)} is a script, and no unit ${areMore ? 'of this change' : 'here'} runs it`,
      remedy: `${areMore ? 'If no other one does: add' : 'Add'} a unit whose ExecStart has the full path, and enable it`,
    }));
  return candidates.length === scripts.length ? notRun : [...notRun, moreScripts(candidates.length - scripts.length)];
}

function moreScripts(count: number): Warning {
  return notLookedAt(`whether anything runs ${count} more of its scripts was not looked at`);
}

function notSearched(count: number): Warning {
  return notLookedAt(`whether anything runs its ${count} script${count === 1 ? '' : 's'} was not looked at`);
}

function isScript(facet: Facet, texts: ChangeTexts): boolean {
  const { kind, name, value } = facet;
  if (kind !== 'file' || !isObject(value)) return false;
  const mode = value['mode'];
  const isExecutable = typeof mode === 'number' && (mode & 0o111) !== 0;
  if (!isExecutable && !/\.(?:sh|bash|py|pl)$/.test(name) && !/\/s?bin\//.test(name)) return false;
  const read = texts.of(facet);
  return read.kind === 'text' && (read.text.startsWith('#!') || isExecutable);
}

function searchedText(facet: Facet, texts: ChangeTexts): string {
  if (facet.kind === 'kernelArguments') return textsAt(facet, 'value').join(' ');
  const read = hasText(facet) ? texts.of(facet) : undefined;
  return read?.kind === 'text' ? read.text : '';
}
