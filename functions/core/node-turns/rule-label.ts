import { labelAtMost, shortened } from './label-value.ts';

/** A rule by its name and namespace. */
export interface RulePlace {
  readonly name: string;
  readonly namespace: string;
}

/** Labels of nodes that a rule is still to run for, in mode canary. */
const rulePrefix = 'rule.poolkeeper.dev';
/** The prefix of the Node Upgrade Mutex Operator. It is read, never written. */
const referencePrefix = 'mutexrule.openshift-optional.skrzypek.io';

/** The key of a rule's label: `rule.poolkeeper.dev/<rule>.<namespace>`. A longer name part than Kubernetes allows is
 *  cut, and ends in `_` and a fingerprint of the whole. */
export function ruleLabel({ name, namespace }: RulePlace): string {
  const whole = `${name}.${namespace}`;
  return `${rulePrefix}/${whole.length <= labelAtMost ? whole : shortened(whole, whole)}`;
}

/** The key of the label that every node of a run has while it may go by `canary.exclude`: the canary asks for it, so
 *  that it takes no node that has just joined. */
export function runNodeLabel(run: string): string {
  return `run.poolkeeper.dev/${run.length <= labelAtMost ? run : shortened(run, run)}`;
}

/** A label of a rule on a node. */
export type RuleLabel =
  | { readonly kind: 'rule'; readonly by: 'poolkeeper' | 'reference'; readonly rule: RulePlace }
  /** Only its beginning can be read: which rule it is, `ruleLabel` of the known ones says. */
  | { readonly kind: 'cut'; readonly by: 'poolkeeper' };

/** Such a label with its key. */
export type FoundRuleLabel = RuleLabel & { readonly key: string };

/** Reads the key of a label; undefined: it is of no rule. Names of rules may have dots, namespaces cannot: what stands
 *  behind the last one is the namespace. */
function readRuleLabel(key: string): RuleLabel | undefined {
  const slash = key.indexOf('/');
  const [prefix, part] = [key.slice(0, Math.max(slash, 0)), key.slice(slash + 1)];
  if (prefix !== rulePrefix && prefix !== referencePrefix) return undefined;
  const by = prefix === rulePrefix ? 'poolkeeper' : 'reference';
  if (by === 'poolkeeper' && part.includes('_')) return { kind: 'cut', by };
  const dot = part.lastIndexOf('.');
  if (dot <= 0 || dot === part.length - 1) return undefined;
  return { kind: 'rule', by, rule: { name: part.slice(0, dot), namespace: part.slice(dot + 1) } };
}

/** A node's labels that are of rules, by key. */
export function ruleLabelsOf(labels: Readonly<Record<string, string>>): readonly FoundRuleLabel[] {
  return Object.keys(labels)
    .toSorted()
    .flatMap((key) => {
      const label = readRuleLabel(key);
      return label === undefined ? [] : [{ key, ...label }];
    });
}
