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
  const single = withoutTwins(read.operators);
  const named = withOwnNames(single.operators);
  const { applications: all, remarks: ofApplications } = applicationsOf(group);
  const applications = all.filter(({ name }, index) => all.findLastIndex((each) => each.name === name) === index);
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
      ...single.remarks,
      ...named.remarks,
      ...ofApplications,
      ...all.filter((each) => !applications.includes(each)).map(({ at, name }) => twin(at, `Application ${name}`)),
      ...ofObjects,
      ...ofNamespaces,
      ...orderRemarks({ operators, applications: all, objects }),
      ...stickyRemarks(group),
      ...removedRemarks(group),
      ...notTakenIn(group),
      ...patternRemarks(group),
    ],
  };
}

/** Of several manifests of one Subscription Argo CD takes the last. */
function withoutTwins(operators: readonly Operator[]): {
  readonly operators: readonly Operator[];
  readonly remarks: readonly Remark[];
} {
  const last = new Map(operators.flatMap(({ manifests }) => manifests.map((each) => [idOf(each), each])));
  const isTwin = (manifest: GroupManifest) => last.get(idOf(manifest)) !== manifest;
  return {
    operators: operators.map((operator) => ({
      ...operator,
      manifests: operator.manifests.filter((manifest) => !isTwin(manifest)),
    })),
    remarks: operators.flatMap(({ at, manifests }) =>
      manifests.filter(isTwin).map(({ kind, metadata: { name } }) => twin(at, `${kind} ${name}`)),
    ),
  };
}

function idOf({ kind, metadata: { namespace = '', name } }: GroupManifest): string {
  return `${kind} ${namespace}/${name}`;
}

function twin(at: string, what: string): Remark {
  const says = `${what} is given again by a later entry: Argo CD takes the last one and warns (RepeatedResourceWarning); so does the import`;
  return trap('object-twice', at, says);
}

function patternRemarks({ given, pattern, argoNamespace }: Group): readonly Remark[] {
  if (textAt(given, 'global', 'pattern') !== undefined) return [];
  const says = `is in none of the files, so the default ${pattern} is taken, and ${argoNamespace} as the namespace of the Applications; it is the name of the Pattern object`;
  return [hint('pattern-unknown', 'global.pattern', says)];
}

/** Two entries of one package have two Jobs of one name in the chart, of which Argo CD runs the last. That one keeps
 *  the name. */
function withOwnNames(operators: readonly Operator[]): {
  readonly operators: readonly Operator[];
  readonly remarks: readonly Remark[];
} {
  const remarks: Remark[] = [];
  const named = operators.map((operator, index): Operator => {
    const { gate } = operator;
    if (gate === undefined || !operators.slice(index + 1).some((later) => later.gate?.name === gate.name))
      return operator;
    const own: Gate = { ...gate, name: `${gate.name}-${operator.key}` };
    const says = `its Job ${gate.name} has the name of a later one: the chart makes two of one name, and Argo CD runs the last one only; here it is ${own.name}`;
    remarks.push(trap('two-gates-of-one-name', gate.at, says));
    return { ...operator, gate: own };
  });
  return { operators: named, remarks };
}
