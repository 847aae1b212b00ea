import * as z from 'zod';
import type { ClusterConnection } from '../../functions/adapters/kubernetes/connect.ts';
import { unlessUnserved } from '../../functions/adapters/kubernetes/refusal.ts';
import { usualArgocdNamespace } from '../../functions/core/configuration/argocd.ts';
import { isWithoutRights } from '../../functions/core/text/errors.ts';
import { unique } from '../../functions/core/text/unique.ts';

/** The usual namespaces of Argo CD: OpenShift GitOps, and upstream. */
const usualNamespaces = [usualArgocdNamespace, 'argocd'] as const;

const argoproj = '/apis/argoproj.io/v1alpha1';

type Client = Pick<ClusterConnection['client'], 'get' | 'list'>;

/** The Argo CD of a cluster, as far as the cluster tells. */
export interface FoundArgoCd {
  /** Namespaces with Applications, and its own. */
  readonly namespaces: readonly string[];
  /** Namespaces with Applications. */
  readonly used: readonly string[];
  /** Its own, where the application controller and the AppProjects are; undefined: not clear, as where more than one
   *  may be it, or there is none. */
  readonly home: string | undefined;
  /** Which may be its own, the likeliest first. */
  readonly candidates: readonly string[];
  /** Those with an application controller that has rights on the cluster. */
  readonly controllers: readonly string[];
}

/** Undefined: the cluster does not have Argo CD's kinds. Throws Transient if it cannot be read. */
export async function findArgoCd(client: Client): Promise<FoundArgoCd | undefined> {
  if ((await client.get(argoproj, { mayBeUnserved: true })) === undefined) return undefined;
  const used = await namespacesWithApplications(client);
  const controllers = await controllerNamespaces(client, used);
  const usual = used.length === 0 ? await existing(client, usualNamespaces) : usualNamespaces.filter(isIn(used));
  const likely = likelyOf({ used, controllers, usual });
  const [first] = likely;
  // The default instance of an operator may be idle: without Applications it proves nothing where others have some.
  const isClear = likely.length === 1 && (used.length === 0 || likely.some(isIn(used)));
  const home = isClear ? first : undefined;
  const others = used.length === 0 ? usual : used;
  const unlikely = controllers.some(isIn(used)) ? controllers : [...controllers, ...used];
  return {
    namespaces: unique([...(home === undefined ? [] : [home]), ...others]).toSorted(),
    used,
    home,
    candidates: unique([...usualNamespaces.filter(isIn(likely)), ...likely, ...unlikely]),
    controllers,
  };
}

interface Places {
  readonly used: readonly string[];
  readonly controllers: readonly string[];
  readonly usual: readonly string[];
}

/** A tenant can make Applications, AppProjects and whole controllers where it has rights, but no ClusterRoleBinding:
 *  what has one goes before the usual names, and the first namespace with Applications is nobody's proof. */
function likelyOf({ used, controllers, usual }: Places): readonly string[] {
  return [controllers.filter(isIn(used)), controllers, usual].find(({ length }) => length > 0) ?? [];
}

const Named = z.object({ metadata: z.object({ name: z.string(), namespace: z.string().default('') }) });

async function namespacesWithApplications(client: Client): Promise<readonly string[]> {
  const applications = await client.list(`${argoproj}/applications`, { pageSize: 250, form: 'metadata' });
  return unique(applications.map((item) => Named.parse(item).metadata.namespace)).toSorted();
}

const Subject = z.object({ kind: z.string(), name: z.string(), namespace: z.string().optional() });
const Binding = z.object({ subjects: z.array(Subject) });

/** Upstream's name of its account; the operator prefixes the name of the ArgoCD object. */
const controllerAccount = 'argocd-application-controller';

/** Namespaces whose application controller has rights on the cluster, as every Argo CD that applies what belongs to no
 *  namespace; none where who asks may not read that. */
async function controllerNamespaces(client: Client, used: readonly string[]): Promise<readonly string[]> {
  const bindings = await clusterRoleBindings(client);
  const subjects = bindings.flatMap((each) => Binding.safeParse(each).data?.subjects ?? []);
  const named = subjects
    .filter(({ kind, name }) => kind === 'ServiceAccount' && name.endsWith(controllerAccount))
    .map(({ namespace }) => namespace ?? '');
  const found = unique(named).toSorted();
  // A binding outlives the namespace that it names.
  return [
    ...found.filter(isIn(used)),
    ...(await existing(
      client,
      found.filter((each) => !used.includes(each)),
    )),
  ];
}

async function clusterRoleBindings(client: Client): Promise<readonly unknown[]> {
  try {
    const path = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
    return await unlessUnserved(client.list(path, { pageSize: 250 }), []);
  } catch (cause) {
    if (isWithoutRights(cause)) return [];
    throw cause;
  }
}

async function existing(client: Client, names: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(names.map((name) => client.get(`/api/v1/namespaces/${encodeURIComponent(name)}`)));
  return names.filter((_name, index) => found[index] !== undefined);
}

function isIn(names: readonly string[]) {
  return (name: string): boolean => names.includes(name);
}
