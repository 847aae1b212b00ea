import * as z from 'zod';
import { inPieces } from '../../../functions/adapters/in-pieces.ts';
import type { KubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { listed } from '../../../functions/core/text/phrases.ts';
import type { KubeObject } from '../../manifests/kube-object.ts';
import { objectName, objectPath } from './object-path.ts';

/** Calls at once. The time that a call may take begins before it has one of the few connections to an API server, and a
 *  day of runs can leave thousands of Jobs: called all at once, the last of them would end unanswered. */
export const callsAtOnce = 50;

/** What was deleted, and has its effect as before. */
export interface StillThere {
  readonly object: KubeObject;
  /** What keeps it, and what to do about that, for people. */
  readonly said: string;
}

const Stored = z.object({
  metadata: z.object({ deletionTimestamp: z.string().optional(), finalizers: z.array(z.string()).default([]) }),
});

/** Of what was deleted, what Argo CD has put back, or what others keep by a finalizer. Not what goes by itself, as a
 *  namespace does when it is empty. Throws Transient. */
export async function stillThere(
  client: Pick<KubeClient, 'get'>,
  objects: readonly KubeObject[],
): Promise<readonly StillThere[]> {
  const found = await inPieces(objects, callsAtOnce, async (object) => {
    const stored = await client.get(objectPath(object), { mayBeUnserved: true });
    const why = stored === undefined ? undefined : whyThere(Stored.parse(stored).metadata);
    return why === undefined ? [] : [{ object, said: `${objectName(object)} ${why}` }];
  });
  return found.flat();
}

function whyThere({ deletionTimestamp, finalizers }: z.infer<typeof Stored>['metadata']): string | undefined {
  if (deletionTimestamp === undefined) return 'is there again: take it out of what deploys it, as Argo CD, and repeat';
  if (finalizers.length === 0) return undefined;
  const [what, them] = finalizers.length === 1 ? ['finalizer', 'it'] : ['finalizers', 'them'];
  return `is deleted, and kept as it was by ${what} ${listed(finalizers, 3)}: repeat when whoever set ${them} has taken ${them} away`;
}
