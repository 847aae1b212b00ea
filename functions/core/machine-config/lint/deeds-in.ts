import type { Facet } from '../facet.ts';
import { isObject } from '../json.ts';
import { type Deed, deedsOf } from './command-deeds.ts';
import { type Started, startedBy, startedByCommands } from './effective-commands.ts';
import { commandsOfLiterals } from './literals.ts';
import { readShell } from './shell-commands.ts';
import { deedsOfUnit, startedByUnit, unitLimits } from './unit-commands.ts';

export type { Deed } from './command-deeds.ts';

/** Characters of one text that are looked at for commands. */
const longestOfCommands = 256_000;

/** What the commands of a text do, each once. */
export interface DeedsRead {
  readonly deeds: readonly Deed[];
  /** Not all of its commands were looked at. */
  readonly isCut: boolean;
}

export const noDeeds: DeedsRead = { deeds: [], isCut: false };

export function deedsIn(facet: Facet, whole: string): DeedsRead {
  const text = whole.slice(0, longestOfCommands);
  const language = languageOf(facet, text);
  if (language === 'none') return noDeeds;
  const { commands, isCut } = language === 'shell' ? readShell(text) : { commands: [], isCut: false };
  const all = language === 'shell' ? startedByCommands(commands).flatMap(deedsOf) : otherDeedsIn(language, text);
  const first = new Map(all.toReversed().map((deed) => [`${deed.code} ${deed.does}`, deed]));
  return {
    deeds: [...first.values()].toReversed(),
    isCut: whole.length > longestOfCommands || isCut || areLinesCut(language, text),
  };
}

function otherDeedsIn(language: 'unit' | 'other', text: string): readonly Deed[] {
  if (language === 'other') return startedByLiterals(text).flatMap(deedsOf);
  return [...startedByUnit(text).flatMap(deedsOf), ...deedsOfUnit(text)];
}

type Language = 'unit' | 'shell' | 'other' | 'none';

/** How the commands of a text are written; `none`: it has none. */
function languageOf({ kind, name, value }: Facet, text: string): Language {
  // Units may be written as files too.
  if (kind === 'unit' || /^\/etc\/systemd\/system\/.*\.(?:service|timer|target|conf)$/.test(name)) return 'unit';
  const [shebang = ''] = /^#![^\n]{0,200}/.exec(text) ?? [];
  if (shebang !== '') return /\b(?:ba|da|k|z|a)?sh\b/.test(shebang) ? 'shell' : 'other';
  if (/\.(?:sh|bash)$/.test(name) || /^\/etc\/(?:profile\.d|NetworkManager\/dispatcher\.d)\//.test(name))
    return 'shell';
  if (/\.(?:py|pl|rb)$/.test(name)) return 'other';
  const mode = isObject(value) ? value['mode'] : undefined;
  return typeof mode === 'number' && (mode & 0o111) !== 0 ? 'shell' : 'none';
}

/** Of Python, Perl and others: most lines that are read, and most characters of one. */
const literalLimits = { lines: 5_000, line: 4_096 } as const;

/** Not all of its lines are read to their end. */
function areLinesCut(language: Language, text: string): boolean {
  const limits = { unit: unitLimits, other: literalLimits, shell: undefined, none: undefined }[language];
  if (limits === undefined) return false;
  const lines = text.split('\n');
  return lines.some((each, at) => each.length > limits.line || (at >= limits.lines && each.trim() !== ''));
}

/** Of Python, Perl and others. */
function startedByLiterals(text: string): readonly Started[] {
  return text.split('\n', literalLimits.lines).flatMap((each, index) => {
    if (/^\s*#/.test(each)) return [];
    return commandsOfLiterals(each.slice(0, literalLimits.line)).flatMap((command) =>
      startedBy(command).map((started) => ({ ...started, line: index + 1 })),
    );
  });
}
