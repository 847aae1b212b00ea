/** Expressions in the Common Expression Language for ValidatingAdmissionPolicies. CEL cannot define functions, so these
 *  write the expressions out. */

/** JSON texts and lists are CEL literals. */
export function cel(value: string | readonly string[]): string {
  return JSON.stringify(value);
}

/** Same keys and values, except for the keys in `free` (an expression). Compares whatever keys there are, so that
 *  fields of later OpenShift versions count too. */
export function sameBut(now: string, before: string, free: string): string {
  const kept = (a: string, b: string) => `${a}.all(k, k in ${free} || (k in ${b} && ${a}[k] == ${b}[k]))`;
  return `${kept(now, before)} && ${kept(before, now)}`;
}

/** Turns a label selector (an expression) into one list of requirements: matchLabels written as expressions, and
 *  matchExpressions. */
export function requirementsOf(selector: string): string {
  const { matchLabels, matchExpressions } = {
    matchLabels: `${selector}.matchLabels`,
    matchExpressions: `${selector}.matchExpressions`,
  };
  // The values of a map must have one type, or be dyn.
  const requirement = `{"key": dyn(k), "operator": dyn("In"), "values": dyn([${matchLabels}[k]])}`;
  return `(has(${matchLabels}) ? ${matchLabels}.map(k, ${requirement}) : []) + (has(${matchExpressions}) ? ${matchExpressions} : [])`;
}

/** Whether labels meet a list of requirements, as the MCO evaluates it: an empty list matches nothing, and an unknown
 *  operator counts as met. Both are expressions. The same in TypeScript: functions/core/openshift/selector.ts. */
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
