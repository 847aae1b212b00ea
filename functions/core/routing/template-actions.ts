/** What Helm replaces by anything, with what other templates define and values say: the actions of a template, if they
 *  are in objects that no node depends on, whatever they become. Else all of it: they may decide what an object is, its
 *  name and which pools it reaches, and so what that becomes which stands beside them. Empty: it is no template.
 *  @param documents of the text */
export function givenByHelm(text: string, documents: readonly string[]): string {
  const actions = actionsIn(text);
  return actions === '' || documents.every(isEveryday) ? actions : text;
}

/** One after the other; what is not closed counts to the end. */
function actionsIn(text: string): string {
  const found: string[] = [];
  for (let at = text.indexOf('{{'); at >= 0; ) {
    const end = text.indexOf('}}', at);
    found.push(text.slice(at, end < 0 ? undefined : end + 2));
    at = end < 0 ? -1 : text.indexOf('{{', end + 2);
  }
  return found.join('\n');
}

/** Kinds of which the Machine Config Operator reads nothing, that hold no other objects, and by which no node goes. */
const everydayKinds: ReadonlySet<string> = new Set([
  'Certificate',
  'ClusterIssuer',
  'ClusterRole',
  'ClusterRoleBinding',
  'CronJob',
  'DaemonSet',
  'Deployment',
  'HorizontalPodAutoscaler',
  'Ingress',
  'Issuer',
  'Job',
  'LimitRange',
  'Namespace',
  'NetworkPolicy',
  'PersistentVolumeClaim',
  'Pod',
  'PodDisruptionBudget',
  'PodMonitor',
  'PrometheusRule',
  'ResourceQuota',
  'Role',
  'RoleBinding',
  'Route',
  'Service',
  'ServiceAccount',
  'ServiceMonitor',
  'StatefulSet',
  'VerticalPodAutoscaler',
]);

const kindLine = /^kind:[ \t]+([A-Za-z]{1,60})[ \t]*$/;
const blankLine = /^[ \t]*(?:#[^{]*)?$/;

/** Lines of which no action makes another object, or another kind of this one: keys and values, what only decides
 *  whether other lines are there, and what is indented as a whole. */
const everydayLines = [
  /^(?!kind\b)[A-Za-z]{1,60}:/,
  /^- /,
  /^[ \t]+[^ \t{#]/,
  /^[ \t]+\{\{[^{}]*\}\}:/,
  /^[ \t]*\{\{-?[ \t]*(?:if|else|end|with|range|fail|\$\w{0,60}[ \t]*:?=)[^{}]*\}\}[ \t]*$/,
  /^[ \t]*\{\{[^{}]*[ |]n?indent [1-9]\d{0,2}[ \t]*-?\}\}[ \t]*$/,
];

/** As YAML ends them. */
const lineEnd = /\r\n|[\n\r\u0085\u2028\u2029]/;

/** A comment prints nothing, over however many lines. */
function withoutComments(document: string): string {
  const [first = '', ...others] = document.split(commentBegin);
  return [first, ...others.map(behindComment)].join('');
}

const commentBegin = /\{\{-? ?\/\*/;
const commentEnd = /^ ?-?\}\}/;

/** What does not end stays an action. */
function behindComment(text: string): string {
  const end = text.indexOf('*/');
  const behind = text.slice(end + 2);
  return end >= 0 && commentEnd.test(behind) ? behind.replace(commentEnd, '') : `{{${text}`;
}

function isEveryday(document: string): boolean {
  const lines = withoutComments(document)
    .split(lineEnd)
    .filter((line) => !blankLine.test(line));
  const kinds = lines.flatMap((line) => kindLine.exec(line)?.[1] ?? []);
  const rest = lines.filter((line) => !kindLine.test(line));
  const isObject = kinds.length > 0 && kinds.every((kind) => everydayKinds.has(kind));
  return lines.length === 0 || (isObject && rest.every((line) => everydayLines.some((each) => each.test(line))));
}

/** Helm renders what is in such a folder of a chart. */
export function isOfTemplates(path: string): boolean {
  return /(?:^|\/)templates\//.test(path);
}
