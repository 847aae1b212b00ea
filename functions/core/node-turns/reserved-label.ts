/** Labels that nodes have from Kubernetes, and that mean something to others; of roles only those of custom pools are
 *  none of these. */
export function isReserved(label: string): boolean {
  if (/^node-role\.kubernetes\.io\/(?:master|control-plane|arbiter|worker)$/.test(label)) return true;
  return (
    /(?:^|\.)(?:kubernetes\.io|k8s\.io|openshift\.io)\//.test(label) && !label.startsWith('node-role.kubernetes.io/')
  );
}
