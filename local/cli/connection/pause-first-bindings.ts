import * as z from 'zod';
import type { KubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { unlessUnserved } from '../../../functions/adapters/kubernetes/refusal.ts';
import type { KubeObject } from '../../manifests/kube-object.ts';
import { pauseFirstObjects } from '../../manifests/pause-first.ts';

/** A binding of the policy of level admission. */
export interface PauseFirstBinding {
  readonly name: string;
  /** The pool that it covers; undefined: all that no cluster upgrade waits for. */
  readonly pool: string | undefined;
}

const Bindings = z.array(
  z.object({
    metadata: z.object({ name: z.string() }),
    spec: z.object({ policyName: z.string(), paramRef: z.object({ name: z.string().optional() }).nullish() }),
  }),
);

/** The policy of level admission of the installation in a namespace. */
export function pauseFirstPolicy(namespace: string): KubeObject {
  const [policy] = pauseFirstObjects({ namespace, pools: [], except: [] });
  if (policy === undefined) throw new Error('level admission has a policy');
  return policy;
}

/** Its bindings, whether it is there itself or not. Throws Transient. */
export async function pauseFirstBindings(
  client: Pick<KubeClient, 'list'>,
  namespace: string,
): Promise<readonly PauseFirstBinding[]> {
  const path = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';
  const all = Bindings.parse(await unlessUnserved(client.list(path, { pageSize: 100 }), []));
  const policy = pauseFirstPolicy(namespace).metadata.name;
  return all
    .filter(({ spec }) => spec.policyName === policy)
    .map(({ metadata: { name }, spec: { paramRef } }) => ({ name, pool: paramRef?.name }));
}
