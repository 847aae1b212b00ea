/** A Kubernetes LabelSelector. Source: meta/v1 LabelSelector. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>> | undefined;
  readonly matchExpressions?: readonly LabelRequirement[] | undefined;
}

export interface LabelRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[] | undefined;
}

/** A selector without any requirement. For the MCO it matches nothing (for Kubernetes `{}` matches everything). Source:
 *  machine-config-operator pkg/controller/render/render_controller.go `getPoolsForMachineConfig`. */
function isEmptySelector(selector: LabelSelector | undefined): boolean {
  if (selector === undefined) return true;
  return Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0;
}

/** Kubernetes semantics: every label and every expression must hold; an empty selector matches everything. */
export function selects(selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  const byLabel = Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value);
  return byLabel && (selector.matchExpressions ?? []).every((requirement) => meets(requirement, labels));
}

/** MCO semantics for pools: an empty or missing selector matches nothing. */
export function poolSelects(selector: LabelSelector | undefined, labels: Readonly<Record<string, string>>): boolean {
  return selector !== undefined && !isEmptySelector(selector) && selects(selector, labels);
}

function meets(requirement: LabelRequirement, labels: Readonly<Record<string, string>>): boolean {
  const value = Object.hasOwn(labels, requirement.key) ? labels[requirement.key] : undefined;
  const values = requirement.values ?? [];
  switch (requirement.operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return requirement.operator satisfies never;
  }
}

/** The query-string form of the API server (`a=b,c in (d,e),!f`). */
export function selectorText(selector: LabelSelector): string {
  const equal = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  return [...equal, ...(selector.matchExpressions ?? []).map(requirementText)].join(',');
}

function requirementText(requirement: LabelRequirement): string {
  const values = (requirement.values ?? []).join(',');
  switch (requirement.operator) {
    case 'In':
      return `${requirement.key} in (${values})`;
    case 'NotIn':
      return `${requirement.key} notin (${values})`;
    case 'Exists':
      return requirement.key;
    case 'DoesNotExist':
      return `!${requirement.key}`;
    default:
      return requirement.operator satisfies never;
  }
}
