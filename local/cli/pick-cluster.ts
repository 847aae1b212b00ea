import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import * as z from 'zod';
import { type ClusterConnection, connectCluster } from '../../functions/adapters/kubernetes/connect.ts';
import { type KubeconfigConnection, readKubeconfig } from '../../functions/adapters/kubernetes/kubeconfig.ts';
import { systemRuntime } from '../../functions/adapters/time/system-runtime.ts';
import { Transient } from '../../functions/core/text/errors.ts';
import { product } from '../../functions/shell/product.ts';
import type { Surroundings } from './command.ts';

export interface PickedCluster {
  readonly kubeconfig: KubeconfigConnection;
  readonly connection: ClusterConnection;
}

/** The cluster of a kubeconfig context, with the person's own permissions. Throws Misconfigured. Close the
 *  connection. */
export async function pickCluster(
  { kubeconfig, context }: { readonly kubeconfig?: string | undefined; readonly context?: string | undefined },
  { environment, now }: Pick<Surroundings, 'environment' | 'now'>,
): Promise<PickedCluster> {
  const file = kubeconfigFile(kubeconfig, environment);
  const read = await readKubeconfig(file, context);
  return {
    kubeconfig: read,
    connection: connectCluster({ ...read, userAgent: product, ...systemRuntime, clock: now }),
  };
}

/** The file that `--kubeconfig` names, or else the usual one. */
export function kubeconfigFile(named: string | undefined, environment: Surroundings['environment']): string {
  return named ?? environment['KUBECONFIG']?.split(delimiter)[0] ?? join(homedir(), '.kube', 'config');
}

const Review = z.object({ status: z.object({ userInfo: z.object({ username: z.string().min(1) }) }) });

/** User name according to the API server; the local user name if it cannot say (Kubernetes < 1.28). */
export async function whoAmI(
  { client }: Pick<ClusterConnection, 'client'>,
  { environment }: Pick<Surroundings, 'environment'>,
) {
  try {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const answer = await client.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, body);
    const review = Review.safeParse(answer);
    if (review.success) return review.data.status.userInfo.username;
  } catch (cause) {
    if (!(cause instanceof Transient) || cause.kind === 'unreachable') throw cause;
  }
  return environment['USER'] ?? 'somebody';
}
