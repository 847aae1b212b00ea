/** Expressions in the Common Expression Language, as ValidatingAdmissionPolicies hold them. CEL has no functions of
 *  one's own: these write the expression out. */

/** JSON texts and lists are CEL literals. */
export function cel(value: string | readonly string[]): string {
  return JSON.stringify(value);
}

/** The same keys with the same values, but for those that are free. Compared key by key, whatever keys there are: a
 *  field that a later OpenShift adds counts too. `free` is an expression. */
export function sameBut(now: string, before: string, free: string): string {
  const kept = (a: string, b: string) => `${a}.all(k, k in ${free} || (k in ${b} && ${a}[k] == ${b}[k]))`;
  return `${kept(now, before)} && ${kept(before, now)}`;
}

/** A label selector, an expression, as one list of requirements: those of matchLabels written as expressions, and
 *  matchExpressions. */
export function requirementsOf(selector: string): string {
  const { matchLabels, matchExpressions } = {
    matchLabels: `${selector}.matchLabels`,
    matchExpressions: `${selector}.matchExpressions`,
  };
  // Values of one map must be of one type, or said to be of any.
  const requirement = `{"key": dyn(k), "operator": dyn("In"), "values": dyn([${matchLabels}[k]])}`;
  return `(has(${matchLabels}) ? ${matchLabels}.map(k, ${requirement}) : []) + (has(${matchExpressions}) ? ${matchExpressions} : [])`;
}

/** Whether labels meet a list of requirements as the MCO reads it: an empty one is met by nothing, and an operator
 *  that is not known counts as met. Both are expressions. The same in TypeScript:
 *  functions/core/openshift/selector.ts. */
export function meets(labels: string, requirements: string): string {
  const isIn = `e.key in ${labels} && ${labels}[e.key] in e.values`;
  const meetsOne = [
    `e.operator == "In" ? ${isIn}`,
    `e.operator == "NotIn" ? !(${isIn})`,
    `e.operator == "Exists" ? e.key in ${labels}`,
    `e.operator != "DoesNotExist" || !(e.key in ${labels})`,
  ].join(' : ');
  return `size(${requirements}) > 0 && ${requirements}.all(e, ${meetsOne})`;
}
