import * as z from 'zod';
import type { ControllerPod } from '../../core/argocd/controller-pod.ts';
import type { ArgoCdSettings } from '../../core/configuration/argocd.ts';
import { everyName, type Listed, nothingListed } from '../../core/findings/listed.ts';
import type { AppProject } from '../../core/guard/app-project.ts';
import { refreshAnnotation } from '../../core/guard/refresh.ts';
import { fieldManager } from '../../core/openshift/hold.ts';
import { isWithoutRights, Transient } from '../../core/text/errors.ts';
import { foreignName } from '../../core/text/foreign-text.ts';
import { latest } from '../../core/text/instant.ts';
import { unique } from '../../core/text/unique.ts';
import type { ArgoCd, GuardsChange } from '../../ports/argocd.ts';
import { appProjectOf, guardsPatch, withDescriptions } from './app-project-of.ts';
import { applicationOf } from './application-of.ts';
import { setRouteOf } from './application-set-of.ts';
import { itemByItem } from './item-by-item.ts';
import type { KubeClient } from './kube-client.ts';
import { Metadata, understand } from './metadata.ts';
import { unlessUnserved } from './refusal.ts';
import { repeatOperation } from './repeat-operation.ts';

const nameLabel = 'app.kubernetes.io/name';

/** Applications are large (tens of kB each); the client uses smaller pages if 250 do not fit. */
const pageSize = 250;

const Labelled = z.object({ metadata: z.object({ labels: z.record(z.string(), z.unknown()) }) });

const Pod = z.object({
  metadata: Metadata,
  spec: z.object({ nodeName: z.string().nullish() }).nullish(),
  status: z
    .object({
      phase: z.string().nullish(),
      containerStatuses: z
        .array(
          z.object({
            state: z.object({ running: z.object({ startedAt: z.string().nullish() }).nullish() }).nullish(),
          }),
        )
        .nullish()
        .catch(undefined),
    })
    .nullish(),
});

/** The Argo CD instance of `settings`, read through the API server of the cluster it runs in. */
export function clusterArgoCd(
  client: KubeClient,
  settings: Pick<ArgoCdSettings, 'name' | 'namespaces' | 'controllerNamespace' | 'poolsAnnotation'>,
): ArgoCd {
  const { name: argocd, namespaces, controllerNamespace } = settings;

  const projectsPath = applicationsPath(controllerNamespace, 'appprojects');
  const pathOfProject = (project: string) => `${projectsPath}/${encodeURIComponent(project)}`;

  const applicationsIn = (namespace: string) =>
    listed('Application', applicationsPath(namespace), (each) => applicationOf(argocd, each, settings));
  const setsIn = (namespace: string) =>
    listed('ApplicationSet', applicationsPath(namespace, 'applicationsets'), (each) => setRouteOf(argocd, each));

  /** Page by page: what is kept of an object is a small part of it, and tenants may write megabytes into each. */
  async function listed<T>(kind: string, path: string, parse: (body: unknown) => T): Promise<Listed<T>> {
    const lists: Listed<T>[] = [];
    for await (const bodies of client.pages(path, { pageSize })) lists.push(itemByItem(kind, bodies, parse));
    return joinedLists(lists);
  }

  async function controllerPods(): Promise<readonly ControllerPod[]> {
    const pods = await client.list(`/api/v1/namespaces/${encodeURIComponent(controllerNamespace)}/pods`, {
      query: { labelSelector: nameLabel },
      pageSize,
    });
    return pods.filter(isController).flatMap((body) => controllerPod(body) ?? []);
  }

  /** A list of each namespace. Whoever owns one may delete it and our rights with it: then it is named, and hides no
   *  other. Not so Argo CD's own, nor where nothing may be listed. */
  async function everywhere<T>(kind: string, listIn: (namespace: string) => Promise<Listed<T>>): Promise<Listed<T>> {
    const refusals: Transient[] = [];
    const lists = await Promise.all(
      namespaces.map(async (namespace) => {
        try {
          return await listIn(namespace);
        } catch (cause) {
          if (namespace === controllerNamespace || !isWithoutRights(cause)) throw cause;
          refusals.push(cause);
          const why = `cannot be listed: ${cause.message}`;
          return { items: [], unreadable: [{ kind, namespace, name: everyName, why }] };
        }
      }),
    );
    const [first] = refusals;
    if (first !== undefined && refusals.length === namespaces.length) throw first;
    return joinedLists(lists);
  }

  return {
    name: argocd,

    listApplications: () => everywhere('Application', applicationsIn),

    async countApplications() {
      const countIn = async (namespace: string) => {
        try {
          return await client.count(applicationsPath(namespace));
        } catch (cause) {
          if (isWithoutRights(cause)) return undefined;
          throw cause;
        }
      };
      return new Map(await Promise.all(namespaces.map(async (each) => [each, await countIn(each)] as const)));
    },

    async readApplication({ namespace, name }) {
      const application = await client.get(`${applicationsPath(namespace)}/${encodeURIComponent(name)}`);
      return application === undefined ? undefined : applicationOf(argocd, application, settings);
    },

    async listApplicationSets() {
      // An Argo CD without its ApplicationSet controller may not have the kind.
      const { items, unreadable } = await everywhere('ApplicationSet', (namespace) =>
        unlessUnserved(setsIn(namespace), nothingListed),
      );
      return { items: items.filter((route) => route !== undefined), unreadable };
    },

    async retrySync({ namespace, name }, startedAt) {
      const path = `${applicationsPath(namespace)}/${encodeURIComponent(name)}`;
      const application = await client.get(path);
      const patch = application === undefined ? undefined : repeatOperation(application, startedAt);
      if (patch === undefined) return 'changed';
      try {
        await client.mergePatch(path, { fieldManager }, patch);
        return 'started';
      } catch (cause) {
        if (cause instanceof Transient && cause.kind === 'conflict') return 'changed';
        throw cause;
      }
    },

    async listProjects() {
      const projects = await client.list(projectsPath, { pageSize });
      return itemByItem('AppProject', projects, (each) => appProjectOf(argocd, each));
    },

    async readProject(project) {
      const body = await client.get(pathOfProject(project));
      return body === undefined ? undefined : appProjectOf(argocd, body);
    },

    async writeGuards(project, change) {
      const path = pathOfProject(project.name);
      const patch = (before: AppProject, after: GuardsChange) =>
        client
          .mergePatch(path, { fieldManager }, guardsPatch(before, after))
          .then((body) => appProjectOf(argocd, body));
      const stored = await patch(project, change);
      if (withDescriptions(stored.windows) >= withDescriptions(change.windows)) return stored;
      const guards = project.record.kind === 'guards' ? project.record.guards : [];
      await patch(stored, { windows: project.windows, guards });
      throw new Transient(
        `AppProject ${project.name}: this Argo CD does not keep the description of a sync window, by which Poolkeeper knows its own (3.2 does)`,
        { kind: 'invalid' },
      );
    },

    async refresh({ namespace, name }) {
      const path = `${applicationsPath(namespace)}/${encodeURIComponent(name)}`;
      await client.mergePatch(path, { fieldManager }, { metadata: { annotations: { [refreshAnnotation]: 'normal' } } });
    },

    async controllerNodes() {
      const nodes = (await controllerPods()).map(({ node }) => node).filter((node) => node !== undefined);
      return unique(nodes).sort();
    },

    controllerPods,
  };
}

function joinedLists<T>(lists: readonly Listed<T>[]): Listed<T> {
  return { items: lists.flatMap(({ items }) => items), unreadable: lists.flatMap(({ unreadable }) => unreadable) };
}

function applicationsPath(namespace: string, resource = 'applications'): string {
  return `/apis/argoproj.io/v1alpha1/namespaces/${encodeURIComponent(namespace)}/${resource}`;
}

/** Whether it is a pod of the application controller. Upstream labels it `argocd-application-controller`; the operator
 *  prefixes the name of the ArgoCD object, as in `openshift-gitops-application-controller`. Selectors have no suffix
 *  match. */
function isController(body: unknown): boolean {
  const read = Labelled.safeParse(body);
  const name = read.success ? read.data.metadata.labels[nameLabel] : undefined;
  return typeof name === 'string' && name.endsWith('-application-controller');
}

/** Undefined if it has ended. Throws Transient if invalid: where the controller runs is unknown then. */
function controllerPod(body: unknown): ControllerPod | undefined {
  const { metadata, spec, status } = understand(Pod, body, 'Pod');
  if (['Succeeded', 'Failed'].includes(status?.phase ?? '')) return undefined;
  const starts = (status?.containerStatuses ?? []).map(({ state }) => state?.running?.startedAt ?? undefined);
  return {
    name: foreignName(metadata.name),
    namespace: foreignName(metadata.namespace ?? ''),
    node: spec?.nodeName ? foreignName(spec.nodeName) : undefined,
    runningSince: starts.includes(undefined) ? undefined : latest(starts.map(instantOf)),
  };
}

/** Undefined if it is no time. */
function instantOf(text: string | undefined): string | undefined {
  return text === undefined || Number.isNaN(Date.parse(text)) ? undefined : foreignName(text);
}
