/** Whether Kubernetes reads a text as a label selector. Source: k8s.io/apimachinery pkg/labels/selector.go `Parse`. */
export function isLabelSelector(text: string): boolean {
  const kinds = (text.match(/[=!]=|[=!(),<>]|[^ \t\r\n=!(),<>]+/g) ?? []).map(kindOf).join('');
  return /^(?:(?:![nwdk]|[nwdk](?:=[nwd]?|<d|w\((?:[nwd]?,)*[nwd]?\))?)(?:,(?!$)|$))*$/.test(kinds);
}

const marks: Readonly<Record<string, string>> = { '=': '=', '==': '=', '!=': '=', '<': '<', '>': '<' };

/** `n`: a value, or a key without a prefix; `w`: one that is an operator as well; `d`: one of digits; `k`: a key with a
 *  prefix; `x`: none of them. */
function kindOf(token: string): string {
  if (/^[=!(),<>]/.test(token)) return marks[token] ?? token;
  if (token === 'in' || token === 'notin') return 'w';
  const [name = '', ...prefix] = token.split('/').toReversed();
  if (!isName(name) || prefix.length > 1) return 'x';
  if (prefix.length === 0) return /^\d+$/.test(name) ? 'd' : 'n';
  return prefix.every(isDomain) ? 'k' : 'x';
}

function isName(text: string): boolean {
  return text.length <= 63 && /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(text);
}

function isDomain(text: string): boolean {
  return text.length <= 253 && text.split('.').every((part) => /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(part));
}
