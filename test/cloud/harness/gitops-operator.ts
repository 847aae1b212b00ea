import { setTimeout } from 'node:timers/promises';
import type { ControlPlane } from '../../cluster/harness/control-plane.ts';
import { type Kube, type KubeObject, KubeRefusal } from '../../cluster/harness/kube.ts';
import { paths } from '../../cluster/harness/paths.ts';
import { until } from '../../cluster/harness/until.ts';
import { readManifest } from '../../cluster/toolchain/part.ts';
import { operatorFiles } from '../../cluster/toolchain/parts.ts';

const definitionsServedWithinMs = 60_000;
const passEveryMs = 300;

/**
 * A STAND-IN for the operator of OpenShift GitOps, with the definitions of the real one: it makes Argo CD's ConfigMaps
 * of its own two kinds, undoes what others write there, and makes or deletes the Secret and the
 * NotificationsConfiguration as notifications are turned on or off. The Argo CD that it configures is a real one.
 */
export async function startGitopsOperator(
  { kube, ensure }: Pick<ControlPlane, 'kube' | 'ensure'>,
  { definitions, namespace }: { readonly definitions: string; readonly namespace: string },
): Promise<{ readonly stop: () => Promise<void> }> {
  await ensure(...(await readManifest<KubeObject[]>(definitions, operatorFiles.definitions)));
  await until(
    async () => (await kube.list(at(namespace).argocds)) && kube.list(at(namespace).notifications),
    definitionsServedWithinMs,
    "the operator's kinds to be served",
  );
  // As OpenShift GitOps installs itself.
  await ensure({
    apiVersion: 'argoproj.io/v1beta1',
    kind: 'ArgoCD',
    metadata: { name: namespace, namespace },
    ...{ spec: { server: { route: { enabled: true } } } },
  });
  const stopped = new AbortController();
  const loop = (async () => {
    while (!stopped.signal.aborted) {
      await reconcile(kube, namespace).catch((cause: unknown) => {
        // Somebody wrote in between: the next pass sees it.
        if (!(cause instanceof KubeRefusal && [404, 409].includes(cause.status))) throw cause;
      });
      await setTimeout(passEveryMs);
    }
  })();
  return {
    stop: async () => {
      stopped.abort();
      await loop;
    },
  };
}

const configuration = 'default-notifications-configuration';
const secret = 'argocd-notifications-secret';

const at = (namespace: string) => ({
  argocds: `/apis/argoproj.io/v1beta1/namespaces/${namespace}/argocds`,
  notifications: `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/notificationsconfigurations`,
  ...paths.in(namespace),
});

async function reconcile(kube: Kube, namespace: string): Promise<void> {
  const { argocds, notifications, configMaps, secrets } = at(namespace);
  const argocd = await kube.get(`${argocds}/${namespace}`);
  const found = await kube.find(`${notifications}/${configuration}`);
  if (argocd.spec.notifications?.enabled !== true) {
    if (found !== undefined) await kube.delete(`${notifications}/${configuration}`);
    if ((await kube.find(`${secrets}/${secret}`)) !== undefined) await kube.delete(`${secrets}/${secret}`);
    return;
  }
  if ((await kube.find(`${secrets}/${secret}`)) === undefined) {
    const labels = { 'app.kubernetes.io/part-of': 'argocd' };
    await kube.post(secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'Opaque',
      metadata: { name: secret, namespace, labels },
    } as KubeObject);
  }
  if (found === undefined) {
    const metadata = { name: configuration, namespace };
    const spec = { triggers: { 'trigger.on-deployed': '- when: "false"\n  send: []\n' } };
    await kube.post(notifications, {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'NotificationsConfiguration',
      metadata,
      spec,
    });
    return;
  }
  await write(kube, `${configMaps}/argocd-notifications-cm`, notificationsData(found));
  await write(kube, `${configMaps}/argocd-cm`, settingsData(argocd));
}

type Data = Readonly<Record<string, string>>;

function notificationsData({ spec }: KubeObject): Data {
  const { context, ...others } = spec as Readonly<Record<string, Data>>;
  const lines = Object.entries(context ?? {}).map(([key, value]) => `${key}: ${value}\n`);
  return Object.assign({}, ...Object.values(others), context === undefined ? {} : { context: lines.join('') });
}

interface Check {
  readonly group: string;
  readonly kind: string;
  readonly check: string;
}

interface Ignored {
  readonly group: string;
  readonly kind: string;
  readonly customization: { readonly jsonPointers?: readonly string[] };
}

function settingsData({ spec }: KubeObject): Data {
  const checks = ((spec.resourceHealthChecks ?? []) as Check[]).map(({ group, kind, check }) => [
    `resource.customizations.health.${group}_${kind}`,
    check,
  ]);
  const ignored = ((spec.resourceIgnoreDifferences?.resourceIdentifiers ?? []) as Ignored[]).map(
    ({ group, kind, customization }) => [
      `resource.customizations.ignoreDifferences.${group}_${kind}`,
      JSON.stringify(customization),
    ],
  );
  return Object.fromEntries([...checks, ...ignored]);
}

/** What is there and not ours to make goes: the operator undoes what others write. */
async function write(kube: Kube, path: string, data: Data): Promise<void> {
  const { data: before = {} } = await kube.get(path);
  if (JSON.stringify(Object.entries(before).toSorted()) === JSON.stringify(Object.entries(data).toSorted())) return;
  await kube.patch(path, [{ op: 'add', path: '/data', value: data }], { type: 'json' });
}
