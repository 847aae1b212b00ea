import { applicationsOf, type GroupApplication } from './applications.ts';
import { type ExtraObject, extraObjectsOf } from './extra-objects.ts';
import type { Gate } from './gate.ts';
import { type Group, groupOf, type ValuesFile } from './group.ts';
import type { GroupManifest } from './manifest.ts';
import { namespacesOf } from './namespaces.ts';
import { notTakenIn } from './not-taken.ts';
import { orderRemarks } from './order.ts';
import { hint, type Remark, trap } from './remark.ts';
import { removedRemarks, stickyRemarks } from './sticky.ts';
import { type Operator, operatorsOf } from './subscriptions.ts';
import { textAt } from './values.ts';

/** A cluster group of Validated Patterns, read: its steps with their waves, what belongs beside them, and what is to be
 *  said about it. */
export interface ImportedGroup {
  readonly group: Group;
  readonly operators: readonly Operator[];
  readonly applications: readonly GroupApplication[];
  readonly objects: readonly ExtraObject[];
  /** Namespaces and OperatorGroups. */
  readonly namespaces: readonly GroupManifest[];
  readonly remarks: readonly Remark[];
}

/** Reads values files in their order, later ones win, parameters over all of them. */
export function importGroup(
  files: readonly ValuesFile[],
  parameters: Readonly<Record<string, string>> = {},
): ImportedGroup {
  const group = groupOf(files, parameters);
  const read = operatorsOf(group);
  const named = withOwnNames(read.operators);
  const { applications, remarks: ofApplications } = applicationsOf(group);
  const { objects, remarks: ofObjects } = extraObjectsOf(group);
  const { manifests: namespaces, remarks: ofNamespaces } = namespacesOf(group);
  const { operators } = named;
  return {
    group,
    operators,
    applications,
    objects,
    namespaces,
    remarks: [
      ...read.remarks,
      ...named.remarks,
      ...ofApplications,
      ...ofObjects,
      ...ofNamespaces,
      ...orderRemarks({ operators, applications, objects }),
      ...stickyRemarks(group),
      ...removedRemarks(group),
      ...notTakenIn(group),
      ...patternRemarks(group),
    ],
  };
}

function patternRemarks({ given, pattern, argoNamespace }: Group): readonly Remark[] {
  if (textAt(given, 'global', 'pattern') !== undefined) return [];
  const says = `is in none of the files, so the default ${pattern} is taken, and ${argoNamespace} as the namespace of the Applications; it is the name of the Pattern object`;
  return [hint('pattern-unknown', 'global.pattern', says)];
}

/** Two entries of one package have two Jobs of one name in the chart, of which Argo CD runs the last. */
function withOwnNames(operators: readonly Operator[]): {
  readonly operators: readonly Operator[];
  readonly remarks: readonly Remark[];
} {
  const taken = new Set<string>();
  const remarks: Remark[] = [];
  const named = operators.map((operator): Operator => {
    const { gate } = operator;
    if (gate === undefined) return operator;
    if (!taken.has(gate.name)) {
      taken.add(gate.name);
      return operator;
    }
    const own: Gate = { ...gate, name: `${gate.name}-${operator.key}` };
    const says = `a second gate of the name ${gate.name}: the chart makes two Jobs of one name, and Argo CD runs the last one only; here it is ${own.name}`;
    remarks.push(trap('two-gates-of-one-name', gate.at, says));
    return { ...operator, gate: own };
  });
  return { operators: named, remarks };
}
