import * as z from 'zod';
import { labelledBy, trackedBy } from '../../core/argocd/tracking.ts';
import { fieldManager, holdsAnnotation } from '../../core/openshift/hold.ts';
import { ManifestSelector } from '../../core/openshift/manifest-selector.ts';
import { pauseAuthor } from '../../core/openshift/pause-author.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { parseJson, readRecord } from '../../core/openshift/pool-record.ts';
import {
  foreignAnnotations,
  foreignField,
  foreignLimits,
  foreignMessage,
  foreignName,
} from '../../core/text/foreign-text.ts';
import { given } from '../../core/text/given.ts';
import { type ManagedFields, newestOwner } from './managed-fields.ts';
import { Metadata, understand } from './metadata.ts';

const prefix = 'poolkeeper.dev/';

const Rendered = z
  .object({
    name: z.string().nullish(),
    source: z.array(z.object({ name: z.string().catch('') })).nullish(),
  })
  .nullish()
  .transform((rendered) => ({
    name: foreignName(rendered?.name ?? ''),
    sources: (rendered?.source ?? []).map(({ name }) => foreignName(name)),
  }));

const Count = z
  .number()
  .nullish()
  .transform((count) => count ?? 0);

const Condition = z.object({
  type: z.string(),
  status: z.enum(['True', 'False', 'Unknown']).catch('Unknown'),
  reason: z.string().nullish(),
  message: z.string().nullish(),
  lastTransitionTime: z.string().nullish(),
});

/** What is remembered of pools is kept by their names: one that every object has a member of (`constructor`) would be
 *  taken for what was remembered, by each pass over its cluster. */
const PoolMetadata = Metadata.refine(({ name }) => !(name in {}), { path: ['name'] });

/** The fields in use. Source: api machineconfiguration/v1 types.go. */
const MachineConfigPool = z.object({
  metadata: PoolMetadata,
  spec: z
    .object({
      // Go may omit the zero value: an absent `paused` is false.
      paused: z.boolean().nullish(),
      machineConfigSelector: ManifestSelector,
      nodeSelector: ManifestSelector,
      maxUnavailable: z.union([z.number(), z.string()]).nullish(),
      configuration: Rendered,
    })
    .nullish(),
  status: z
    .object({
      observedGeneration: Count,
      configuration: Rendered,
      machineCount: Count,
      updatedMachineCount: Count,
      readyMachineCount: Count,
      unavailableMachineCount: Count,
      degradedMachineCount: Count,
      conditions: z.array(Condition).nullish(),
      // Only shown in messages: an invalid value is left out.
      certExpirys: z
        .array(z.object({ expiry: z.string() }))
        .nullish()
        .catch(undefined),
    })
    .nullish(),
});
type MachineConfigPool = z.infer<typeof MachineConfigPool>;

const unrendered = { name: '', sources: [] };

/** Parses a MachineConfigPool. Throws Transient if invalid. */
export function poolOf(body: unknown): Pool {
  const { metadata, spec, status } = understand(MachineConfigPool, body, 'MachineConfigPool');
  const paused = spec?.paused ?? false;
  const pause = {
    paused,
    ...appliedPausedBy(metadata, paused),
    record: readRecord(metadata.annotations[holdsAnnotation]),
  };
  const deployedBy = trackedBy({ kind: 'MachineConfigPool', ...metadata }) ?? labelledBy(metadata.labels);
  return {
    name: metadata.name,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    createdAt: metadata.creationTimestamp ?? undefined,
    ...certificates(status),
    generation: metadata.generation,
    observedGeneration: status?.observedGeneration ?? 0,
    labels: metadata.labels,
    annotations: ourAnnotations(metadata.annotations),
    ...pause,
    pausedBy: pauseAuthor(pause, pauseWriter(metadata.managedFields)),
    ...given({ deployedBy }),
    recordBy: recordWriter(metadata.managedFields),
    machineConfigSelector: spec?.machineConfigSelector,
    nodeSelector: spec?.nodeSelector,
    maxUnavailable:
      spec?.maxUnavailable === undefined || spec.maxUnavailable === null
        ? undefined
        : foreignName(String(spec.maxUnavailable)),
    target: spec?.configuration ?? unrendered,
    current: status?.configuration ?? unrendered,
    counts: countsOf(status),
    conditions: conditionsOf(status),
  };
}

/** Whoever changes the pause takes it from us. Argo CD beside us has applied, by server-side apply, the pause that it
 *  found: with RespectIgnoreDifferences=true it writes the live value of what is ignored.
 *  Source: argo-cd controller/sync.go, normalizeTargetResources. */
function pauseWriter(entries: ManagedFields): Pool['pausedBy'] {
  const newest = newestOwner(entries, pausePath);
  if (newest === undefined || !isArgoCd(newest)) return newest;
  const ours = entries.filter(({ manager }) => manager === fieldManager);
  return newestOwner(ours, pausePath) ?? newest;
}

const pausePath = ['f:spec', 'f:paused'];

/** The same of our record: it is ours as long as we own it, whoever has applied beside us what was there. */
function recordWriter(entries: ManagedFields): string | undefined {
  const ours = entries.filter(({ manager }) => manager === fieldManager);
  return (newestOwner(ours, recordPath) ?? newestOwner(entries, recordPath))?.manager;
}

const recordPath = ['f:metadata', 'f:annotations', `f:${holdsAnnotation}`];

function isArgoCd({ manager }: { readonly manager: string }): boolean {
  return /^argocd-(?:application-)?controller$/.test(manager);
}

/** The annotation in which a client notes what it has applied. */
export const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
const AppliedPause = z.object({ spec: z.object({ paused: z.literal(true) }) });

/** Whether a pool was applied with a pause. */
export function isAppliedPause(text: unknown): boolean {
  return typeof text === 'string' && AppliedPause.safeParse(parseJson(text)).success;
}

/** Who has applied a pause that is there. By server-side apply Argo CD becomes an owner of the field, also beside us;
 *  otherwise it notes what it has applied, and what it noted before it went over to server-side apply stays. Shown on a
 *  real Argo CD 3.2. */
function appliedPausedBy(
  { annotations, managedFields }: z.infer<typeof Metadata>,
  paused: boolean,
): Pick<Pool, 'appliedPausedBy'> {
  if (!paused) return {};
  const argocd = managedFields.filter(isArgoCd);
  const serverSide = argocd.filter(({ operation }) => operation === 'Apply');
  if (serverSide.length === 0) {
    const by = noted(annotations[lastApplied], argocd);
    return by === undefined ? {} : { appliedPausedBy: by };
  }
  const owner = newestOwner(serverSide, pausePath);
  return owner === undefined ? {} : { appliedPausedBy: { ...owner, ownsField: true } };
}

function noted(text: string | undefined, argocd: ManagedFields): Pool['pausedBy'] {
  if (!isAppliedPause(text)) return undefined;
  return newestOwner(argocd, ['f:metadata', 'f:annotations', `f:${lastApplied}`]);
}

function ourAnnotations(annotations: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const ours = Object.entries(annotations).filter(([key]) => key.startsWith(prefix) && key !== holdsAnnotation);
  return foreignAnnotations(Object.fromEntries(ours));
}

function countsOf(status: MachineConfigPool['status']): Pool['counts'] {
  return {
    machines: status?.machineCount ?? 0,
    updated: status?.updatedMachineCount ?? 0,
    ready: status?.readyMachineCount ?? 0,
    unavailable: status?.unavailableMachineCount ?? 0,
    degraded: status?.degradedMachineCount ?? 0,
  };
}

/** Pools of OpenShift before 4.14 do not report it. */
function certificates(status: MachineConfigPool['status']): Pick<Pool, 'certificatesExpire'> {
  const first = (status?.certExpirys ?? []).map(({ expiry }) => Date.parse(expiry)).filter(Number.isFinite);
  if (first.length === 0) return {};
  return { certificatesExpire: new Date(first.reduce((soonest, each) => Math.min(soonest, each))).toISOString() };
}

/** The operator repeats in messages what nodes reported, which quotes URLs and headers. */
function conditionsOf(status: MachineConfigPool['status']): Pool['conditions'] {
  return (status?.conditions ?? []).slice(-foreignLimits.entries).map((condition) => ({
    type: foreignName(condition.type),
    status: condition.status,
    reason: foreignField(condition.reason ?? ''),
    message: foreignMessage(condition.message ?? ''),
    since: condition.lastTransitionTime ? foreignName(condition.lastTransitionTime) : undefined,
  }));
}
