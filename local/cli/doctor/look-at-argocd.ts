import { parse } from 'yaml';
import * as z from 'zod';
import type { ClusterConnection } from '../../../functions/adapters/kubernetes/connect.ts';
import { unlessUnserved } from '../../../functions/adapters/kubernetes/refusal.ts';
import { type Application, projectOf } from '../../../functions/core/argocd/application.ts';
import { clusterOf } from '../../../functions/core/argocd/destination.ts';
import { decidesAlone } from '../../../functions/core/argocd/pools-annotation.ts';
import type { ArgoCdSettings } from '../../../functions/core/configuration/argocd.ts';
import { renderedResources } from '../../../functions/core/impact/affected-pools.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { shippedNotifications } from '../../manifests/shipped-notifications.ts';
import type { NotificationsSeen } from './check-notifications.ts';
import type { ControllerSeen } from './check-notifications-controller.ts';

type Client = Pick<ClusterConnection['client'], 'get' | 'list'>;

const Data = z.object({ data: z.record(z.string(), z.string()).nullish() });
const Named = z.object({ metadata: z.object({ namespace: z.string(), name: z.string() }) });

/** The setup of Argo CD's notifications, read with the permissions of the person: the service account may read neither
 *  the ConfigMap nor the Secret. Of the Secret only the key names are kept. Throws Transient. */
export async function lookAtArgoCd(
  { client, argocd }: Pick<ClusterConnection, 'client' | 'argocd'>,
  settings: ArgoCdSettings,
): Promise<Omit<NotificationsSeen, 'url'>> {
  const home = `/api/v1/namespaces/${encodeURIComponent(settings.controllerNamespace)}`;
  const config = await client.get(`${home}/configmaps/argocd-notifications-cm`);
  const secret = await client.get(`${home}/secrets/argocd-notifications-secret`);
  const labelled = await labelledIn(client, settings.namespaces);
  const { items } = await argocd(settings).listApplications();
  return {
    config: config === undefined ? undefined : (Data.parse(config).data ?? {}),
    shipped: Data.parse(parse(shippedNotifications())).data ?? {},
    secretKeys: secret === undefined ? [] : Object.keys(Data.parse(secret).data ?? {}),
    controller: await lookAtController(client, settings.controllerNamespace),
    applications: items.map((each) => ({
      name: nameOf(each),
      owner: `${each.namespace}/${projectOf(each) ?? ''}`,
      isLabelled: labelled.has(nameOf(each)),
      isSubscribed: subscription in each.annotations,
      changesPools: changesPools(each, settings),
    })),
    instance: settings.name,
    namespace: settings.controllerNamespace,
  };
}

/** Its value is the recipient, of which a webhook has none. */
const subscription = 'notifications.argoproj.io/subscribe.on-poolkeeper-operation.poolkeeper';

function nameOf({ namespace, name }: Pick<Application, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}

async function labelledIn(client: Client, namespaces: readonly string[]): Promise<ReadonlySet<string>> {
  const lists = await Promise.all(
    namespaces.map((namespace) =>
      client.list(`/apis/argoproj.io/v1alpha1/namespaces/${encodeURIComponent(namespace)}/applications`, {
        query: { labelSelector: 'poolkeeper.dev/watch=true' },
        pageSize: 250,
        form: 'metadata',
      }),
    ),
  );
  return new Set(lists.flat().map((each) => nameOf(Named.parse(each).metadata)));
}

/** By what it deploys, unless its annotation says that it changes none. */
function changesPools(application: Application, settings: ArgoCdSettings): boolean {
  const { named } = application;
  if (clusterOf(application, settings) === undefined) return false;
  return renderedResources(application).length > 0 && !(decidesAlone(named) && named?.pools.length === 0);
}

const Deployment = z.object({
  metadata: z.object({ name: z.string(), labels: z.record(z.string(), z.string()).nullish() }),
  spec: z.object({ replicas: z.number().nullish() }).nullish(),
  status: z.object({ readyReplicas: z.number().nullish() }).nullish(),
});
const Operand = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({ notifications: z.object({ enabled: z.boolean().nullish() }).nullish() }).nullish(),
});

/** What cannot be read costs no other check. */
async function lookAtController(client: Client, namespace: string): Promise<ControllerSeen> {
  const within = `namespaces/${encodeURIComponent(namespace)}`;
  try {
    const all = await client.list(`/apis/apps/v1/${within}/deployments`, { pageSize: 100 });
    const operands = await unlessUnserved(
      client.list(`/apis/argoproj.io/v1beta1/${within}/argocds`, { pageSize: 100 }),
      [],
    );
    return {
      deployments: all
        .map((each) => Deployment.parse(each))
        .filter(isController)
        .map(({ metadata: { name }, spec, status }) => ({
          name,
          wanted: spec?.replicas ?? 1,
          ready: status?.readyReplicas ?? 0,
        })),
      turnedOffIn: operands
        .map((each) => Operand.parse(each))
        .filter(({ spec }) => spec?.notifications?.enabled !== true)
        .map(({ metadata }) => metadata.name),
    };
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    return { unread: cause.message };
  }
}

/** Upstream names it `argocd-notifications-controller` and says so by the component; the operator prefixes the name of
 *  the ArgoCD object, as in `openshift-gitops-notifications-controller`; a Helm chart that of its release. */
function isController({ metadata: { name, labels } }: z.infer<typeof Deployment>): boolean {
  const component = labels?.['app.kubernetes.io/component'];
  return name.endsWith('-notifications-controller') || component === 'notifications-controller';
}
