import type { Warning } from '../disruption.ts';
import { listAt, objectAt, textAt } from '../json.ts';
import type { MachineConfigContent } from '../machine-config.ts';
import { line } from './line.ts';

/** The same path or name twice in one MachineConfig. */
export function lintDuplicates({ spec }: MachineConfigContent): readonly Warning[] {
  const lists: readonly (readonly [string, string, string])[] = [
    ['storage', 'files', 'path'],
    ['systemd', 'units', 'name'],
    ['passwd', 'users', 'name'],
  ];
  return lists.flatMap(([section, list, key]) => {
    const names = listAt(objectAt(spec['config'], section), list).map((entry) => textAt(entry, key));
    const seen = new Set<string>();
    const twice = new Set(names.filter((name) => name !== '' && (seen.has(name) || !seen.add(name))));
    return [...twice].map((name) => ({
      code: 'duplicate-entry',
      text: `${line(name)} is listed twice in ${section}.${list}: Ignition refuses that`,
      remedy: 'Keep one of them',
    }));
  });
}
