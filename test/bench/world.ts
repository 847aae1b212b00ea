import { type Draft, type Kube, KubeRefusal } from '../cluster/harness/kube.ts';
import { machineConfig, pool } from '../cluster/harness/objects.ts';
import { collectionOf, paths } from '../cluster/harness/paths.ts';

/** Where the Applications live. */
export const argocdNamespace = 'argocd';

/** The repository that an Application takes its manifests from. */
export function repositoryUrl(application: string): string {
  return `https://git.example.com/acme/${application}`;
}

/** MachineConfigs that every pool's render takes besides its own: a small cluster has about so many. */
const commonConfigs = [
  '00-base',
  '01-container-runtime',
  '01-kubelet',
  '97-generated-kubelet',
  '98-registries',
  '99-ssh',
];

/** The MachineConfig that the Application of this name manages. */
function configOf(application: string): string {
  return `99-${application}`;
}

/** A pool at rest with three machines, whose rendered config has taken the MachineConfigs of these Applications in. */
export async function createPool(kube: Kube, name: string, applications: readonly string[]): Promise<void> {
  const rendered = {
    name: `rendered-${name}-0123456789abcdef0123456789abcdef`,
    source: [...commonConfigs, ...applications.map(configOf)].map((config) => ({
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'MachineConfig',
      name: config,
    })),
  };
  const draft = pool({ name });
  const created = await kube.post(paths.pools, { ...draft, spec: { ...draft.spec, configuration: rendered } });
  const at = '2026-01-01T00:00:00Z';
  const condition = (type: string, status: string) => ({
    type,
    status,
    reason: '',
    message: '',
    lastTransitionTime: at,
  });
  await kube.put(`${paths.pools}/${name}/status`, {
    ...created,
    status: {
      observedGeneration: created.metadata.generation,
      configuration: rendered,
      machineCount: 3,
      updatedMachineCount: 3,
      readyMachineCount: 3,
      unavailableMachineCount: 0,
      degradedMachineCount: 0,
      conditions: [
        condition('RenderDegraded', 'False'),
        condition('NodeDegraded', 'False'),
        condition('Degraded', 'False'),
        { ...condition('Updated', 'True'), message: `All nodes are updated with MachineConfig ${rendered.name}` },
        condition('Updating', 'False'),
      ],
    },
  });
}

/** An Application with automated sync, as Argo CD leaves it when its one MachineConfig is synced. */
export async function createApplication(kube: Kube, name: string): Promise<void> {
  const source = { repoURL: repositoryUrl(name), path: '.', targetRevision: 'main' };
  const resource = {
    group: 'machineconfiguration.openshift.io',
    version: 'v1',
    kind: 'MachineConfig',
    name: configOf(name),
  };
  await createOnce(kube, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: argocdNamespace },
    spec: {
      project: 'default',
      destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
      source,
      syncPolicy: { automated: { prune: true, selfHeal: true } },
    },
    status: {
      sync: {
        status: 'Synced',
        revision: '0'.repeat(40),
        comparedTo: { destination: { server: 'https://kubernetes.default.svc', namespace: 'default' }, source },
      },
      health: { status: 'Healthy' },
      resources: [{ ...resource, status: 'Synced' }],
    },
  });
  await createOnce(kube, machineConfig(configOf(name), 'worker'));
}

export async function createNamespace(kube: Kube): Promise<void> {
  await createOnce(kube, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: argocdNamespace } });
}

async function createOnce(kube: Kube, draft: Draft): Promise<void> {
  await kube.post(collectionOf(draft), draft).catch((cause: unknown) => {
    if (!(cause instanceof KubeRefusal && cause.reason === 'AlreadyExists')) throw cause;
  });
}

/** What the Machine Config Operator does at its next look at a pool: says that it has seen this generation. */
export async function observeGeneration(kube: Kube, name: string): Promise<void> {
  const now = await kube.get(`${paths.pools}/${name}`);
  const status = { ...now.status, observedGeneration: now.metadata.generation };
  await kube.put(`${paths.pools}/${name}/status`, { ...now, status });
}

/** The pool as before the push. */
export async function resetPool(kube: Kube, name: string): Promise<void> {
  await kube.patch(`${paths.pools}/${name}`, {
    metadata: { annotations: { 'poolkeeper.dev/holds': null } },
    spec: { paused: null },
  });
}

/** Of the API server, e.g. `v1.34.4`. */
export async function versionOf(kube: Kube): Promise<string> {
  const { gitVersion } = (await kube.get('/version')) as unknown as { readonly gitVersion: string };
  return gitVersion;
}
