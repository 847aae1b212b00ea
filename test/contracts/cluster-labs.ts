import { randomBytes } from 'node:crypto';
import { connectCluster } from '../../functions/adapters/kubernetes/connect.ts';
import { systemRuntime } from '../../functions/adapters/time/system-runtime.ts';
import type { Application, Operation } from '../../functions/core/argocd/application.ts';
import { type Admin, type AdminOptions, connectAdmin } from './admin.ts';
import type { ArgoCdLab } from './argocd.contract.ts';
import type { PoolDraft, PoolsLab } from './pools.contract.ts';

const mco = '/apis/machineconfiguration.openshift.io/v1';
const mcoVersion = 'machineconfiguration.openshift.io/v1';
const nodePrefix = 'machineconfiguration.openshift.io';

/** An API server with OpenShift's and Argo CD's kinds, reached by the real adapters. Only what every kube-apiserver
 *  does is relied on. Objects are taken away again at the end; names are new in every lab. */
export async function clusterPoolsLab(access: AdminOptions): Promise<PoolsLab> {
  const admin = connectAdmin(access);
  const cluster = connect(access);
  const made = createdObjects(admin);
  const nameOf = names();

  return {
    pools: cluster.pools,
    nameOf,
    async createPool(draft) {
      await admin.post(`${mco}/machineconfigpools`, poolManifest(draft), 'creator');
      made.add(`${mco}/machineconfigpools/${draft.name}`);
    },
    async editPool(name, manager, { paused, maxUnavailable, annotations }) {
      const spec = { ...(paused === undefined ? {} : { paused }), ...(maxUnavailable && { maxUnavailable }) };
      await admin.patch(`${mco}/machineconfigpools/${name}`, { metadata: { annotations }, spec }, manager);
    },
    async reportPool(name, { observedGeneration, counts, conditions, current }) {
      const status = {
        observedGeneration,
        machineCount: counts.machines,
        updatedMachineCount: counts.updated,
        readyMachineCount: counts.ready,
        unavailableMachineCount: counts.unavailable,
        degradedMachineCount: counts.degraded,
        configuration: { name: current.name, source: current.sources.map((each) => ({ name: each })) },
        conditions: conditions.map(({ since, ...condition }) => ({ ...condition, lastTransitionTime: since })),
      };
      await admin.patch(`${mco}/machineconfigpools/${name}/status`, { status }, 'machine-config-controller');
    },
    async deletePool(name) {
      await admin.delete(`${mco}/machineconfigpools/${name}`);
      made.forget(`${mco}/machineconfigpools/${name}`);
    },
    async createNode({ name, labels, currentConfig, desiredConfig, state, reason }) {
      const annotations = {
        [`${nodePrefix}/currentConfig`]: currentConfig,
        [`${nodePrefix}/desiredConfig`]: desiredConfig,
        [`${nodePrefix}/state`]: state,
        [`${nodePrefix}/reason`]: reason,
      };
      await admin.post('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name, labels, annotations } });
      made.add(`/api/v1/nodes/${name}`);
    },
    async targetNode(name, config) {
      const annotations = { [`${nodePrefix}/desiredConfig`]: config };
      await admin.patch(`/api/v1/nodes/${name}`, { metadata: { annotations } }, 'machine-config-controller');
    },
    async createMachineConfig(name, labels) {
      const spec = { config: { ignition: { version: '3.4.0' } } };
      const manifest = { apiVersion: mcoVersion, kind: 'MachineConfig', metadata: { name, labels }, spec };
      await admin.post(`${mco}/machineconfigs`, manifest, 'argocd-controller');
      made.add(`${mco}/machineconfigs/${name}`);
    },
    async eventsOf({ uid }) {
      const list = await admin.get(`/api/v1/namespaces/default/events?fieldSelector=involvedObject.uid=${uid}`);
      return (list as { items: readonly { message: string }[] }).items.map(({ message }) => message);
    },
    async close() {
      await made.remove();
      await Promise.all([cluster.close(), admin.close()]);
    },
  };
}

export async function clusterArgoCdLab(access: AdminOptions): Promise<ArgoCdLab> {
  const admin = connectAdmin(access);
  const cluster = connect(access);
  const made = createdObjects(admin);
  const nameOf = names();
  const [first, second, otherNamespace] = [nameOf('argo-a'), nameOf('argo-b'), nameOf('argo-other')];
  for (const name of [first, second, otherNamespace])
    await admin.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

  return {
    argocd: cluster.argocd({ name: 'hub', namespaces: [first, second], controllerNamespace: first }),
    namespaces: [first, second],
    otherNamespace,
    nameOf,
    async createApplication(application) {
      await admin.post(applicationsPath(application.namespace), applicationManifest(application));
      made.add(`${applicationsPath(application.namespace)}/${application.name}`);
    },
    async createProject(name, windows) {
      const projects = `/apis/argoproj.io/v1alpha1/namespaces/${first}/appprojects`;
      await admin.post(projects, {
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'AppProject',
        metadata: { name, namespace: first },
        spec: { syncWindows: windows },
      });
      made.add(`${projects}/${name}`);
    },
    async deleteApplication({ namespace, name }) {
      await admin.delete(`${applicationsPath(namespace)}/${name}`);
      made.forget(`${applicationsPath(namespace)}/${name}`);
    },
    async createPod({ name, app, node }) {
      await admin.post(`/api/v1/namespaces/${first}/pods`, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, labels: { 'app.kubernetes.io/name': app } },
        spec: { nodeName: node, containers: [{ name: 'main', image: 'example.com/argocd' }] },
      });
      made.add(`/api/v1/namespaces/${first}/pods/${name}`);
    },
    async close() {
      await made.remove();
      await Promise.all([cluster.close(), admin.close()]);
    },
  };
}

function connect({ server, ca, token }: AdminOptions) {
  return connectCluster({
    ...systemRuntime,
    server,
    ca,
    token: async () => token,
    userAgent: 'poolkeeper/test',
    clock: () => new Date(),
  });
}

/** Names that do not meet those of other labs or of earlier runs on the same cluster. */
function names(): (base: string) => string {
  const lab = randomBytes(4).toString('hex');
  return (base) => `${base}-${lab}`;
}

function createdObjects(admin: Admin) {
  const paths = new Set<string>();
  return {
    add: (path: string) => void paths.add(path),
    forget: (path: string) => void paths.delete(path),
    remove: async () => {
      for (const path of paths) await admin.delete(path);
    },
  };
}

function poolManifest({ name, labels, annotations, ...spec }: PoolDraft): unknown {
  return { apiVersion: mcoVersion, kind: 'MachineConfigPool', metadata: { name, labels, annotations }, spec };
}

function applicationsPath(namespace: string): string {
  return `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/applications`;
}

/** An Application as Argo CD stores it. */
function applicationManifest(application: Application): unknown {
  const { namespace, name, annotations, destination, sources, automated, retryLimit, sync, health } = application;
  const several = sources.length > 1;
  const from = several ? { sources: sources.map(withoutEmpty) } : { source: sources.map(withoutEmpty)[0] };
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { namespace, name, annotations },
    spec: {
      project: 'default',
      destination: withoutEmpty(destination),
      ...from,
      syncPolicy: {
        ...(automated ? { automated: application.prunes === true ? { prune: true } : {} } : {}),
        ...(retryLimit === 0 ? {} : { retry: { limit: retryLimit } }),
      },
    },
    ...(application.operationQueued ? { operation: { sync: { revision: 'HEAD' } } } : {}),
    status: {
      sync: {
        status: sync.status,
        comparedTo: { ...from, destination: withoutEmpty(destination) },
        ...revisionFields(sync.revisions, several),
      },
      health: { status: health },
      resources: application.resources.map((resource) => ({ version: 'v1', ...withoutEmpty(resource) })),
      ...(application.operation === undefined
        ? {}
        : { operationState: operationState(application.operation, sources.map(withoutEmpty)[0]) }),
    },
  };
}

function operationState(operation: Operation, source: unknown): unknown {
  const { phase, message, startedAt, finishedAt, retryCount, dryRun, partial, asked: objects, results } = operation;
  const asked = {
    revision: operation.revisions[0],
    ...(dryRun ? { dryRun } : {}),
    ...(partial && objects === undefined ? { syncStrategy: { apply: {} } } : {}),
    ...(objects === undefined ? {} : { resources: objects.map(withoutEmpty) }),
  };
  return {
    phase,
    message,
    startedAt,
    ...(finishedAt === undefined ? {} : { finishedAt }),
    ...(retryCount === 0 ? {} : { retryCount }),
    operation: { sync: asked, initiatedBy: { automated: true } },
    ...(results.length === 0
      ? {}
      : {
          syncResult: {
            revision: operation.revisions[0],
            source,
            // Go writes these two also when they are empty.
            resources: results.map((each) => ({
              version: 'v1',
              group: each.group,
              namespace: each.namespace,
              ...withoutEmpty(each),
            })),
          },
        }),
  };
}

function revisionFields(all: readonly string[], several: boolean): object {
  return several ? { revision: '', revisions: all } : { revision: all[0] ?? '' };
}

/** As Go's `omitempty` does. */
function withoutEmpty(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
}
