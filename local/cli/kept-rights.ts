import * as z from 'zod';
import type { KubeClient } from '../../functions/adapters/kubernetes/kube-client.ts';
import { limitNames } from '../manifests/admission-limit.ts';
import type { KubeObject } from '../manifests/kube-object.ts';
import { objectPath } from './object-path.ts';

const Granted = z.object({
  rules: z.array(z.object({ resources: z.array(z.string()).default([]), verbs: z.array(z.string()) })).default([]),
});

/** Whether one of the roles of these objects has the right to patch Applications on the cluster already, which
 *  `manifests` grants for level guard and to retry refused syncs, beside the policy that limits it. Connecting again
 *  would take it away. Throws Transient. */
export async function patchesApplications(
  client: Pick<KubeClient, 'get'>,
  { objects, namespace, limits }: PatchQuestion,
): Promise<boolean> {
  if (limits && (await client.get(objectPath(limitOf(namespace)))) === undefined) return false;
  const roles = objects.filter(({ kind }) => kind === 'Role');
  const granted = await Promise.all(roles.map((role) => client.get(objectPath(role), { mayBeUnserved: true })));
  return granted.some((role) =>
    Granted.safeParse(role).data?.rules.some(
      ({ resources, verbs }) => resources.includes('applications') && verbs.includes('patch'),
    ),
  );
}

interface PatchQuestion {
  /** As connecting makes them. */
  readonly objects: readonly KubeObject[];
  /** Of the account. */
  readonly namespace: string;
  /** The cluster has admission policies: without one, the right is more than it should be. */
  readonly limits: boolean;
}

function limitOf(namespace: string): KubeObject {
  const metadata = { name: `${namespace}-${limitNames.applications}` };
  return { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicy', metadata };
}
