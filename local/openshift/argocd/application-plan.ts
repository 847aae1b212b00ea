import type { Application, IgnoreDifference, RetryStrategy } from './application.ts';

export interface ApplicationPlan {
  readonly name: string;
  readonly repoURL: string;
  readonly path: string;
  readonly targetRevision?: string;
  readonly project?: string;
  readonly destination?: Application['spec']['destination'];
  /** Undefined: only people start syncs. */
  readonly automated?: { readonly prune?: boolean; readonly selfHeal?: boolean };
  readonly retry?: RetryStrategy;
  readonly syncOptions?: readonly string[];
  readonly ignoreDifferences?: readonly IgnoreDifference[];
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
}

/** The Application that a person would create from the plan. */
export function applicationOf(plan: ApplicationPlan, namespace: string) {
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
