import { decodeContents } from '../decode.ts';
import type { Warning } from '../disruption.ts';
import type { Facet } from '../facet.ts';
import { isObject } from '../json.ts';
import { type Deed, deedsOf } from './command-deeds.ts';
import { type Started, startedBy } from './effective-commands.ts';
import { line } from './line.ts';
import { selinuxWarning } from './shared-warnings.ts';
import { deedsOfUnit, startedByUnit } from './unit-commands.ts';
import { unitText } from './unit-text.ts';

/** Characters of one text that are looked at. */
const longestText = 256_000;

/** Most files and units of one MachineConfig that are read. */
const mostTexts = 500;

/** What the scripts and units do to a node behind the operator's back.
 *  @param isManaged whether a MachineConfig of the pool writes a path */
export function lintCommands(facets: readonly Facet[], isManaged: (path: string) => boolean): readonly Warning[] {
  const texts = facets.filter(({ kind }) => kind === 'file' || kind === 'unit').slice(0, mostTexts);
  return texts.flatMap((facet) => {
    const deeds = deedsIn(facet, (path) => path !== facet.name && isManaged(path));
    const first = new Map(deeds.toReversed().map((deed) => [`${deed.code} ${deed.does}`, deed]));
    return [...first.values()].toReversed().map((deed) => warningOf(facet, deed));
  });
}

function deedsIn(facet: Facet, isManaged: (path: string) => boolean): readonly Deed[] {
  const of = (started: readonly Started[]) => started.flatMap((each) => deedsOf(each, isManaged));
  if (facet.kind === 'unit') {
    const text = unitText(facet.value).slice(0, longestText);
    return [...of(startedByUnit(text)), ...deedsOfUnit(text)];
  }
  const decoded = decodeContents(isObject(facet.value) ? facet.value['contents'] : undefined);
  if (decoded.kind !== 'text') return [];
  const text = decoded.text.slice(0, longestText);
  // Units may be written as files too.
  if (/^\/etc\/systemd\/system\/.*\.(?:service|timer|target|conf)$/.test(facet.name))
    return [...of(startedByUnit(text)), ...deedsOfUnit(text)];
  switch (languageOf(facet, text)) {
    case 'shell':
      return of(startedBy(text));
    case 'other':
      return of(startedByLiterals(text));
    case 'none':
      return [];
    default:
      return [];
  }
}

function languageOf({ name, value }: Facet, text: string): 'shell' | 'other' | 'none' {
  const [shebang = ''] = /^#![^\n]{0,200}/.exec(text) ?? [];
  if (shebang !== '') return /\b(?:ba|da|k|z|a)?sh\b/.test(shebang) ? 'shell' : 'other';
  if (/\.(?:sh|bash)$/.test(name) || /^\/etc\/(?:profile\.d|NetworkManager\/dispatcher\.d)\//.test(name))
    return 'shell';
  if (/\.(?:py|pl|rb)$/.test(name)) return 'other';
  const mode = isObject(value) ? value['mode'] : undefined;
  return typeof mode === 'number' && (mode & 0o111) !== 0 ? 'shell' : 'none';
}

/** Of Python, Perl and others: every text in quotes, and those of one line together, may be a command. */
function startedByLiterals(text: string): readonly Started[] {
  return text.split('\n', 5_000).flatMap((each, index) => {
    const literals = literalsIn(each.slice(0, 4_096));
    if (/^\s*#/.test(each) || literals.length === 0) return [];
    const commands =
      literals.length === 1 ? literals : [literals.join(' '), ...literals.filter((one) => one.includes(' '))];
    return commands.flatMap((command) => startedBy(command).map((started) => ({ ...started, line: index + 1 })));
  });
}

function literalsIn(text: string): readonly string[] {
  return (text.match(/"[^"]*"|'[^']*'/g) ?? []).map((literal) => literal.slice(1, -1));
}

function warningOf(facet: Facet, { code, does, line: at }: Deed): Warning {
  const text = `${facet.kind} ${line(facet.name)}, line ${at}: ${line(does)}`;
  switch (code) {
    case 'selinux-weakened':
      return selinuxWarning(text);
    case 'package-installed':
      return {
        code,
        text,
        remedy:
          'Use spec.extensions, or layer the image (MachineOSConfig): what is installed by hand the daemon refuses',
      };
    case 'os-changed':
      return {
        code,
        text,
        remedy: 'Use spec.kernelArguments or spec.osImageURL: the daemon finds another OS than it set, and is Degraded',
      };
    case 'reboot-by-script':
      return {
        code,
        text,
        remedy: 'Leave reboots to the operator: this one is not drained, ignores maxUnavailable and a paused pool',
      };
    case 'operator-file-edited':
      return {
        code,
        text,
        remedy:
          'Set it in a MachineConfig or KubeletConfig: the daemon sees another content than it wrote, and is Degraded',
      };
    default:
      return code satisfies never;
  }
}
