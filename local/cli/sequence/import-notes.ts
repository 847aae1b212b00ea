import type { ImportedGroup } from '../../../functions/core/clustergroup/import-group.ts';
import type { Remark } from '../../../functions/core/clustergroup/remark.ts';
import { wrap } from '../../../functions/core/text/columns.ts';
import { counted, listed } from '../../../functions/core/text/phrases.ts';
import { unique } from '../../../functions/core/text/unique.ts';
import type { FoundValues } from './find-values.ts';

const headings: readonly (readonly [Remark['kind'], string])[] = [
  ['refused', 'Refused, because it cannot be right:'],
  ['trap', 'Traps: what these files do, and may not seem to:'],
  ['hint', 'Worth knowing:'],
  ['not taken', 'Not taken, as it is no step:'],
];

/** What an import says besides its outcome. */
export function importNotes(
  { files, missing }: FoundValues,
  imported: ImportedGroup,
  remarks: readonly Remark[],
): string {
  const sections = headings.flatMap(([kind, heading]) => {
    const own = remarks.filter((remark) => remark.kind === kind);
    return own.length === 0 ? [] : [[heading, ...bySentence(own)].join('\n')];
  });
  const read = `Read, later ones win: ${files.map(({ path }) => path).join(', ')}`;
  const absent = missing.length === 0 ? [] : [`Looked for and not there: ${missing.join(', ')}`];
  return `${[[read, ...absent].join('\n'), ...sections, summary(imported)].join('\n\n')}\n`;
}

const indent = '      ';

/** Each sentence once, below all the keys that it is about. */
function bySentence(remarks: readonly Remark[]): readonly string[] {
  const sentences = unique(remarks.map(({ says }) => says));
  return sentences.map((sentence) => {
    const keys = remarks.filter(({ says }) => says === sentence).map(({ at }) => `  ${at}`);
    return [...new Set(keys), ...wrap(sentence, { first: indent, rest: indent })].join('\n');
  });
}

function summary({ group, operators, applications, objects }: ImportedGroup): string {
  const installed = operators.filter(({ manifests }) => manifests.length > 0);
  const waves = unique([...installed, ...applications, ...objects].map(({ wave }) => wave)).toSorted((a, b) => a - b);
  const gates = operators.filter(({ gate }) => gate !== undefined).length;
  const what = [
    counted(installed.length, 'operator'),
    counted(applications.length, 'Application'),
    counted(objects.length, 'object'),
    counted(gates, 'gate'),
  ];
  const order = waves.length === 0 ? '' : `, in ${counted(waves.length, 'wave')}: ${listed(waves.map(String), 12)}`;
  const instance =
    applications.length === 0
      ? ''
      : `\nIts Applications are in namespace ${group.argoNamespace}: the Argo CD there must be one of \`argocd:\` in poolkeeper.yaml.`;
  return `Cluster group ${group.name} of the pattern ${group.pattern}: ${listed(what)}${order}.${instance}`;
}
