import { applyManifest, placeOf } from '../openshift/argocd/apply-manifest.ts';
import type { GitPush, GitRepository } from '../openshift/argocd/git-host.ts';
import type { OpenShift } from '../openshift/index.ts';
import { machineConfigManifest } from '../openshift/machine-config/machine-config-manifest.ts';

/** The cluster of the story: 3 control-plane nodes and 3 workers, an Application that manages a MachineConfig of the workers,
 *  and a web shop whose two pods may only run on the one node with a fast disk. */
export interface StoryWorld {
  readonly repository: GitRepository;
  /** Changes the MachineConfig in Git, as a colleague would. */
  pushChange(): GitPush;
  /** What the message about the blocked drain advises: a second node gets the label. */
  labelSecondNode(): Promise<void>;
}

export const application = 'platform-machine-config';
export const machineConfig = '99-worker-chrony';
/** The only node that the shop's pods fit on. */
export const fastNode = 'worker-2';
export const secondNode = 'worker-3';
const path = 'machine-config/worker-chrony.json';

/** What is in Git is in the cluster already: nothing happens until somebody pushes. */
export function buildStoryWorld(openshift: OpenShift): StoryWorld {
  const first = 'ntp1.example.com';
  const repository = openshift.git.createRepository({
    owner: 'acme',
    name: 'platform',
    files: { [path]: chrony(first) },
  });
  const created = openshift.createApplication({
    name: application,
    repoURL: repository.cloneUrl,
    path: 'machine-config',
    automated: { prune: true, selfHeal: true },
    labels: { 'poolkeeper.dev/watch': 'true' },
  });
  const manifest = chronyManifest(first);
  const place = placeOf(manifest, created);
  if (place !== undefined) applyManifest(openshift.registry, manifest, { application: created, place, dryRun: false });

  openshift.addPool({ name: 'master' });
  openshift.addNodes({ pool: 'master', names: ['master-1', 'master-2', 'master-3'] });
  openshift.addPool({ name: 'worker' });
  openshift.addNodes({ pool: 'worker', names: ['worker-1', secondNode] });
  openshift.addNodes({ pool: 'worker', names: [fastNode], labels: { disk: 'ssd' } });
  openshift.deploy({ namespace: 'shop', name: 'web', replicas: 2, nodeSelector: { disk: 'ssd' } });
  openshift.addDisruptionBudget({ namespace: 'shop', name: 'web', minAvailable: 1, matchLabels: { app: 'web' } });
  return {
    repository,
    pushChange: () =>
      repository.push({ message: 'chrony: use the new time server', files: { [path]: chrony('ntp2.example.com') } }),
    labelSecondNode: () => label(openshift, secondNode, { disk: 'ssd' }),
  };
}

function chrony(server: string): string {
  return JSON.stringify(chronyManifest(server), undefined, 2);
}

function chronyManifest(server: string) {
  return machineConfigManifest(machineConfig, 'worker', { '/etc/chrony.conf': `server ${server} iburst\n` });
}

function label({ url, token }: OpenShift, node: string, labels: Readonly<Record<string, string>>): Promise<void> {
  return fetch(`${url}/api/v1/nodes/${node}?fieldManager=kubectl-label`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/merge-patch+json' },
    body: JSON.stringify({ metadata: { labels } }),
  }).then((answer) => {
    if (!answer.ok) throw new Error(`labelling ${node} was answered with ${answer.status}`);
  });
}
