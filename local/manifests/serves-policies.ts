/** First Kubernetes version with ValidatingAdmissionPolicies (OpenShift 4.17). */
export const leastVersion = '1.30';

/** Whether a cluster of this version (`1.29`, `v1.30.4+b29f2a8`) has ValidatingAdmissionPolicies. True if the version
 *  cannot be read. */
export function servesPolicies(version: string): boolean {
  const [, major = '', minor = ''] = /^v?(\d+)\.(\d+)/.exec(version.trim()) ?? [];
  if (major === '') return true;
  return Number(major) > 1 || (Number(major) === 1 && Number(minor) >= 30);
}
