import { stringify } from 'yaml';
import type { Application, Phase } from '../../../../local/openshift/argocd/application.ts';
import type { ApplicationPlan } from '../../../../local/openshift/argocd/application-plan.ts';
import { type ArgoCd, type ArgoCdOptions, startArgoCd } from '../../../../local/openshift/argocd/argocd.ts';
import { createGitHost, type GitHost } from '../../../../local/openshift/argocd/git-host.ts';
import type { GitPush, GitRepository } from '../../../../local/openshift/argocd/git-repository.ts';
import type { OperationEvent } from '../../../../local/openshift/argocd/operation-event.ts';
import { pushPayload } from '../../../../local/openshift/argocd/push-payload.ts';
import { machineConfigManifest } from '../../../../local/openshift/machine-config/machine-config-manifest.ts';
import { type VirtualCluster, virtualCluster } from '../virtual-cluster.ts';

export interface ArgoFixture extends VirtualCluster {
  readonly git: GitHost;
  readonly repository: GitRepository;
  readonly argocd: ArgoCd;
  /** Every notification with the second at which it arrived. */
  readonly told: { readonly at: number; readonly event: OperationEvent; readonly phase: string }[];
  /** Pushes and delivers the webhook to Argo CD. */
  push(files: Readonly<Record<string, string | null>>): GitPush;
  app(name?: string): Application;
  phase(name?: string): Phase | undefined;
}

/** YAML of a MachineConfig for workers. */
export function chrony(content: string, name = '99-chrony'): string {
  return stringify(machineConfigManifest(name, 'worker', { '/etc/chrony.conf': content }));
}

/** Three workers, one repository with one MachineConfig, one application that has synced it long ago. */
export async function syncedApplication(
  plan: Partial<ApplicationPlan> = {},
  options: ArgoCdOptions = {},
): Promise<ArgoFixture> {
  const cluster = virtualCluster();
  cluster.builder.addPool({ name: 'worker' });
  cluster.builder.addNodes({ pool: 'worker', names: ['worker-0', 'worker-1', 'worker-2'] });
  const { registry, pace, random, clock } = cluster;
  const git = createGitHost({ origin: 'https://git.example.com', now: () => clock.now() });
  const argocd = startArgoCd({ registry, pace, random, git }, options);
  const repository = git.createRepository({
    owner: 'acme',
    name: 'platform',
    files: { 'machine-config/chrony.yaml': chrony('first') },
  });
  await clock.advance(10_000);
  argocd.createApplication({
    name: 'platform',
    repoURL: repository.cloneUrl,
    path: 'machine-config',
    automated: {},
    ...plan,
  });
  await clock.advance(600_000);
  const told: ArgoFixture['told'] = [];
  const fixture: ArgoFixture = {
    ...cluster,
    git,
    repository,
    argocd,
    told,
    push(files) {
      const pushed = repository.push({ message: 'Change the time servers', files });
      argocd.receivePush(pushPayload(pushed));
      return pushed;
    },
    app(name = 'platform') {
      const found = argocd.application(name);
      if (!found) throw new Error(`there is no application ${name}`);
      return found;
    },
    phase: (name) => fixture.app(name).status?.operationState?.phase,
  };
  argocd.onOperation((event) => {
    told.push({ at: cluster.seconds(), event, phase: String((event.data['operation'] as { phase: string }).phase) });
  });
  cluster.mark();
  return fixture;
}
