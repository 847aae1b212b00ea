import { type Finding, refText } from './trouble.ts';

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
