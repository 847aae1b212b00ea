import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import * as z from 'zod';
import { type ClusterConnection, connectCluster } from '../../functions/adapters/kubernetes/connect.ts';
import { type KubeconfigConnection, readKubeconfig } from '../../functions/adapters/kubernetes/kubeconfig.ts';
import { systemRuntime } from '../../functions/adapters/time/system-runtime.ts';
import { duration } from '../../functions/core/text/durations.ts';
import { Misconfigured, Transient } from '../../functions/core/text/errors.ts';
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
  const read = await readKubeconfig(kubeconfigFiles(kubeconfig, environment), context);
  return {
    kubeconfig: read,
    connection: connectCluster({ ...read, userAgent: product, ...systemRuntime, clock: now }),
  };
}

/** The file that `--kubeconfig` names, or else the usual ones, as kubectl has them. Throws Misconfigured. */
export function kubeconfigFiles(
  named: string | undefined,
  { KUBECONFIG: usual = '' }: Surroundings['environment'],
): readonly string[] {
  if (named !== undefined) return [named];
  if (usual === '') return [join(homedir(), '.kube', 'config')];
  const files = usual.split(delimiter).filter((file) => file !== '');
  if (files.length === 0) throw new Misconfigured(['KUBECONFIG names no file']);
  return files;
}

const Review = z.object({
  metadata: z.object({ creationTimestamp: z.string() }).optional().catch(undefined),
  status: z
    .object({ userInfo: z.object({ username: z.string().min(1) }) })
    .optional()
    .catch(undefined),
});

/** Milliseconds by which two clocks may differ before it counts: the API server tells whole seconds. */
const skewAtMostMs = 60_000;

/** User name according to the API server; the local user name if it cannot say (Kubernetes < 1.28). `aheadMs`: how far
 *  its clock, by which Poolkeeper goes, is ahead of ours; 0 where they hardly differ or it does not say.
 *  `exactAheadMs`: the same where they hardly differ, too. */
export async function askSelf(
  { client }: Pick<ClusterConnection, 'client'>,
  { environment, now }: Pick<Surroundings, 'environment' | 'now'>,
): Promise<{ readonly who: string; readonly aheadMs: number; readonly exactAheadMs: number }> {
  const review = await reviewSelf(client);
  const apart = Date.parse(review?.metadata?.creationTimestamp ?? '') - now().getTime();
  const exactAheadMs = Number.isNaN(apart) ? 0 : apart;
  return {
    who: review?.status?.userInfo.username ?? environment['USER'] ?? 'somebody',
    aheadMs: Math.abs(exactAheadMs) > skewAtMostMs ? exactAheadMs : 0,
    exactAheadMs,
  };
}

/** Who decides something and when, by the clock of the cluster: a decision that is dated later than it was made would
 *  count for what begins after it, too. */
export async function askDecider(
  connection: Pick<ClusterConnection, 'client'>,
  surroundings: Pick<Surroundings, 'environment' | 'now'>,
): Promise<{ readonly who: string; readonly now: () => Date }> {
  const { who, exactAheadMs } = await askSelf(connection, surroundings);
  return { who, now: () => new Date(surroundings.now().getTime() + exactAheadMs) };
}

async function reviewSelf(client: ClusterConnection['client']): Promise<z.infer<typeof Review> | undefined> {
  try {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    return Review.safeParse(await client.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, body)).data;
  } catch (cause) {
    if (!(cause instanceof Transient) || cause.kind === 'unreachable') throw cause;
    return undefined;
  }
}

export async function whoAmI(
  connection: Pick<ClusterConnection, 'client'>,
  surroundings: Pick<Surroundings, 'environment' | 'now'>,
): Promise<string> {
  return (await askSelf(connection, surroundings)).who;
}

/** Says where the cluster has another time than we have.
 *  @param aheadMs as `askSelf` says it */
export function noteClock(name: string, aheadMs: number, { note }: Pick<Surroundings, 'note'>): void {
  if (aheadMs === 0) return;
  const apart = duration(Math.abs(aheadMs) / 1000);
  note(`The clock of ${name} is ${apart} ${aheadMs > 0 ? 'ahead of' : 'behind'} yours; times are its own.`);
}
