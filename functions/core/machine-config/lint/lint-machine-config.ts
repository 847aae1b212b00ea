import type { Warning } from '../disruption.ts';
import { type Facet, facetsOf } from '../facet.ts';
import type { MachineConfigContent } from '../machine-config.ts';
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
import { lintUser } from './lint-user.ts';

/** Most warnings of one code for one MachineConfig; the rest are counted. */
const mostOfACode = 5;

/** Warnings for people before a MachineConfig lands. They never affect a pause. */
export function lintMachineConfig(config: MachineConfigContent, context: LintContext = {}): readonly Warning[] {
  const facets = [...facetsOf(config).values()];
  const found = [
    ...lintName(config),
    ...lintIgnition(config),
    ...lintFields(facets),
    ...lintSections(facets),
    ...facets.flatMap((facet) => lintFacet(facet)),
    ...lintDuplicates(config),
    ...lintScripts(config, facets, context),
    ...lintCommands(facets, writtenBy([config, ...(context.others ?? [])])),
  ];
  return bounded(found).map((warning) => ({ ...warning, text: `MachineConfig ${line(config.name)}: ${warning.text}` }));
}

/** Whether these MachineConfigs write a path. Few commands name one, and to list what hundreds of MachineConfigs write
 *  takes half of a prediction. */
function writtenBy(configs: readonly MachineConfigContent[]): (path: string) => boolean {
  let paths: ReadonlySet<string> | undefined;
  return (path) => {
    paths ??= pathsOf(configs);
    return paths.has(path);
  };
}

function pathsOf(configs: readonly MachineConfigContent[]): ReadonlySet<string> {
  const files = configs.flatMap((each) => [...facetsOf(each).values()]).filter(({ kind }) => kind === 'file');
  return new Set(files.map(({ name }) => name));
}

function lintFacet(facet: Facet): readonly Warning[] {
  switch (facet.kind) {
    case 'file':
      return lintFile(facet);
    case 'unit':
      return lintUnit(facet);
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
