import { badRequest } from './api-error.ts';
import type { LabelSelector } from './kubernetes-object.ts';

type Labels = Readonly<Record<string, string>>;

/** Whether a selector field of an object selects these labels. `whenEmpty`: what a missing or empty selector
 *  selects. */
export function selects(selector: LabelSelector | undefined, labels: Labels | undefined, whenEmpty = false): boolean {
  if (!selector || isEmpty(selector)) return whenEmpty;
  const has = labels ?? {};
  return (
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => has[key] === value) &&
    (selector.matchExpressions ?? []).every((expression) => holds(expression, has))
  );
}

function isEmpty(selector: LabelSelector): boolean {
  return Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0;
}

function holds(
  { key, operator, values = [] }: { key: string; operator: string; values?: string[] },
  labels: Labels,
): boolean {
  const value = labels[key];
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}

/** The `labelSelector` query parameter: `a=b,c!=d,e in (x,y),f notin (z),g,!h`. */
export function parseLabelSelector(text: string): (labels: Labels | undefined) => boolean {
  const requirements = splitOutsideParentheses(text)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(parseRequirement);
  return (labels) => requirements.every((requirement) => requirement(labels ?? {}));
}

function splitOutsideParentheses(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const letter of text) {
    if (letter === '(') depth += 1;
    if (letter === ')') depth -= 1;
    if (letter === ',' && depth === 0) {
      parts.push(part);
      part = '';
    } else part += letter;
  }
  return [...parts, part];
}

const key = '([A-Za-z0-9][-A-Za-z0-9_./]*)';
const setRequirement = new RegExp(`^${key}\\s+(in|notin)\\s+\\(([^()]*)\\)$`);
const equalityRequirement = new RegExp(`^${key}\\s*(==|=|!=)\\s*([-A-Za-z0-9_.]*)$`);
const existenceRequirement = new RegExp(`^(!?)\\s*${key}$`);

function parseRequirement(text: string): (labels: Labels) => boolean {
  const set = setRequirement.exec(text);
  if (set) {
    const [, name = '', operator, list = ''] = set;
    const values = list.split(',').map((value) => value.trim());
    return (labels) => holds({ key: name, operator: operator === 'in' ? 'In' : 'NotIn', values }, labels);
  }
  const equality = equalityRequirement.exec(text);
  if (equality) {
    const [, name = '', operator, value = ''] = equality;
    return (labels) => (labels[name] === value) === (operator !== '!=');
  }
  const existence = existenceRequirement.exec(text);
  if (existence) {
    const [, not, name = ''] = existence;
    return (labels) => Object.hasOwn(labels, name) === (not === '');
  }
  throw badRequest(`unable to parse requirement: invalid label selector: ${text}`);
}
