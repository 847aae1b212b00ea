import { applyManifest, placeOf } from './argocd/apply-manifest.ts';
import type { GitPush, GitRepository } from './argocd/git-repository.ts';
import type { OpenShift } from './index.ts';
import { machineConfigManifest } from './machine-config/machine-config-manifest.ts';

/** The cluster of the demo that `npm start` runs, which end-to-end tests start from too. */
export interface ReferenceWorld {
  readonly openshift: OpenShift;
  /** The repository that the application follows. */
  readonly repository: GitRepository;
  /** Changes the machine config in Git, as a colleague would: to the time server, or to one that was not there
   *  before. */
  pushChange(server?: string): GitPush;
  /** Ends the deadlock without an outage: a second node gets the label that the pods insist on. */
  labelSecondNode(): void;
}

/** The application with the machine config of the workers; it syncs by itself. */
export const application = 'platform-machine-config';
/** The machine config that a push changes. */
export const machineConfig = '99-worker-chrony';
/** The pool that a push concerns. */
const pool = 'worker';
/** The only node that the pods of `shop/web` fit on. */
export const fastNode = 'worker-2';
/** The node that {@link ReferenceWorld.labelSecondNode} makes fit too. */
export const secondNode = 'worker-0';

const directory = 'machine-config';
const file = `${directory}/worker-chrony.json`;

/**
 * Three control-plane nodes and three workers. `shop/web` runs its two pods on the one worker with a fast disk, guarded
 * by a budget that wants one of them. So the drain of this node comes to a halt: it evicts the first pod, whose
 * replacement is Pending because its only node is cordoned, and for as long as that lasts the budget refuses the
 * second. What is in Git is in the cluster already: nothing happens until somebody pushes. The pods of the controllers
 * still take a few seconds of the cluster's time to start.
 */
export function buildReferenceWorld(openshift: OpenShift): ReferenceWorld {
  let servers = 1;
  const first = chronyManifest(serverName(servers));
  const files = { [file]: fileOf(first) };
  const repository = openshift.git.createRepository({ owner: 'acme', name: 'platform', files });
  createApplication(openshift, repository, first);
  openshift.addPool({ name: 'master' });
  openshift.addNodes({ pool: 'master', names: ['master-0', 'master-1', 'master-2'] });
  openshift.addPool({ name: pool });
  openshift.addNodes({ pool, names: [secondNode, 'worker-1'] });
  openshift.addNodes({ pool, names: [fastNode], labels: { disk: 'ssd' } });
  openshift.deploy({ namespace: 'shop', name: 'web', replicas: 2, nodeSelector: { disk: 'ssd' } });
  openshift.addDisruptionBudget({ namespace: 'shop', name: 'web', minAvailable: 1, matchLabels: { app: 'web' } });
  return {
    openshift,
    repository,
    pushChange(server = serverName(++servers)) {
      const changed = { [file]: fileOf(chronyManifest(server)) };
      return repository.push({ message: 'chrony: use the new time server', files: changed });
    },
    labelSecondNode: () => openshift.labelNode(secondNode, { disk: 'ssd' }),
  };
}

type Manifest = ReturnType<typeof machineConfigManifest>;

/** The application and, as if it had synced long ago, what it manages. */
function createApplication(openshift: OpenShift, repository: GitRepository, manifest: Manifest): void {
  const created = openshift.createApplication({
    name: application,
    repoURL: repository.cloneUrl,
    path: directory,
    targetRevision: 'main',
    automated: { prune: true, selfHeal: true },
    labels: { 'poolkeeper.dev/watch': 'true' },
  });
  const place = placeOf(manifest, created);
  if (place) applyManifest(openshift.registry, manifest, { application: created, place, dryRun: false });
}

function serverName(count: number): string {
  return `ntp${count}.example.com`;
}

function chronyManifest(server: string): Manifest {
  return machineConfigManifest(machineConfig, pool, { '/etc/chrony.conf': `server ${server} iburst\n` });
}

function fileOf(manifest: Manifest): string {
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}
