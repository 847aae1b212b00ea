import { unique } from '../../functions/core/text/unique.ts';
import type { Rule } from './rule.ts';

/** What the account needs on one cluster for a section of the configuration, as its sequences. */
export interface Rights {
  /** For the whole cluster. */
  readonly everywhere: readonly Rule[];
  readonly byNamespace: ReadonlyMap<string, readonly Rule[]>;
}

export interface Right {
  /** Undefined: for the whole cluster. */
  readonly namespace: string | undefined;
  readonly rule: Rule;
}

/** One right on a kind, by name where there is one. */
export function right(
  { group, plural }: { readonly group: string; readonly plural: string },
  { namespace, name }: { readonly namespace?: string | undefined; readonly name?: string | undefined },
  verbs: readonly string[],
): Right {
  const resourceNames = name === undefined ? {} : { resourceNames: [name] };
  return { namespace, rule: { apiGroups: [group], resources: [plural], ...resourceNames, verbs } };
}

/** Each once, by namespace. */
export function rightsOf(rights: readonly Right[]): Rights {
  const namespaces = unique(rights.flatMap(({ namespace }) => namespace ?? [])).toSorted();
  const rulesIn = (namespace: string | undefined) =>
    distinct(rights.filter((each) => each.namespace === namespace).map(({ rule }) => rule));
  return {
    everywhere: rulesIn(undefined),
    byNamespace: new Map(namespaces.map((namespace) => [namespace, rulesIn(namespace)])),
  };
}

function distinct(rules: readonly Rule[]): readonly Rule[] {
  return [...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values()];
}
