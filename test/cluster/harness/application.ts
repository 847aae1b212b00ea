import type { ArgoCDAddress } from './argocd.ts';
import type { ControlPlane } from './control-plane.ts';
import type { Repository } from './git-server.ts';
import type { KubeObject } from './kube.ts';
import { paths } from './paths.ts';
import { until } from './until.ts';

export interface ApplicationDraft {
  readonly name: string;
  readonly repository: Repository;
  /** Folder of the repository; its root by default. */
  readonly path?: string;
  /** Sync by itself, prune and heal included, as soon as Git differs. True by default. */
  readonly automated?: boolean;
  /** `syncPolicy.retry`, for example `{ limit: 3, backoff: { duration: '1s' } }`. */
  readonly retry?: unknown;
  readonly syncOptions?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** One Application in Argo CD, with what a test does to it. */
export interface Application {
  readonly name: string;
  readonly namespace: string;
  /** Its path in the Kubernetes API. */
  readonly path: string;
  readonly read: () => Promise<KubeObject>;
  /** Asks Argo CD to look at Git again, as its webhook handler does. */
  readonly refresh: () => Promise<void>;
  /** Starts a sync by argocd-server's API, as a person would; `options` are fields of its sync request. */
  readonly sync: (options?: Readonly<Record<string, unknown>>) => Promise<void>;
  /** Terminates the running operation by argocd-server's API. */
  readonly terminate: () => Promise<void>;
  /** Waits until an operation ended with this phase (and, if given, at this commit), and gives back the Application. */
  readonly untilPhase: (phase: Phase, revision?: string) => Promise<KubeObject>;
  /** Deletes the Application and leaves what it deployed. */
  readonly delete: () => Promise<void>;
}

export type Phase = 'Running' | 'Terminating' | 'Succeeded' | 'Failed' | 'Error';

/** How long an operation may take to reach a phase, milliseconds: less than a second on a quiet machine. */
const phaseWithinMs = 60_000;

interface Creation {
  readonly controlPlane: ControlPlane;
  readonly address: ArgoCDAddress;
  readonly draft: ApplicationDraft;
}

export async function createApplication({ controlPlane, address, draft }: Creation): Promise<Application> {
  const { kube } = controlPlane;
  const { namespace } = address;
  const { name, repository, automated = true } = draft;
  const path = `${paths.in(namespace).applications}/${name}`;
  await kube.post(paths.in(namespace).applications, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace, labels: draft.labels ?? {}, annotations: draft.annotations ?? {} },
    spec: {
      project: 'default',
      destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
      source: { repoURL: repository.cloneUrl, path: draft.path ?? '.', targetRevision: repository.branch },
      syncPolicy: {
        ...(automated ? { automated: { prune: true, selfHeal: true } } : {}),
        ...(draft.retry === undefined ? {} : { retry: draft.retry }),
        ...(draft.syncOptions === undefined ? {} : { syncOptions: draft.syncOptions }),
      },
    },
  });

  async function call(method: string, action: string, body?: unknown): Promise<void> {
    const answer = await fetch(`${address.url}/api/v1/applications/${name}/${action}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok)
      throw new Error(
        `argocd-server answered ${answer.status} to ${method} ${action} of ${name}: ${await answer.text()}`,
      );
  }

  return {
    name,
    namespace,
    path,
    read: () => kube.get(path),
    refresh: async () => {
      await kube.patch(path, { metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } } });
    },
    sync: (options = {}) => call('POST', 'sync', options),
    terminate: () => call('DELETE', 'operation'),
    untilPhase: async (phase, revision) => {
      let seen: KubeObject | undefined;
      return until(
        async () => {
          seen = await kube.get(path);
          const state = seen.status?.operationState;
          return state?.phase === phase && (revision === undefined || state.syncResult?.revision === revision) && seen;
        },
        phaseWithinMs,
        () =>
          `the sync of ${name} to be ${phase}${revision === undefined ? '' : ` at ${revision}`}; it was ${syncInWords(seen)}`,
      );
    },
    delete: () => kube.delete(path),
  };
}

/** How its last operation stands, what of Git is in the cluster, and what Argo CD complains of. */
export function syncInWords(application: KubeObject | undefined): string {
  const status = application?.status;
  const { phase = 'without operation', message = '' } = status?.operationState ?? {};
  const conditions = ((status?.conditions ?? []) as { message: string }[]).map((condition) => condition.message);
  return [phase, status?.sync?.status, message, ...conditions].filter(Boolean).join(', ');
}
