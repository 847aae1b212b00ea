import { isJsonObject, valueAt } from '../api-server/json.ts';
import { keyOf } from '../api-server/kubernetes-object.ts';
import type { Registry } from '../api-server/registry.ts';
import { appProjects } from '../api-server/resource-types.ts';
import type { Pace } from '../pace.ts';
import type { Random } from '../random.ts';
import {
  type Application,
  applicationType,
  type IgnoreDifference,
  isInProgress,
  type RetryStrategy,
  type SyncRequest,
} from './application.ts';
import { refreshAnnotation, startApplicationController } from './application-controller.ts';
import {
  type ControllerPod,
  type ControllerPodPlan,
  installControllerPod,
  remoteController,
} from './controller-pod.ts';
import type { GitHost } from './git-host.ts';
import { type OperationListener, startNotifications } from './notifications.ts';
import { requestOperation } from './operation-writer.ts';
import { isAffected, type PushFacts } from './push-match.ts';
import { type ArgoTimings, timings as measured } from './timings.ts';

export interface ApplicationPlan {
  readonly name: string;
  readonly repoURL: string;
  readonly path: string;
  readonly targetRevision?: string;
  readonly project?: string;
  readonly destination?: Application['spec']['destination'];
  /** Without it only people start syncs. */
  readonly automated?: { readonly prune?: boolean; readonly selfHeal?: boolean };
  readonly retry?: RetryStrategy;
  readonly syncOptions?: readonly string[];
  readonly ignoreDifferences?: readonly IgnoreDifference[];
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
}

export interface ArgoCdOptions {
  /** How it calls itself in notifications. */
  readonly instance?: string;
  readonly namespace?: string;
  /** Where its controller runs; `elsewhere` for one that no node of this cluster can take down. */
  readonly controller?: Partial<Omit<ControllerPodPlan, 'namespace'>> | 'elsewhere';
  readonly timings?: Partial<ArgoTimings>;
  /** How many times faster than a real one; as fast as the cluster by default. A sync takes half a second, so 1 is
   *  no long wait. */
  readonly speed?: number;
}

/** Argo CD on the simulated cluster. */
export interface ArgoCd {
  readonly namespace: string;
  readonly controllerPod: ControllerPod;
  createApplication(plan: ApplicationPlan): Application;
  application(name: string): Application | undefined;
  /** Takes the body of a Git webhook, as `POST /api/webhook` does. Answers the names of the applications it
   *  refreshes. */
  receivePush(body: unknown): string[];
  refresh(name: string): void;
  /** Starts a sync as a person does. Throws while another operation is in progress. */
  sync(name: string, request?: SyncRequest & { readonly username?: string; readonly retry?: RetryStrategy }): void;
  /** Ends a running sync. Throws when none runs. */
  terminate(name: string): void;
  /** Hears of operations as our webhook does. */
  onOperation(listener: OperationListener): () => void;
}

interface Parts {
  readonly registry: Registry;
  readonly pace: Pace;
  readonly random: Random;
  readonly git: GitHost;
}

export function startArgoCd({ registry, pace, random, git }: Parts, options: ArgoCdOptions = {}): ArgoCd {
  const { instance = 'openshift-gitops', namespace = 'openshift-gitops', controller = {} } = options;
  const timings = { ...measured, ...options.timings };
  const pod =
    controller === 'elsewhere'
      ? remoteController()
      : installControllerPod(
          { registry, pace, lookMs: timings.lookMs },
          { label: 'openshift-gitops-application-controller', ...controller, namespace },
        );
  registry.create(
    appProjects,
    {
      metadata: { name: 'default', namespace },
      spec: {
        sourceRepos: ['*'],
        destinations: [{ server: '*', namespace: '*' }],
        clusterResourceWhitelist: [{ group: '*', kind: '*' }],
      },
    },
    { manager: 'argocd-operator' },
  );
  startApplicationController({ registry, pace, random, git, timings, pod });
  const notifications = startNotifications({ registry, pace, timings, instance });
  const server = { manager: 'argocd-server' };

  function existing(name: string): Application {
    const found = registry.get(applicationType, name, namespace);
    if (!found) throw new Error(`there is no application ${name}`);
    return found;
  }

  function refresh(name: string): void {
    const ask = (draft: Application) => {
      draft.metadata.annotations = { ...draft.metadata.annotations, [refreshAnnotation]: 'normal' };
    };
    registry.modify(applicationType, keyOf(existing(name)), ask, server);
  }

  return {
    namespace,
    controllerPod: pod,
    createApplication: (plan) =>
      registry.create(applicationType, applicationOf(plan, namespace), { manager: 'kubectl-create' }),
    application: (name) => registry.get(applicationType, name, namespace),
    receivePush(body) {
      const push = pushFacts(body);
      const affected = registry.list(applicationType, namespace).filter((application) => isAffected(application, push));
      pace.after(timings.webhookMs, () => {
        for (const { metadata } of affected)
          if (registry.get(applicationType, metadata.name, namespace)) refresh(metadata.name);
      });
      return affected.map(({ metadata }) => metadata.name);
    },
    refresh,
    sync(name, { username = 'admin', retry, ...request } = {}) {
      const application = existing(name);
      const operation = { sync: request, initiatedBy: { username }, ...(retry && { retry }) };
      if (!requestOperation(registry, application, { operation, manager: server.manager }))
        throw new Error('another operation is already in progress');
    },
    terminate(name) {
      const application = existing(name);
      if (!application.operation || !isInProgress(application))
        throw new Error('Unable to terminate operation. No operation is in progress');
      const end = ({ status }: Application) =>
        void (status?.operationState && Object.assign(status.operationState, { phase: 'Terminating' }));
      registry.modify(applicationType, keyOf(application), end, server);
    },
    onOperation: notifications.onOperation,
  };
}

function applicationOf(plan: ApplicationPlan, namespace: string) {
  const {
    name,
    repoURL,
    path,
    targetRevision = 'HEAD',
    project = 'default',
    destination = { server: 'https://kubernetes.default.svc' },
  } = plan;
  const { automated, retry, syncOptions, ignoreDifferences, labels, annotations } = plan;
  const syncPolicy = {
    ...(automated && { automated }),
    ...(retry && { retry }),
    ...(syncOptions && { syncOptions: [...syncOptions] }),
  };
  return {
    metadata: { name, namespace, ...(labels && { labels }), ...(annotations && { annotations }) },
    spec: {
      project,
      destination,
      source: { repoURL, path, targetRevision },
      ...(Object.keys(syncPolicy).length > 0 && { syncPolicy }),
      ...(ignoreDifferences && { ignoreDifferences: [...ignoreDifferences] }),
    },
  };
}

/** What the handler reads from GitHub's payload; it does not look at `deleted`, `created` or `forced`. */
function pushFacts(body: unknown): PushFacts {
  const text = (path: string[]) => String(valueAt(body, path) ?? '');
  const commits = valueAt(body, ['commits']);
  const files = (Array.isArray(commits) ? commits : [])
    .filter(isJsonObject)
    .flatMap((commit) => ['added', 'modified', 'removed'].flatMap((key) => commit[key] ?? []));
  return {
    htmlUrl: text(['repository', 'html_url']),
    defaultBranch: text(['repository', 'default_branch']),
    ref: text(['ref']),
    changedFiles: files.map(String),
  };
}
