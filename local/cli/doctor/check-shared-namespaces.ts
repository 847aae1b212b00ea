import * as z from 'zod';
import type { KubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { understand } from '../../../functions/adapters/kubernetes/metadata.ts';
import type { Sequences } from '../../../functions/core/configuration/sequence.ts';
import { checkJobOf } from '../../../functions/core/sequences/check-job.ts';
import { planOf } from '../../../functions/core/sequences/plan.ts';
import { listed } from '../../../functions/core/text/phrases.ts';
import { unique } from '../../../functions/core/text/unique.ts';
import { type Finding, ok, warning } from './finding.ts';

const Bindings = z.array(
  z.object({
    roleRef: z.object({ kind: z.string(), name: z.string() }),
    subjects: z.array(z.object({ kind: z.string(), name: z.string(), namespace: z.string().optional() })).nullish(),
  }),
);

/** Namespaces of a cluster in which checks of sequences run as Jobs. */
export function checkNamespaces(sequences: Sequences, cluster: string): readonly string[] {
  const namespaces = Object.entries(sequences ?? {}).flatMap(([name, sequence]) =>
    planOf(name, sequence)
      .gates.filter((gate) => gate.cluster === cluster)
      .flatMap(({ id, anyOf }) =>
        anyOf.flatMap(
          (gate) => checkJobOf(gate, { sequence: name, namespace: sequence.namespace, id })?.namespace ?? [],
        ),
      ),
  );
  return unique(namespaces).toSorted();
}

interface SharedTexts {
  /** What is there. */
  readonly are: string;
  /** What whoever writes there may do. */
  readonly may: string;
  readonly remedy: string;
}

const checksThere: SharedTexts = {
  are: 'sequences: checks run',
  may: 'may answer for them',
  remedy:
    'give checks a namespace of their own (resourceNamespace), or let only administrators and Poolkeeper write there',
};

/** Of the records of runs. */
export const recordsThere: SharedTexts = {
  are: 'runs: records are kept',
  may: 'may let nodes go',
  remedy: 'name another one (nodeTurns.recordNamespace), or let only administrators and Poolkeeper write there',
};

interface SharedIn {
  readonly client: Pick<KubeClient, 'list'>;
  /** Namespaces of Poolkeeper's accounts. */
  readonly homes: readonly string[];
}

/** Whether RoleBindings let others write where checks run: whoever may create pods there can answer for a check. Who
 *  may write in every namespace is not looked at: on each cluster these are many. Throws Transient. */
export async function checkSharedNamespaces(
  about: string,
  namespaces: readonly string[],
  { client, homes }: SharedIn,
  { are, may, remedy }: SharedTexts = checksThere,
): Promise<readonly Finding[]> {
  return Promise.all(
    namespaces.map(async (namespace) => {
      const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/rolebindings`;
      const bindings = understand(Bindings, await client.list(path, { pageSize: 100 }), path);
      const others = unique(bindings.flatMap((binding) => othersOf(binding, { namespace, homes })));
      if (others.length === 0)
        return ok(about, `${are} in namespace ${namespace}, and no RoleBinding lets others write there`);
      return warning(
        about,
        `${are} in namespace ${namespace}, where others may write, and so ${may}: ${listed(others, 3)}`,
        remedy,
      );
    }),
  );
}

/** ClusterRoles: who reads only may not write. A Role of that name may let write. */
const readOnly: readonly string[] = ['view', 'cluster-reader', 'system:image-puller'];

/** Accounts of the namespace itself are those of what runs there: pods of others need somebody who creates them. */
function othersOf(
  { roleRef, subjects }: z.infer<typeof Bindings>[number],
  { namespace: here, homes }: { readonly namespace: string; readonly homes: readonly string[] },
): readonly string[] {
  if (roleRef.kind === 'ClusterRole' && readOnly.includes(roleRef.name)) return [];
  return (subjects ?? []).flatMap(({ kind, name, namespace = here }) => {
    const isOwn = kind === 'ServiceAccount' ? namespace === here : name === `system:serviceaccounts:${here}`;
    const isPoolkeeper = kind === 'ServiceAccount' && name === 'poolkeeper' && homes.includes(namespace);
    return isOwn || isPoolkeeper ? [] : [`${kind} ${name} (${roleRef.name})`];
  });
}
