import type { ApplicationPlan } from './argocd/application-plan.ts';
import { applyManifest, placeOf } from './argocd/apply-manifest.ts';
import type { GitPush, GitRepository } from './argocd/git-repository.ts';
import type { OpenShift } from './index.ts';
import { machineConfigManifest } from './machine-config/machine-config-manifest.ts';

/** The cluster of the demo that `npm start` runs, which end-to-end tests start from too. */
export interface ReferenceWorld {
  readonly openshift: OpenShift;
  /** The repository that the application follows. */
  readonly repository: GitRepository;
  /** Changes the machine config in Git, as a colleague would: to this time server, or to a new one. `more`:
   *  further files of the same commit. */
  pushChange(server?: string, more?: Readonly<Record<string, string>>): GitPush;
  /** Ends the deadlock without an outage: a second node gets the label that the pods require. */
  labelSecondNode(): void;
}

/** The Application with the workers' machine config; its sync is automated. */
export const application = 'platform-machine-config';
/** The machine config that a push changes. */
export const machineConfig = '99-worker-chrony';
/** The pool that a push affects. */
const pool = 'worker';
/** The only node that the pods of `shop/web` can run on. */
export const fastNode = 'worker-2';
/** The node that {@link ReferenceWorld.labelSecondNode} makes fit as well. */
export const secondNode = 'worker-0';

/** The folder that the Application follows, and the file with the machine config. */
export const directory = 'machine-config';
export const machineConfigFile = `${directory}/worker-chrony.json`;

/** Three control-plane nodes and three workers. Both pods of `shop/web` run on the one worker with a fast disk, and a
 *  budget requires one of them. So the drain of this node gets stuck: it evicts the first pod, whose replacement stays
 *  Pending because its only node is cordoned, and as long as that lasts the budget refuses to evict the second. What is
 *  in Git is already in the cluster: nothing happens until somebody pushes. The pods of the controllers still take a
 *  few seconds of the cluster's time to start. */
export function buildReferenceWorld(openshift: OpenShift, plan: Pick<ApplicationPlan, 'retry'> = {}): ReferenceWorld {
  let servers = 1;
  const first = chronyManifest(serverName(servers));
  const files = { [machineConfigFile]: fileOf(first) };
  const repository = openshift.git.createRepository({ owner: 'acme', name: 'platform', files });
  createApplication(openshift, first, { repoURL: repository.cloneUrl, ...plan });
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
    pushChange(server = serverName(++servers), more = {}) {
      const changed = { [machineConfigFile]: fileOf(chronyManifest(server)), ...more };
      return repository.push({ message: 'chrony: use the new time server', files: changed });
    },
    labelSecondNode: () => openshift.labelNode(secondNode, { disk: 'ssd' }),
  };
}

type Manifest = ReturnType<typeof machineConfigManifest>;

/** The Application and what it manages, as if it had been synced long ago. */
function createApplication(
  openshift: OpenShift,
  manifest: Manifest,
  plan: Pick<ApplicationPlan, 'repoURL' | 'retry'>,
): void {
  const created = openshift.createApplication({
    name: application,
    ...plan,
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
