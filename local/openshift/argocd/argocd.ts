import { keyOf } from '../api-server/kubernetes-object.ts';
import type { Registry } from '../api-server/registry.ts';
import { appProjects } from '../api-server/resource-types.ts';
import type { Pace } from '../pace.ts';
import type { Random } from '../random.ts';
import {
  type Application,
  applicationType,
  isInProgress,
  type RetryStrategy,
  type SyncRequest,
} from './application.ts';
import { refreshAnnotation, startApplicationController } from './application-controller.ts';
import { type ApplicationPlan, applicationOf } from './application-plan.ts';
import {
  type ControllerPod,
  type ControllerPodPlan,
  installControllerPod,
  remoteController,
} from './controller-pod.ts';
import type { GitHost } from './git-host.ts';
import { type Notifications, type OperationListener, startNotifications } from './notifications.ts';
import { requestOperation } from './operation-writer.ts';
import { isAffected, pushFacts } from './push-match.ts';
import { type ArgoTimings, timings as measured } from './timings.ts';

export interface ArgoCdOptions {
  /** Its name in notifications. */
  readonly instance?: string;
  readonly namespace?: string;
  /** Where its controller runs; `elsewhere`: not on a node of this cluster. */
  readonly controller?: Partial<Omit<ControllerPodPlan, 'namespace'>> | 'elsewhere';
  readonly timings?: Partial<ArgoTimings>;
  /** How many times faster than a real one; default: as fast as the cluster. At 1, a sync takes half a second. */
  readonly speed?: number;
}

type SyncByPerson = SyncRequest & { readonly username?: string; readonly retry?: RetryStrategy };

/** Argo CD on the simulated cluster. */
export interface ArgoCd {
  readonly namespace: string;
  readonly controllerPod: ControllerPod;
  createApplication(plan: ApplicationPlan): Application;
  application(name: string): Application | undefined;
  /** Takes the body of a Git webhook, as `POST /api/webhook` does. Returns the names of the applications that it
   *  refreshes. */
  receivePush(body: unknown): string[];
  refresh(name: string): void;
  /** Starts a sync as a person does. Throws while another operation is in progress. */
  sync(name: string, request?: SyncByPerson): void;
  /** Ends a running sync. Throws when none runs. */
  terminate(name: string): void;
  /** Calls the listener with what our webhook would receive; the returned function removes it. */
  onOperation(listener: OperationListener): () => void;
}

interface Parts {
  readonly registry: Registry;
  readonly pace: Pace;
  readonly random: Random;
  readonly git: GitHost;
}

export function startArgoCd(parts: Parts, options: ArgoCdOptions = {}): ArgoCd {
  const { registry, pace } = parts;
  const { instance = 'openshift-gitops', namespace = 'openshift-gitops' } = options;
  const timings = { ...measured, ...options.timings };
  const controllerPod = startControllerPod({ registry, pace, lookMs: timings.lookMs }, namespace, options.controller);
  createDefaultProject(registry, namespace);
  startApplicationController({ ...parts, timings, pod: controllerPod });
  const notifications = startNotifications({ registry, pace, timings, instance });
  return new SimulatedArgoCd({ registry, pace, timings, namespace, controllerPod, notifications });
}

function startControllerPod(
  parts: { readonly registry: Registry; readonly pace: Pace; readonly lookMs: number },
  namespace: string,
  controller: ArgoCdOptions['controller'] = {},
): ControllerPod {
  if (controller === 'elsewhere') return remoteController();
  return installControllerPod(parts, {
    label: 'openshift-gitops-application-controller',
    ...controller,
    namespace,
  });
}

function createDefaultProject(registry: Registry, namespace: string): void {
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
}

interface ServerParts {
  readonly registry: Registry;
  readonly pace: Pace;
  readonly timings: ArgoTimings;
  readonly namespace: string;
  readonly controllerPod: ControllerPod;
  readonly notifications: Notifications;
}

const server = { manager: 'argocd-server' };

/** What argocd-server does for people and webhooks. */
class SimulatedArgoCd implements ArgoCd {
  readonly namespace: string;
  readonly controllerPod: ControllerPod;
  private readonly parts: ServerParts;

  constructor(parts: ServerParts) {
    this.namespace = parts.namespace;
    this.controllerPod = parts.controllerPod;
    this.parts = parts;
  }

  createApplication(plan: ApplicationPlan): Application {
    const application = applicationOf(plan, this.namespace);
    return this.parts.registry.create(applicationType, application, { manager: 'kubectl-create' });
  }

  application(name: string): Application | undefined {
    return this.parts.registry.get(applicationType, name, this.namespace);
  }

  receivePush(body: unknown): string[] {
    const { registry, pace, timings } = this.parts;
    const push = pushFacts(body);
    const affected = registry
      .list(applicationType, this.namespace)
      .filter((application) => isAffected(application, push))
      .map(({ metadata }) => metadata.name);
    pace.after(timings.webhookMs, () => {
      for (const name of affected) if (this.application(name)) this.refresh(name);
    });
    return affected;
  }

  refresh(name: string): void {
    const annotate = (draft: Application) => {
      draft.metadata.annotations = { ...draft.metadata.annotations, [refreshAnnotation]: 'normal' };
    };
    this.parts.registry.modify(applicationType, keyOf(this.existing(name)), annotate, server);
  }

  sync(name: string, { username = 'admin', retry, ...request }: SyncByPerson = {}): void {
    const application = this.existing(name);
    const operation = { sync: request, initiatedBy: { username }, ...(retry && { retry }) };
    if (!requestOperation(this.parts.registry, application, { operation, manager: server.manager }))
      throw new Error('another operation is already in progress');
  }

  terminate(name: string): void {
    const application = this.existing(name);
    if (!application.operation || !isInProgress(application))
      throw new Error('Unable to terminate operation. No operation is in progress');
    const end = ({ status }: Application) =>
      void (status?.operationState && Object.assign(status.operationState, { phase: 'Terminating' }));
    this.parts.registry.modify(applicationType, keyOf(application), end, server);
  }

  onOperation(listener: OperationListener): () => void {
    return this.parts.notifications.onOperation(listener);
  }

  private existing(name: string): Application {
    const found = this.application(name);
    if (!found) throw new Error(`there is no application ${name}`);
    return found;
  }
}
