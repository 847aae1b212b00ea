import * as z from 'zod';
import { redact } from '../../core/alerts/message/safe-text.ts';
import type {
  Application,
  ApplicationSource,
  ManagedResource,
  Operation,
  OperationResult,
} from '../../core/application.ts';
import { Metadata, understand } from './metadata.ts';

const Text = z
  .string()
  .nullish()
  .transform((text) => text ?? '');
const Texts = z
  .array(z.string())
  .nullish()
  .transform((texts) => texts ?? []);

const Source = z.object({
  repoURL: Text,
  path: Text,
  targetRevision: Text,
  chart: Text,
  ref: Text,
  helm: z.unknown().optional(),
  kustomize: z.unknown().optional(),
  plugin: z.unknown().optional(),
  directory: z
    .object({ recurse: z.boolean().nullish(), include: Text, exclude: Text, jsonnet: z.unknown().optional() })
    .nullish(),
});
type Source = z.infer<typeof Source>;

/** Up to hundreds in each of thousands of Applications. Read by hand: 5,000 with 100 rows each take 0.24 s for 1.6 s by schema. */
const Rows = z
  .array(z.unknown())
  .nullish()
  .transform((rows) => (rows ?? []).filter(isFields));

/** What a sync was asked to do: `.operation.sync` and `status.operationState.operation.sync`. */
const SyncOperation = z.object({
  revision: Text,
  revisions: Texts,
  dryRun: z.boolean().nullish(),
  resources: z.array(z.unknown()).nullish(),
  syncStrategy: z.object({ apply: z.unknown().optional() }).nullish(),
});

const OperationState = z.object({
  phase: z.enum(['Running', 'Terminating', 'Succeeded', 'Failed', 'Error']),
  message: Text,
  startedAt: z.string(),
  finishedAt: z.string().nullish(),
  retryCount: z.number().nullish(),
  operation: z.object({ sync: SyncOperation.nullish(), initiatedBy: z.object({ username: Text }).nullish() }).nullish(),
  syncResult: z.object({ revision: Text, revisions: Texts, resources: Rows }).nullish(),
});
type OperationState = z.infer<typeof OperationState>;

/** The fields of an Application that are used. Source: argo-cd pkg/apis/application/v1alpha1/types.go. */
const ArgoApplication = z.object({
  metadata: Metadata.extend({
    ownerReferences: z.array(z.object({ kind: Text, name: Text })).nullish(),
  }),
  spec: z.object({
    destination: z.object({ server: Text, name: Text }).nullish(),
    source: Source.nullish(),
    sources: z.array(Source).nullish(),
    /** `drySource` and `syncSource` in place of `source`. */
    sourceHydrator: z
      .object({
        drySource: Source.nullish(),
        syncSource: z.object({ repoURL: Text, targetBranch: Text, path: Text }).nullish(),
      })
      .nullish(),
    syncPolicy: z
      .object({
        automated: z.object({ enabled: z.boolean().nullish() }).nullish(),
        retry: z.object({ limit: z.number().nullish() }).nullish(),
        syncOptions: Texts,
      })
      .nullish(),
    ignoreDifferences: z
      .array(
        z.object({
          group: Text,
          kind: Text,
          namespace: Text,
          name: Text,
          jsonPointers: Texts,
          jqPathExpressions: Texts,
          managedFieldsManagers: Texts,
        }),
      )
      .nullish(),
  }),
  operation: z.unknown().optional(),
  status: z
    .object({
      sync: z
        .object({ status: z.enum(['Synced', 'OutOfSync', 'Unknown', '']).catch(''), revision: Text, revisions: Texts })
        .nullish(),
      health: z.object({ status: Text }).nullish(),
      reconciledAt: z.string().nullish(),
      resources: Rows,
      operationState: OperationState.nullish(),
    })
    .nullish(),
});
type ArgoApplication = z.infer<typeof ArgoApplication>;

/** An Application in our words. Throws Transient when it is not understood. */
export function applicationOf(argocd: string, body: unknown): Application {
  const { metadata, spec, operation, status } = understand(ArgoApplication, body, 'Application');
  return {
    argocd,
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    uid: metadata.uid,
    annotations: metadata.annotations,
    destination: spec.destination ?? { server: '', name: '' },
    sources: sourcesOf(spec),
    automated: isAutomated(spec.syncPolicy),
    retryLimit: spec.syncPolicy?.retry?.limit ?? 0,
    sync: {
      status: status?.sync?.status ?? '',
      revisions: revisionsOf(status?.sync),
    },
    health: status?.health?.status ?? '',
    resources: (status?.resources ?? []).map(resourceOf),
    operationQueued: isSyncQueued(operation),
    operation: operationOf(status?.operationState),
    ...generatedBy(metadata.ownerReferences),
    ...(status?.reconciledAt ? { reconciledAt: status.reconciledAt } : {}),
    ...overlooks(spec),
  };
}

/** No node runs what stands there. */
const notRendered = /^\/(?:spec\/paused$|status(?:\/|$)|metadata\/(?:annotations|managedFields|finalizers)(?:\/|$))/;

/** A sync that respects the rules leaves what they name as it is in the cluster. Source: argo-cd controller/sync.go. */
function overlooks({ ignoreDifferences, syncPolicy }: ArgoApplication['spec']): Pick<Application, 'overlooks'> {
  if (syncPolicy?.syncOptions.includes('RespectIgnoreDifferences=true')) return {};
  const rules = (ignoreDifferences ?? []).filter(
    ({ jsonPointers, jqPathExpressions, managedFieldsManagers }) =>
      jqPathExpressions.length > 0 ||
      managedFieldsManagers.length > 0 ||
      !jsonPointers.every((pointer) => notRendered.test(pointer)),
  );
  return rules.length === 0
    ? {}
    : { overlooks: rules.map(({ group, kind, namespace, name }) => ({ group, kind, namespace, name })) };
}

function generatedBy(owners: ArgoApplication['metadata']['ownerReferences']): Pick<Application, 'generatedBy'> {
  const set = owners?.find((owner) => owner.kind === 'ApplicationSet');
  return set === undefined ? {} : { generatedBy: set.name };
}

/** `sources` wins over `source` when both are set, as in Argo CD's `GetSources`. */
function sourcesOf({ source, sources, sourceHydrator }: ArgoApplication['spec']): readonly ApplicationSource[] {
  if (sourceHydrator?.drySource) {
    const { drySource, syncSource } = sourceHydrator;
    const dry: ApplicationSource = { ...sourceOf(drySource), hydration: 'dry' };
    if (!syncSource) return [dry];
    const repoURL = syncSource.repoURL || drySource.repoURL;
    const { path, targetBranch } = syncSource;
    return [dry, { repoURL, path, targetRevision: targetBranch, chart: '', hydration: 'hydrated' }];
  }
  if (sources && sources.length > 0) return sources.map(sourceOf);
  return source ? [sourceOf(source)] : [];
}

function sourceOf(source: Source): ApplicationSource {
  const { repoURL, path, targetRevision, chart, ref, directory } = source;
  const tool = toolOf(source);
  return {
    repoURL,
    path,
    targetRevision,
    chart,
    ...(ref === '' ? {} : { ref }),
    ...(tool === undefined ? {} : { tool }),
    ...(directory
      ? {
          directory: { recurse: directory.recurse === true, include: directory.include, exclude: directory.exclude },
        }
      : {}),
  };
}

function toolOf({ helm, kustomize, plugin, directory }: Source): ApplicationSource['tool'] {
  if (isGiven(helm)) return 'helm';
  if (isGiven(kustomize)) return 'kustomize';
  if (isGiven(plugin)) return 'plugin';
  return isGiven(directory?.jsonnet) ? 'jsonnet' : undefined;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

const QueuedDryRun = z.object({ sync: z.object({ dryRun: z.literal(true) }) });

/** `.operation` stands from the request until the end of a sync. One that is not understood counts as a sync. */
function isSyncQueued(operation: unknown): boolean {
  if (operation === undefined || operation === null) return false;
  return !QueuedDryRun.safeParse(operation).success;
}

/** The block alone used to switch it on; since 3.1 `enabled: false` inside it switches it off. */
function isAutomated(policy: ArgoApplication['spec']['syncPolicy']): boolean {
  return policy?.automated !== undefined && policy.automated !== null && policy.automated.enabled !== false;
}

/** `revisions` of several sources, else the one `revision`; Argo CD leaves the other empty. */
function revisionsOf(
  where: { readonly revision: string; readonly revisions: readonly string[] } | null | undefined,
): readonly string[] {
  const named = [...(where?.revisions ?? [])].filter(Boolean);
  if (named.length > 0) return named;
  return where?.revision ? [where.revision] : [];
}

function operationOf(state: OperationState | null | undefined): Operation | undefined {
  if (state === null || state === undefined) return undefined;
  const asked = state.operation?.sync;
  const synced = revisionsOf(state.syncResult);
  return {
    phase: state.phase,
    // What failed is quoted with the URL it failed at, also one with a password in it.
    message: redact(state.message),
    startedAt: state.startedAt,
    finishedAt: state.finishedAt ?? undefined,
    retryCount: state.retryCount ?? 0,
    dryRun: asked?.dryRun ?? false,
    // The first Running write and early failures carry no result yet.
    revisions: synced.length > 0 ? synced : revisionsOf(asked),
    partial: isPartial(asked),
    ...(state.operation?.initiatedBy?.username ? { startedBy: state.operation.initiatedBy.username } : {}),
    results: (state.syncResult?.resources ?? []).map(resultOf),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function isFields(row: unknown): row is Fields {
  return typeof row === 'object' && row !== null;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function resourceOf(row: Fields): ManagedResource {
  const { group, kind, namespace, name, status } = row;
  return { group: text(group), kind: text(kind), namespace: text(namespace), name: text(name), status: text(status) };
}

function resultOf(row: Fields): OperationResult {
  const resource = resourceOf(row);
  const message = text(row['message']);
  // Nothing but failures quotes anything, and there are 500,000 rows in a large Argo CD.
  const said = resource.status === 'Synced' ? message : redact(message);
  return { ...resource, message: said, hookType: text(row['hookType']) };
}

/** Hooks are skipped when resources are selected (also by self-heal) and when the strategy is `apply`. */
function isPartial(asked: z.infer<typeof SyncOperation> | null | undefined): boolean {
  const applyOnly = asked?.syncStrategy?.apply;
  return (asked?.resources ?? []).length > 0 || (applyOnly !== undefined && applyOnly !== null);
}
