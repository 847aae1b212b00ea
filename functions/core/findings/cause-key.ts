import { type Finding, type ObjectRef, refText } from './trouble.ts';

/** A cause that lies in the node is identified by its code: five nodes that cannot reach a registry have one cause. */
export function causeKey({ code, subject }: Finding): string {
  return ['Node', 'MachineConfigPool', 'MachineConfigNode'].includes(subject.kind)
    ? code
    : `${code} ${refText(subject)}`;
}

/** The same across clusters: their own names, and those that are drawn for each pod, make no difference. */
export function fleetCauseKey(cluster: string, found: Finding): string {
  const { code, subject } = found;
  if (subject.name === cluster) return code;
  return subject.kind === 'Pod' ? `${code} Pod ${subject.namespace}` : causeKey(found);
}

/** What a digest has of one root cause of a finding: its subject, the code and what is to blame. */
export function digestPart({ subject }: Finding, root: Finding): string {
  return `${subject.name}:${root.code}:${stableRef(root.subject)}`;
}

/** What a digest has of an approval that somebody gave: it is news, and worse for nobody. */
export function approvalPart(who: string): string {
  return `${approvedBy}${who}`;
}

/** No object has a name with spaces. */
const approvedBy = 'approved by ';

export function isApprovalPart(part: string): boolean {
  return part.startsWith(approvedBy);
}

/** A pod is identified by its controller: its own name changes with every new pod. */
function stableRef(ref: ObjectRef): string {
  return refText(ref.kind === 'Pod' ? { ...ref, name: withoutHash(ref.name) } : ref);
}

/** Kubernetes' generated suffixes use consonants and digits only, so words do not match. Source: apimachinery
 *  util/rand, alphanums. */
function withoutHash(name: string): string {
  return name.replace(/(?:-[bcdfghjklmnpqrstvwxz2456789]{8,10})?-[bcdfghjklmnpqrstvwxz2456789]{5}$/, '');
}
