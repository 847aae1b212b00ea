import { fingerprint } from '../text/fingerprint.ts';
import { withoutTrailing } from '../text/trailing.ts';
import { type Finding, type ObjectRef, refText, type TroubleKey } from './trouble.ts';

/** A cause that lies in the node is identified by its code: five nodes that cannot reach a registry have one cause. */
export function causeKey({ code, subject }: Finding): string {
  return ['Node', 'MachineConfigPool', 'MachineConfigNode'].includes(subject.kind)
    ? code
    : `${code} ${refText(subject)}`;
}

/** The same across clusters: their own names, and those that are drawn for each pod, make no difference. What lies in
 *  no such object is told apart by the words of its first sentence; those after it say how many have it. In whatever
 *  order: of two MachineConfigs, now one and now the other was written a second earlier. */
export function fleetCauseKey({ cluster, pool }: Pick<TroubleKey, 'cluster' | 'pool'>, root: Finding): string {
  const { code, subject, sentence } = root;
  if (subject.kind === 'Pod') return `${code} Pod ${subject.namespace}`;
  if (liesInObject(cluster, root)) return causeKey(root);
  const [first = ''] = sentence.split(endOfSentence, 1);
  const own = [cluster, pool, subject.name];
  const isOwn = (word: string) => own.includes(word) || word.startsWith('rendered-');
  const words = commonWords(withoutTrailing(first, '.'), isOwn).split(/[ ,]+/);
  return `${code} ${fingerprint(words.toSorted().join(' '))}`;
}

/** In one that is named as it may be on other clusters, too: no node, no pool, and nothing that is called like its
 *  cluster. */
export function liesInObject(cluster: string, root: Finding): boolean {
  return causeKey(root) !== root.code && root.subject.name !== cluster;
}

/** Not where a long text is cut: ` ... ` stands there. */
const endOfSentence = /(?<!\.)\. (?!\.{3} )/;

/** Without what differs from node to node where the cause is one: names, for how long, how often, of how many, the
 *  address that is asked, and the port from which each asks. Source of the last: Go, net.OpError.
 *  @param isOwn whether a word is a name that others do not have */
export function commonWords(sentence: string, isOwn: (word: string) => boolean): string {
  return sentence
    .replaceAll(/[\w-]+(?:\.[\w-]+)*/g, (word) => (isOwn(word) ? '' : word))
    .replaceAll(/\b\d{1,9} (?:of \d{1,9} tried nodes|s|min|h|days|times)\b/g, '')
    .split(' ')
    .filter((word) => word !== '' && !word.includes('->') && !address.test(word))
    .join(' ');
}

/** Of a name that is resolved anew each time; one in a URL stays. */
const address = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[?[\da-f]{0,4}(?::[\da-f]{0,4}){2,8}\]?)(?::\d{1,5})?\W{0,3}$/i;

/** What a digest has of one root cause of a finding: its subject, the code and what is to blame. */
export function digestPart({ subject }: Finding, root: Finding): string {
  return `${nameInPart(subject.name)}:${root.code}:${stableRef(root.subject)}`;
}

/** What a digest is taken apart by, and what stands for that. No object of Kubernetes has one of these in its name, but
 *  others are named as anybody likes: machines, and webhooks by the words of an error. */
const signs = /[;:% ]/g;
const escapes = /%(?:3B|3A|25|20)/g;

/** Names of ours have blanks, and nothing else of these. */
function nameInPart(name: string): string {
  return /[;:%]/.test(name) ? name.replace(signs, encodeURIComponent) : name;
}

/** A name as it was before it stood in a digest. */
export function plainName(name: string): string {
  return name.replace(escapes, decodeURIComponent);
}

/** What a digest has of a person or a program, as they are called: no part of its own, and no object that is to
 *  blame. */
export function textPart(text: string): string {
  const colon = text.indexOf(':');
  return /[;%]/.test(text) || (colon >= 0 && text.includes(' ', colon)) ? nameInPart(text) : text;
}

/** What a digest has of an approval that somebody gave: it is news, and worse for nobody. */
export function approvalPart(who: string): string {
  return `${approvedBy}${textPart(who)}`;
}

/** No object has a name with spaces. */
const approvedBy = 'approved by ';

export function isApprovalPart(part: string): boolean {
  return part.startsWith(approvedBy);
}

/** A pod is identified by its controller: its own name changes with every new pod. */
function stableRef(ref: ObjectRef): string {
  const { kind, namespace, argocd } = ref;
  const name = kind === 'Pod' ? withoutHash(ref.name) : ref.name;
  const of = argocd === undefined ? argocd : nameInPart(argocd);
  return refText({ kind, namespace: nameInPart(namespace), name: nameInPart(name), argocd: of });
}

/** Kubernetes' generated suffixes use consonants and digits only, so words do not match. Source: apimachinery
 *  util/rand, alphanums. */
function withoutHash(name: string): string {
  return name.replace(/(?:-[bcdfghjklmnpqrstvwxz2456789]{8,10})?-[bcdfghjklmnpqrstvwxz2456789]{5}$/, '');
}
