import { oncePer } from '../../text/once-per.ts';
import type { Warning } from '../disruption.ts';
import { type Facet, facetKey, facetsOf } from '../facet.ts';
import type { MachineConfigContent } from '../machine-config.ts';
import { type ChangeTexts, changeTexts } from './change-texts.ts';
import { line } from './line.ts';
import { lintCommands } from './lint-commands.ts';
import type { LintContext } from './lint-context.ts';
import { lintDuplicates } from './lint-duplicates.ts';
import { lintFields } from './lint-fields.ts';
import { lintFile } from './lint-file.ts';
import { lintIgnition } from './lint-ignition.ts';
import { lintName } from './lint-name.ts';
import { lintScripts } from './lint-scripts.ts';
import { lintSections } from './lint-sections.ts';
import { lintUnit } from './lint-unit.ts';
import { lintUnread } from './lint-unread.ts';
import { lintUser } from './lint-user.ts';

/** Most warnings of one code for one MachineConfig; the rest are counted. */
const mostOfACode = 5;

/** Warnings for people before a MachineConfig lands. They never affect a pause. */
export function lintMachineConfig(config: MachineConfigContent, context: LintContext = {}): readonly Warning[] {
  const facets = [...facetsOf(config).values()];
  const { texts = changeTexts() } = context;
  texts.read(facets);
  const found = [
    ...lintName(config),
    ...lintIgnition(config),
    ...lintFields(facets),
    ...lintSections(facets),
    ...facets.flatMap((facet) => lintFacet(facet, texts)),
    ...lintDuplicates(config),
    ...lintScripts(config, facets, { ...context, texts }),
    ...lintCommands(facets, texts, writtenBy(facetsOf(config), context.others ?? nobody)),
    ...lintUnread(facets, texts),
  ];
  return bounded(found).map((warning) => ({ ...warning, text: `MachineConfig ${line(config.name)}: ${warning.text}` }));
}

/** Whether one of these MachineConfigs writes a path. Few commands name one, and to list what hundreds of them write
 *  takes half of a prediction: it is done once for a change. */
function writtenBy(
  facets: ReadonlyMap<string, Facet>,
  others: readonly MachineConfigContent[],
): (path: string) => boolean {
  return (path) => facets.has(facetKey('file', path)) || pathsOf(others).has(path);
}

const nobody: readonly MachineConfigContent[] = [];

const pathsOf = oncePer((configs: readonly MachineConfigContent[]): ReadonlySet<string> => {
  const files = configs.flatMap((each) => [...facetsOf(each).values()]).filter(({ kind }) => kind === 'file');
  return new Set(files.map(({ name }) => name));
}, new WeakMap());

function lintFacet(facet: Facet, texts: ChangeTexts): readonly Warning[] {
  switch (facet.kind) {
    case 'file':
      return lintFile(facet, texts);
    case 'unit':
      return lintUnit(facet, texts);
    case 'user':
      return lintUser(facet);
    default:
      return [];
  }
}

function bounded(warnings: readonly Warning[]): readonly Warning[] {
  const byCode = Map.groupBy(warnings, ({ code }) => code);
  return [...byCode.values()].flatMap((each) => {
    const [first] = each;
    if (first === undefined || each.length <= mostOfACode) return each;
    const more = { ...first, text: `${each.length - mostOfACode} more warnings of this kind: ${first.code}` };
    return [...each.slice(0, mostOfACode), more];
  });
}
