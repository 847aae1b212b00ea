import { stringify } from 'yaml';
import type { PodDisruptionBudget, Workload } from './api-server/cluster-objects.ts';
import { keyOf } from './api-server/kubernetes-object.ts';
import { deployments, nodes, podDisruptionBudgets, pods } from './api-server/resource-types.ts';
import { applyManifest, placeOf } from './argocd/apply-manifest.ts';
import type { GitRepository } from './argocd/git-host.ts';
import { type OpenShift, type OpenShiftOptions, startOpenShift } from './index.ts';
import { machineConfigManifest } from './machine-config/machine-config-manifest.ts';

/** The world of the story: what `npm start` shows, and what a test of the whole chain starts from. */
export interface ReferenceWorld {
  readonly openshift: OpenShift;
  /** The repository that the application follows. */
  readonly repository: GitRepository;
  /** The application with the machine configs of the workers; it syncs by itself. */
  readonly application: string;
  /** The pool that a push concerns. */
  readonly pool: string;
  /** The only node on which the guarded application may run: its drain is refused, and its replacement would stay Pending. */
  readonly guardedNode: string;
  /** Files of a push that changes a file on all workers; each call's content is another. */
  changeOf(content: string): Readonly<Record<string, string>>;
  /** Ends the deadlock without an outage: a second node gets the label that the pods insist on, and a third pod gives the budget air. */
  addRoom(): void;
  /** Ends the deadlock as the runbook does, at the price of an outage: the budget asks for nothing any more. */
  relaxBudget(): void;
}

const directory = 'machine-config';

export interface ReferenceWorldOptions extends OpenShiftOptions {
  /**
   * Once the guarded node is cordoned, somebody impatient deletes one of its two pods, and the replacement is Pending: the budget
   * needs two and has one. Without it both pods stay and the budget alone refuses the drain. Default true.
   */
  readonly impatience?: boolean;
}

/** How long the impatient person looks on. Milliseconds of the cluster's time. */
const patienceMs = 20_000;

/**
 * Three control-plane nodes and three workers. `shop/web` runs its two pods on the one worker with fast disks, guarded by a budget
 * that wants both, so that this node cannot be drained. What is in Git is in the cluster already: nothing happens until somebody
 * pushes. The pods of the controllers still take a few seconds of the cluster's time to start.
 */
export async function startReferenceWorld({
  impatience = true,
  ...options
}: ReferenceWorldOptions = {}): Promise<ReferenceWorld> {
  const openshift = await startOpenShift(options);
  const content = 'server time-1.example.com iburst';
  const repository = openshift.git.createRepository({ owner: 'acme', name: 'platform', files: changeOf(content) });
  const application = createApplication(openshift, repository, content);
  openshift.addPool({ name: 'master' });
  openshift.addPool({ name: 'worker' });
  openshift.addNodes({ pool: 'master', names: ['master-0', 'master-1', 'master-2'] });
  openshift.addNodes({ pool: 'worker', names: ['worker-0', 'worker-1'] });
  const guardedNode = 'worker-2';
  openshift.addNodes({ pool: 'worker', names: [guardedNode], labels: { disk: 'ssd' } });
  openshift.deploy({ namespace: 'shop', name: 'web', replicas: 2, nodeSelector: { disk: 'ssd' } });
  openshift.addDisruptionBudget({ namespace: 'shop', name: 'web', minAvailable: 2, matchLabels: { app: 'web' } });
  if (impatience) deletePodOnCordon(openshift, guardedNode);
  return {
    openshift,
    repository,
    application,
    pool: 'worker',
    guardedNode,
    changeOf,
    addRoom: () => addRoom(openshift),
    relaxBudget: () => relaxBudget(openshift),
  };
}

/** The application and, as if it had synced long ago, its machine config. */
function createApplication(openshift: OpenShift, repository: GitRepository, content: string): string {
  const application = openshift.createApplication({
    name: 'platform-machine-config',
    repoURL: repository.cloneUrl,
    path: directory,
    targetRevision: 'main',
    automated: { prune: true },
    labels: { 'poolkeeper.dev/watch': 'true' },
  });
  const manifest = chronyManifest(content);
  const place = placeOf(manifest, application);
  if (place) applyManifest(openshift.registry, manifest, { application, place, dryRun: false });
  return application.metadata.name;
}

function deletePodOnCordon({ registry, pace }: OpenShift, nodeName: string): void {
  const forget = registry.subscribe(({ type, object }) => {
    if (type !== nodes || object.metadata.name !== nodeName || !registry.get(nodes, nodeName)?.spec.unschedulable)
      return;
    forget();
    pace.after(patienceMs, () => {
      const [pod] = registry.list(pods, 'shop').filter(({ spec }) => spec.nodeName === nodeName);
      if (pod) registry.delete(pods, keyOf(pod), { manager: 'kubectl' });
    });
  });
}

const web = { name: 'web', namespace: 'shop' };

function addRoom(openshift: OpenShift): void {
  openshift.labelNode('worker-0', { disk: 'ssd' });
  const scale = ({ spec }: Workload) => Object.assign(spec, { replicas: 3 });
  openshift.registry.modify(deployments, web, scale, { manager: 'kubectl' });
}

function relaxBudget({ registry }: OpenShift): void {
  const relax = ({ spec }: PodDisruptionBudget) => Object.assign(spec, { minAvailable: 0 });
  registry.modify(podDisruptionBudgets, web, relax, { manager: 'kubectl-patch' });
}

function changeOf(content: string): Readonly<Record<string, string>> {
  return { [`${directory}/99-worker-chrony.yaml`]: stringify(chronyManifest(content)) };
}

function chronyManifest(content: string) {
  return machineConfigManifest('99-worker-chrony', 'worker', { '/etc/chrony.conf': `${content}\n` });
}
