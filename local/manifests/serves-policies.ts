/** ValidatingAdmissionPolicies are part of Kubernetes from here on (OpenShift 4.17). */
export const leastVersion = '1.30';

/** `1.29`, `v1.30.4+b29f2a8`: are ValidatingAdmissionPolicies served there? What is no version is not known to be
 *  too old. */
export function servesPolicies(version: string): boolean {
  const [, major = '', minor = ''] = /^v?(\d+)\.(\d+)/.exec(version.trim()) ?? [];
  if (major === '') return true;
  return Number(major) > 1 || (Number(major) === 1 && Number(minor) >= 30);
}
