import { createHash, randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { openControlPlane } from '../../cluster/harness/control-plane.ts';
import { githubPush } from '../../cluster/harness/github-push.ts';
import { machineConfig, node, pool } from '../../cluster/harness/objects.ts';
import { paths } from '../../cluster/harness/paths.ts';
import { startPoolObserver } from '../../cluster/harness/pool-observer.ts';
import { until } from '../../cluster/harness/until.ts';
import { type Answer, type Cloud, soonMs } from './cloud.ts';
import { argocdName, argocdNamespace } from './configuration.ts';

/** A pool with two nodes whose MachineConfig an Application deploys, and no Argo CD: a test moves the Application's
 *  status and sends its notifications as Argo CD would. */
export interface Deployment {
  readonly name: string;
  /** The push of a new commit, as GitHub would send it. */
  readonly commit: () => { readonly revision: string; readonly push: unknown };
  /** The sync has begun: the status says so, and the notification is sent. */
  readonly begin: (revision: string) => Promise<Answer>;
  /** The sync has applied the commit and succeeded. */
  readonly succeed: (revision: string) => Promise<Answer>;
}

export async function startDeployment(cloud: Cloud, name: string): Promise<Deployment> {
  const { kube, create } = cloud;
  const observer = await startPoolObserver(openControlPlane(cloud.address.controlPlane), { targetDelayMs: 1_000 });
  onTestFinished(observer.stop);
  await create(pool({ name, roles: [name] }));
  for (const index of [1, 2]) await create(node(`${name}-${index}`, 'worker', name));
  await create(machineConfig(`99-${name}`, name, 'first'));
  await untilSettled(cloud, name);
  await create(application(name, revisionOf(name, 0)));
  const path = `${paths.in(argocdNamespace).applications}/${name}`;
  let commits = 0;
  let startedAt = '';

  async function notify(): Promise<Answer> {
    const { metadata, status } = await kube.get(path);
    const event = notificationOf(metadata.uid ?? '', name, status);
    const token = await cloud.secret('ArgocdTokenArn');
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/cloudevents+json' };
    return cloud.send('/argocd', { headers, body: JSON.stringify(event) });
  }

  return {
    name,
    commit: () => {
      commits += 1;
      const revision = revisionOf(name, commits);
      return { revision, push: pushOf(name, revisionOf(name, commits - 1), revision) };
    },
    begin: async (revision) => {
      startedAt = seconds();
      const sync = { status: 'OutOfSync', revision };
      await kube.patch(path, {
        status: { sync, operationState: operation({ phase: 'Running', startedAt, revision }) },
      });
      return notify();
    },
    succeed: async (revision) => {
      await kube.patch(`${paths.machineConfigs}/99-${name}`, machineConfig(`99-${name}`, name, revision));
      const finishedAt = seconds();
      const state = operation({ phase: 'Succeeded', startedAt, finishedAt, revision });
      await kube.patch(path, {
        status: { sync: { status: 'Synced', revision }, operationState: state, reconciledAt: finishedAt },
      });
      return notify();
    },
  };
}

/** The pool has a rendered configuration and both nodes have it, so that only Poolkeeper changes its spec from here. */
async function untilSettled({ kube }: Cloud, name: string): Promise<void> {
  await until(
    async () => {
      const { spec, status } = await kube.get(`${paths.pools}/${name}`);
      return spec.configuration?.source.length === 1 && status?.readyMachineCount === 2;
    },
    soonMs,
    `pool ${name} to be settled`,
  );
}

const repoOf = (name: string) => `https://github.com/acme/${name}`;

function application(name: string, revision: string) {
  const at = seconds();
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: argocdNamespace },
    spec: {
      project: 'default',
      destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
      source: { repoURL: `${repoOf(name)}.git`, path: '.', targetRevision: 'main' },
      syncPolicy: { automated: { prune: true, selfHeal: true } },
    },
    status: {
      sync: { status: 'Synced', revision },
      health: { status: 'Healthy' },
      reconciledAt: at,
      resources: [
        {
          group: 'machineconfiguration.openshift.io',
          version: 'v1',
          kind: 'MachineConfig',
          name: `99-${name}`,
          status: 'Synced',
        },
      ],
      operationState: operation({ phase: 'Succeeded', startedAt: at, finishedAt: at, revision }),
    },
  };
}

interface OperationDraft {
  readonly phase: string;
  readonly startedAt: string;
  readonly finishedAt?: string;
  readonly revision: string;
}

function operation({ phase, startedAt, finishedAt, revision }: OperationDraft) {
  return {
    phase,
    startedAt,
    ...(finishedAt === undefined ? {} : { finishedAt }),
    message: '',
    operation: { sync: { revision, prune: true }, initiatedBy: { automated: true } },
    syncResult: { revision, source: { repoURL: '' }, resources: [] },
  };
}

/** What the notification template of docs/install makes of an Application. */
// biome-ignore lint/suspicious/noExplicitAny: the status of an Application, as the API server has it
function notificationOf(uid: string, name: string, status: any) {
  const { sync, operationState: state } = status;
  return {
    specversion: '1.0',
    type: 'poolkeeper.argocd.operation.v1',
    id: `${uid}/${state.startedAt}/${state.phase}/0`,
    source: `argocd/${argocdName}`,
    subject: `${argocdNamespace}/${name}`,
    time: seconds(),
    datacontenttype: 'application/json',
    data: {
      application: { name, namespace: argocdNamespace, uid },
      sync: { status: sync.status, revision: sync.revision, revisions: [] },
      operation: {
        phase: state.phase,
        startedAt: state.startedAt,
        finishedAt: state.finishedAt ?? '',
        retryCount: 0,
        dryRun: false,
      },
    },
  };
}

function pushOf(name: string, before: string, after: string): unknown {
  const repository = { name: `acme/${name}`, branch: 'main', htmlUrl: repoOf(name), cloneUrl: `${repoOf(name)}.git` };
  return githubPush(repository, {
    before,
    after,
    message: 'Change a file',
    added: [],
    removed: [],
    modified: ['config.json'],
  });
}

function revisionOf(name: string, index: number): string {
  return createHash('sha1').update(`${name} ${index} ${salt}`).digest('hex');
}
const salt = randomUUID();

/** Kubernetes' times are whole seconds. */
function seconds(): string {
  return `${new Date().toISOString().slice(0, 19)}Z`;
}
