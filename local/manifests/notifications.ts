import { parse } from 'yaml';
import * as z from 'zod';
import type { KubeObject } from './kube-object.ts';

/** `configmap`: upstream Argo CD. `operator`: OpenShift GitOps, whose operator writes the ConfigMaps from its own
 *  resources and reverts other changes to them. */
export type ArgoCdForm = 'configmap' | 'operator';

export interface NotificationsOptions {
  /** Text of docs/install/argocd-notifications-cm.yaml, the only place that has trigger and template. */
  readonly shipped: string;
  readonly form: ArgoCdForm;
  readonly namespace: string;
  /** Name of this Argo CD instance in poolkeeper.yaml. */
  readonly instance: string;
  /** Address of Poolkeeper, without a trailing slash. */
  readonly url: string;
}

const Shipped = z.object({
  metadata: z.object({ name: z.string(), labels: z.record(z.string(), z.string()) }),
  data: z.record(z.string(), z.string()),
});

/** Makes Argo CD notify us of every operation, in the form that this Argo CD reads. */
export function notificationsObject({ shipped, form, namespace, instance, url }: NotificationsOptions): KubeObject {
  const { metadata, data } = Shipped.parse(parse(shipped));
  const own: Readonly<Record<string, string>> = Object.fromEntries(
    Object.entries(data).map(([key, value]) => [
      key,
      value
        .replaceAll('https://poolkeeper.example.com', url)
        .replaceAll('poolkeeperInstance: openshift-gitops', `poolkeeperInstance: ${instance}`),
    ]),
  );
  if (form === 'configmap') {
    const { name, labels } = metadata;
    return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, labels }, data: own };
  }
  const keysOf = (kind: string) =>
    Object.fromEntries(Object.entries(own).filter(([key]) => key === kind || key.startsWith(`${kind}.`)));
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'NotificationsConfiguration',
    // The only name that the operator reads.
    metadata: { name: 'default-notifications-configuration', namespace },
    spec: {
      context: parse(own['context'] ?? '{}'),
      services: keysOf('service'),
      triggers: keysOf('trigger'),
      templates: keysOf('template'),
      subscriptions: keysOf('subscriptions'),
    },
  };
}
