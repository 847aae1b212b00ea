import * as z from 'zod';
import { applicationOf } from '../../../functions/adapters/kubernetes/application-of.ts';
import type { KubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import type { Application } from '../../../functions/core/argocd/application.ts';
import type { KnownApplication } from '../../../functions/core/diagnose/managed-by.ts';
import { routeOf } from '../../../functions/core/routing/route.ts';
import { Transient } from '../../../functions/core/text/errors.ts';

const argoproj = '/apis/argoproj.io/v1alpha1';
const Listed = z.object({ metadata: z.looseObject({ name: z.string() }) });

/** The Applications of the Argo CD in this cluster; empty if it runs elsewhere or they cannot be read.
 *  @param missed is told why they cannot be: without them a remedy does not know what Argo CD takes back */
export async function liveApplications(
  client: KubeClient,
  missed: (why: string) => void,
): Promise<readonly Application[]> {
  try {
    if ((await client.get(argoproj, { mayBeUnserved: true })) === undefined) return [];
    const objects = await client.list(`${argoproj}/applications`, { pageSize: 100 });
    return objects.filter((each) => Listed.safeParse(each).success).map((each) => applicationOf('', each));
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    missed(cause.message);
    return [];
  }
}

/** What a remedy says of one: the place in Git, without passwords, and whether live edits are taken back. */
export function knownOf(application: Application): KnownApplication {
  const { ref, sources, selfHeal } = routeOf(application, '');
  return { ref, sources, selfHeal };
}
