import * as z from 'zod';
import type { KubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { Misconfigured, Transient } from '../../../functions/core/text/errors.ts';
import { asWord, listed } from '../../../functions/core/text/phrases.ts';
import { unique } from '../../../functions/core/text/unique.ts';
import { hasOurLabels } from './apply-objects.ts';

/** A namespace for the account, as it is on the cluster before anything is written. */
export interface FoundNamespace {
  readonly isThere: boolean;
  /** It has the labels of what we install. On OpenShift who owns a project cannot set labels of its namespace. */
  readonly hasOurLabels: boolean;
}

/** Throws Transient. */
export async function findNamespace(client: Pick<KubeClient, 'get'>, name: string): Promise<FoundNamespace> {
  const stored = await client.get(`/api/v1/namespaces/${name}`, { mayBeUnserved: true });
  return { isThere: stored !== undefined, hasOurLabels: hasOurLabels(stored) };
}

/** Refuses one that others have made and nobody vouches for: every user of OpenShift may request a project of any
 *  name, and who administers a namespace creates tokens of its accounts, and pods that run as them. Rights that are not
 *  there now may have left a token or a workload behind. Throws Misconfigured and Transient. */
export async function requireTrusted(
  client: Pick<KubeClient, 'list'>,
  {
    name,
    found,
    isVouchedFor,
  }: { readonly name: string; readonly found: FoundNamespace; readonly isVouchedFor: boolean },
): Promise<void> {
  if (!found.isThere || found.hasOurLabels || isVouchedFor) return;
  const now = await whoElseMayAct(client, name);
  throw new Misconfigured([
    `namespace ${name} is there already, and not made by connect: whoever has rights in it, or had them and left a token or a workload there, can act as the account, past every hold and gate${now === undefined ? '' : `; now ${now}`}. Choose another with --namespace, or, where only administrators of the cluster ever had rights in it, add --existing-namespace`,
  ]);
}

/** For people: who else has rights in the namespace, by its RoleBindings; undefined: nobody, or they may not be listed.
 *  Its own accounts do not count: OpenShift gives each namespace some. Throws Transient. */
export async function whoElseMayAct(client: Pick<KubeClient, 'list'>, name: string): Promise<string | undefined> {
  const others = (await bindingsIn(client, name)).flatMap(({ metadata, subjects }) =>
    (subjects ?? []).filter((subject) => !isOfNamespace(subject, name)).map((subject) => said(subject, metadata.name)),
  );
  return others.length === 0 ? undefined : listed(unique(others), 3);
}

async function bindingsIn(client: Pick<KubeClient, 'list'>, name: string): Promise<z.infer<typeof Bindings>> {
  try {
    const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${name}/rolebindings`;
    return Bindings.parse(await client.list(path, { pageSize: 250 }));
  } catch (cause) {
    if (cause instanceof Transient && cause.kind === 'forbidden') return [];
    throw cause;
  }
}

const Subject = z.object({ kind: z.string(), name: z.string(), namespace: z.string().optional() });
const Bindings = z.array(z.object({ metadata: z.object({ name: z.string() }), subjects: z.array(Subject).nullish() }));
type Subject = z.infer<typeof Subject>;

function isOfNamespace({ kind, name, namespace }: Subject, home: string): boolean {
  return kind === 'ServiceAccount' ? namespace === home : name === `system:serviceaccounts:${home}`;
}

function said({ kind, name, namespace }: Subject, binding: string): string {
  const who = namespace === undefined ? asWord(name) : `${asWord(namespace)}/${asWord(name)}`;
  return `${kind} ${who} by RoleBinding ${asWord(binding)}`;
}
