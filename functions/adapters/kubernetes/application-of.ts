import * as z from 'zod';
import {
  type Application,
  type ManagedResource,
  type ObjectName,
  type Operation,
  type OperationResult,
  waitsForRetry,
} from '../../core/argocd/application.ts';
import {
  ApplicationSpec,
  leavesPauseOf,
  respectsIgnoreDifferences,
  specOf,
  Text,
  Texts,
} from '../../core/argocd/application-spec.ts';
import { appliesCompared, appliesOwnManifests } from '../../core/argocd/applies-compared.ts';
import { isHome } from '../../core/argocd/is-home.ts';
import { objectKey } from '../../core/argocd/object-key.ts';
import { type AnnotationRules, namedPools } from '../../core/argocd/pools-annotation.ts';
import { retryWaitSeconds } from '../../core/argocd/retry-wait.ts';
import { instant } from '../../core/openshift/hold.ts';
import {
  foreignAnnotations,
  foreignField,
  foreignLimits,
  foreignMessage,
  foreignName,
} from '../../core/text/foreign-text.ts';
import { given } from '../../core/text/given.ts';
import { plusSeconds } from '../../core/text/instant.ts';
import { Metadata, understand } from './metadata.ts';

/** Up to hundreds in each of thousands of Applications. Parsed by hand: 5,000 with 100 rows each take 0.24 s instead of
 *  1.6 s by schema. */
const Rows = z
  .array(z.unknown())
  .nullish()
  .transform((rows) => (rows ?? []).filter(isFields));

/** An ISO instant as our records have it. The API server accepts more for a date-time, for example small letters, and
 *  a record with such a text could not be read again. */
const Instant = z.string().transform((text, context) => {
  const found = asInstant(text);
  if (found === undefined) context.addIssue({ code: 'custom', message: 'must be an instant' });
  return found ?? z.NEVER;
});
/** The same for a field that may be missing; a text that is no instant counts as missing. */
const MaybeInstant = z
  .string()
  .nullish()
  .transform((text) => asInstant(text ?? ''));

/** Characters. Go writes up to nine digits of a second; the API server accepts thousands, and keys of our table are
 *  made from instants. */
const longestInstant = 40;

function asInstant(text: string): string | undefined {
  const short = foreignField(text);
  if (short.length <= longestInstant && instant.safeParse(short).success) return short;
  const at = new Date(short);
  if (Number.isNaN(at.getTime())) return undefined;
  return instant.safeParse(at.toISOString()).success ? at.toISOString() : undefined;
}

/** What a sync was requested to do: `.operation.sync` and `status.operationState.operation.sync`. */
const SyncOperation = z.object({
  revision: Text,
  revisions: Texts,
  dryRun: z.boolean().nullish(),
  resources: Rows,
  syncOptions: Texts,
  syncStrategy: z.object({ apply: z.unknown().optional() }).nullish(),
  source: z.unknown().optional(),
  sources: z.unknown().optional(),
  manifests: z.unknown().optional(),
});

/** Only a time to wait comes from it: one that is not understood is none. */
const Retry = z
  .object({
    backoff: z.object({ duration: Text, factor: z.number().nullish(), maxDuration: Text }).nullish(),
  })
  .nullish()
  .catch({ backoff: { duration: 'unknown', maxDuration: 'unknown' } });

const OperationState = z.object({
  phase: z.enum(['Running', 'Terminating', 'Succeeded', 'Failed', 'Error']),
  message: z.string().nullish(),
  startedAt: Instant,
  finishedAt: MaybeInstant,
  retryCount: z.number().nullish(),
  operation: z
    .object({
      sync: SyncOperation.nullish(),
      initiatedBy: z.object({ username: Text, automated: z.unknown().optional() }).nullish(),
      retry: Retry,
    })
    .nullish(),
  syncResult: z.object({ revision: Text, revisions: Texts, resources: Rows }).nullish(),
});
type OperationState = z.infer<typeof OperationState>;

const RawSources = z.object({ source: z.unknown().optional(), sources: z.unknown().optional() });

/** Sources are compared as they are written, with fields that nothing else here reads. */
const RawSpec = z.object({ spec: RawSources.extend({ sourceHydrator: z.unknown().optional() }) });

/** The fields in use. Source: argo-cd pkg/apis/application/v1alpha1/types.go. */
const ArgoApplication = z.object({
  metadata: Metadata.extend({
    deletionTimestamp: z.unknown().optional(),
    ownerReferences: z.array(z.object({ kind: Text, name: Text })).nullish(),
  }),
  spec: ApplicationSpec,
  operation: z.unknown().optional(),
  status: z
    .object({
      sync: z
        .object({
          status: z.enum(['Synced', 'OutOfSync', 'Unknown', '']).catch(''),
          revision: Text,
          revisions: Texts,
          comparedTo: RawSources.nullish().catch(null),
        })
        .nullish(),
      health: z.object({ status: Text }).nullish(),
      reconciledAt: MaybeInstant,
      resources: z.array(z.unknown()).nullish(),
      operationState: OperationState.nullish(),
      history: z
        .array(z.object({ deployStartedAt: MaybeInstant, revision: Text, revisions: Texts }))
        .nullish()
        .catch(null),
    })
    .nullish(),
});
type ArgoApplication = z.infer<typeof ArgoApplication>;

/** Parses an Application. Without `rules` its annotation may name no pools. Throws Transient if invalid. */
export function applicationOf(argocd: string, body: unknown, rules?: AnnotationRules): Application {
  const { metadata, spec, operation, status } = understand(ArgoApplication, body, 'Application');
  const annotations = foreignAnnotations(metadata.annotations);
  const namespace = metadata.namespace ?? '';
  const isAtHome = isHome(namespace, rules?.controllerNamespace);
  const named = namedPools({ namespace, project: spec.project, annotations }, rules);
  const rows = status?.resources ?? [];
  const resources = rows.filter(isFields).map(resourceOf);
  return {
    argocd,
    namespace,
    name: metadata.name,
    uid: metadata.uid,
    ...given({ isAtHome }),
    ...(spec.project === '' || spec.project === 'default' ? {} : { project: spec.project }),
    annotations,
    ...given({ named }),
    ...specOf(spec),
    ...respect(spec, status?.operationState?.operation?.sync),
    ...leavesPauseOf(spec),
    ...leftToPrune(spec, rows),
    sync: {
      status: status?.sync?.status ?? '',
      revisions: revisionsOf(status?.sync),
    },
    health: status?.health?.status ?? '',
    resources,
    operationQueued: isSyncQueued(operation),
    operation: operationOf(status?.operationState, resources, (asked) =>
      appliesCompared({ ...understand(RawSpec, body, 'Application'), comparedTo: status?.sync?.comparedTo, asked }),
    ),
    ...(metadata.deletionTimestamp === undefined ? {} : { isBeingDeleted: true }),
    ...generatedBy(metadata.ownerReferences),
    ...(status?.reconciledAt ? { reconciledAt: status.reconciledAt } : {}),
    ...succeededOf(status?.history),
  };
}

/** By the rows as they are: one that is not understood speaks against it, and a list without anything to prune too.
 *  A hook has no status, and counts as not Synced. Source: argo-cd controller/appcontroller.go, autoSync. */
function leftToPrune({ syncPolicy }: ApplicationSpec, rows: readonly unknown[]): Pick<Application, 'leftToPrune'> {
  const { prune, allowEmpty } = syncPolicy?.automated ?? {};
  const isToPrune = (row: unknown) => isFields(row) && row['requiresPruning'] === true;
  const isSynced = (row: unknown) => isFields(row) && row['status'] === 'Synced';
  const isLeft =
    prune === true
      ? allowEmpty !== true && rows.every(isToPrune)
      : rows.every((row) => isToPrune(row) || isSynced(row));
  return isLeft && rows.some(isToPrune) ? { leftToPrune: true } : {};
}

/** Argo CD keeps ten, or what `revisionHistoryLimit` says. */
const historyAtMost = 20;

function succeededOf(history: NonNullable<ArgoApplication['status']>['history']): Pick<Application, 'succeeded'> {
  const all = (history ?? []).flatMap(({ deployStartedAt: startedAt, ...at }) =>
    startedAt === undefined ? [] : [{ startedAt, revisions: revisionsOf(at) }],
  );
  return all.length === 0 ? {} : { succeeded: all.slice(-historyAtMost) };
}

/** A sync has its own options: those of the spec, unless a person has asked for others. */
function respect(
  { syncPolicy }: ApplicationSpec,
  last: z.infer<typeof SyncOperation> | null | undefined,
): Pick<Application, 'respectsIgnoreDifferences'> {
  if (respectsIgnoreDifferences(syncPolicy)) return { respectsIgnoreDifferences: 'always' };
  return respectsIgnoreDifferences(last) ? { respectsIgnoreDifferences: 'lately' } : {};
}

function generatedBy(owners: ArgoApplication['metadata']['ownerReferences']): Pick<Application, 'generatedBy'> {
  const set = owners?.find((owner) => owner.kind === 'ApplicationSet');
  return set === undefined ? {} : { generatedBy: set.name };
}

const QueuedDryRun = z.object({ sync: z.object({ dryRun: z.literal(true) }) });

/** `.operation` is set from the request until the end of a sync. An unknown operation counts as a sync. */
function isSyncQueued(operation: unknown): boolean {
  if (operation === undefined || operation === null) return false;
  return !QueuedDryRun.safeParse(operation).success;
}

/** `revisions` of several sources, else the one `revision`; Argo CD leaves the other empty. */
function revisionsOf(
  where: { readonly revision: string; readonly revisions: readonly string[] } | null | undefined,
): readonly string[] {
  const named = [...(where?.revisions ?? [])].filter(Boolean);
  if (named.length > 0) return named;
  return where?.revision ? [where.revision] : [];
}

/** @param resources what the Application manages
 *  @param isCompared whether what it asks for is what the Application was compared with */
function operationOf(
  state: OperationState | null | undefined,
  resources: readonly ManagedResource[],
  isCompared: (asked: z.infer<typeof SyncOperation> | null | undefined) => boolean,
): Operation | undefined {
  if (state === null || state === undefined) return undefined;
  const asked = state.operation?.sync;
  const synced = revisionsOf(state.syncResult);
  return {
    phase: state.phase,
    // Failures quote the URL that failed, which may contain a password.
    message: foreignMessage(state.message ?? ''),
    startedAt: state.startedAt,
    finishedAt: state.finishedAt,
    retryCount: state.retryCount ?? 0,
    ...retryOf(state),
    dryRun: asked?.dryRun ?? false,
    // The first Running write and early failures have no result yet.
    revisions: synced.length > 0 ? synced : revisionsOf(asked),
    partial: isPartial(asked),
    ...askedOf(asked),
    ...startedBy(state.operation?.initiatedBy),
    ...(isCompared(asked) ? {} : { appliesOther: true }),
    results: inOwnNamespaces((state.syncResult?.resources ?? []).map(resultOf), resources),
  };
}

/** Argo CD notes the namespace of the destination for what it did with an object that has none. Source: gitops-engine
 *  pkg/sync/sync_context.go, getSyncTasks. */
function inOwnNamespaces(
  results: readonly OperationResult[],
  resources: readonly ManagedResource[],
): readonly OperationResult[] {
  const bare = resources.filter(({ namespace }) => namespace === '');
  // Hardly any result has such a name, and keys take their time.
  const names = new Set(bare.map(({ name }) => name));
  const keys = new Set(bare.map(objectKey));
  return results.map((each) => {
    if (!names.has(each.name)) return each;
    const own = { ...each, namespace: '' };
    return keys.has(objectKey(own)) ? own : each;
  });
}

/** Argo CD writes `automated` alone into what it begins by itself; with a name it is an ApplicationSet, or another
 *  controller, which has not compared anything. Source: argo-cd controller/appcontroller.go, autoSync. */
function startedBy(by: NonNullable<OperationState['operation']>['initiatedBy']): Pick<Operation, 'startedBy'> {
  const name = by?.username ?? '';
  return name === '' && by?.automated === true ? {} : { startedBy: name };
}

function retryOf({ phase, finishedAt, retryCount, operation }: OperationState): Pick<Operation, 'retryAt'> {
  if (finishedAt === undefined || !waitsForRetry({ phase, finishedAt })) return {};
  const wait = retryWaitSeconds(operation?.retry?.backoff, retryCount ?? 0);
  return wait === undefined ? {} : { retryAt: plusSeconds(new Date(finishedAt), wait) };
}

type Fields = Readonly<Record<string, unknown>>;

function isFields(row: unknown): row is Fields {
  return typeof row === 'object' && row !== null;
}

function text(value: unknown): string {
  return typeof value === 'string' ? foreignName(value) : '';
}

function nameOf({ group, kind, namespace, name }: Fields): ObjectName {
  return { group: text(group), kind: text(kind), namespace: text(namespace), name: text(name) };
}

function resourceOf(row: Fields): ManagedResource {
  return { ...nameOf(row), status: text(row['status']) };
}

function resultOf(row: Fields): OperationResult {
  const resource = resourceOf(row);
  const message = typeof row['message'] === 'string' ? row['message'] : '';
  // Only failures quote anything, and there are 500,000 rows in a large Argo CD.
  const isPlain = resource.status === 'Synced' && message.length <= foreignLimits.resultMessage;
  const said = isPlain ? message : foreignMessage(message, foreignLimits.resultMessage);
  const hookType = text(row['hookType']);
  return { ...resource, status: wasRun(row, hookType) ? 'Synced' : resource.status, message: said, hookType };
}

/** Argo CD takes the status of a hook away once that has run. Source: gitops-engine pkg/sync/sync_context.go, Sync. */
function wasRun({ status, hookPhase }: Fields, hookType: string): boolean {
  return hookType !== '' && hookPhase === 'Succeeded' && (status === undefined || status === '');
}

/** Hooks are skipped if resources are selected (also by self-heal) and if the strategy is `apply`. What brings
 *  manifests of its own writes nothing else of its Application. */
function isPartial(asked: z.infer<typeof SyncOperation> | null | undefined): boolean {
  const applyOnly = asked?.syncStrategy?.apply;
  const isApplyOnly = applyOnly !== undefined && applyOnly !== null;
  return (asked?.resources ?? []).length > 0 || isApplyOnly || appliesOwnManifests(asked);
}

/** Manifests of its own are none of the Application's objects, whatever they name. */
function askedOf(asked: z.infer<typeof SyncOperation> | null | undefined): Pick<Operation, 'asked'> {
  if (appliesOwnManifests(asked)) return { asked: [] };
  const resources = asked?.resources ?? [];
  return resources.length === 0 ? {} : { asked: resources.map(nameOf) };
}
