import * as z from 'zod';
import type { ClusterConnection } from '../../../functions/adapters/kubernetes/connect.ts';
import type { ArgoCdSettings } from '../../../functions/core/configuration/argocd.ts';
import type { NotificationsSeen } from './check-notifications.ts';

const Data = z.object({ data: z.record(z.string(), z.string()).nullish() });

/** The setup of Argo CD's notifications, read with the permissions of the person: the service account may read neither
 *  the ConfigMap nor the Secret. Of the Secret only the key names are kept. Throws Transient. */
export async function lookAtArgoCd(
  { client }: Pick<ClusterConnection, 'client'>,
  settings: ArgoCdSettings,
): Promise<Omit<NotificationsSeen, 'url'>> {
  const home = `/api/v1/namespaces/${encodeURIComponent(settings.controllerNamespace)}`;
  const config = await client.get(`${home}/configmaps/argocd-notifications-cm`);
  const secret = await client.get(`${home}/secrets/argocd-notifications-secret`);
  const watched = await Promise.all(
    settings.namespaces.map((namespace) =>
      client.list(`/apis/argoproj.io/v1alpha1/namespaces/${encodeURIComponent(namespace)}/applications`, {
        query: { labelSelector: 'poolkeeper.dev/watch=true' },
        pageSize: 250,
        form: 'metadata',
      }),
    ),
  );
  return {
    config: config === undefined ? undefined : (Data.parse(config).data ?? {}),
    secretKeys: secret === undefined ? [] : Object.keys(Data.parse(secret).data ?? {}),
    watched: watched.flat().length,
    instance: settings.name,
    namespace: settings.controllerNamespace,
  };
}
