import * as z from 'zod';
import { foreignField, foreignLimits } from '../text/foreign-text.ts';
import { given } from '../text/given.ts';
import { unique } from '../text/unique.ts';
import type { Application, ApplicationSource, Overlooked } from './application.ts';

/** Go omits empty fields, and some servers send them as null. */
export const Text = z
  .string()
  .nullish()
  .transform((text) => foreignField(text ?? ''));
export const Texts = z
  .array(z.string())
  .nullish()
  .transform((texts) => (texts ?? []).slice(0, foreignLimits.entries).map(foreignField));

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

/** Sources of one Application: one with more cannot be read. Rules of `ignoreDifferences`: of one with more, everything
 *  counts as ignored. Whoever may write an Application may write tens of thousands of either. */
const most = { sources: 200, rules: 100 };

/** `spec` of an Application, and of the template of an ApplicationSet, limited to the fields in use. Source: argo-cd
 *  pkg/apis/application/v1alpha1/types.go. */
export const ApplicationSpec = z.object({
  project: Text,
  destination: z.object({ server: Text, name: Text }).nullish(),
  source: Source.nullish(),
  sources: z.array(Source).max(most.sources).nullish(),
  /** `drySource` and `syncSource` instead of `source`. */
  sourceHydrator: z
    .object({
      drySource: Source.nullish(),
      syncSource: z.object({ repoURL: Text, targetBranch: Text, path: Text }).nullish(),
    })
    .nullish(),
  syncPolicy: z
    .object({
      automated: z
        .object({
          enabled: z.boolean().nullish(),
          selfHeal: z.boolean().nullish(),
          prune: z.boolean().nullish(),
          allowEmpty: z.boolean().nullish(),
        })
        .nullish(),
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
});
export type ApplicationSpec = z.infer<typeof ApplicationSpec>;

/** The spec as an Application. */
export function specOf(
  spec: ApplicationSpec,
): Pick<Application, 'destination' | 'sources' | 'automated' | 'prunes' | 'selfHeal' | 'retryLimit' | 'overlooks'> {
  return {
    destination: spec.destination ?? { server: '', name: '' },
    sources: sourcesOf(spec),
    automated: isAutomated(spec.syncPolicy),
    ...(prunes(spec.syncPolicy) ? { prunes: true } : {}),
    selfHeal: isAutomated(spec.syncPolicy) && spec.syncPolicy?.automated?.selfHeal === true,
    retryLimit: spec.syncPolicy?.retry?.limit ?? 0,
    ...overlooks(spec),
  };
}

/** `sources` wins over `source` if both are set, as in Argo CD's `GetSources`. */
function sourcesOf({ source, sources, sourceHydrator }: ApplicationSpec): readonly ApplicationSource[] {
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
    ...given({ tool }),
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
  return hasSettings(directory?.jsonnet) ? 'jsonnet' : undefined;
}

/** Argo CD writes `jsonnet: {}` into every `directory`, as for `recurse: true`. Source: argoproj/argo-cd#25485. */
function hasSettings(jsonnet: unknown): boolean {
  return isGiven(jsonnet) && (typeof jsonnet !== 'object' || Object.values(jsonnet ?? {}).some(isGiven));
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** The block alone used to enable it; since 3.1 `enabled: false` inside it disables it. */
function isAutomated(policy: ApplicationSpec['syncPolicy']): boolean {
  return policy?.automated !== undefined && policy.automated !== null && policy.automated.enabled !== false;
}

/** Off unless it is asked for; whether a sync by hand prunes is said when it begins. Source: argo-cd
 *  pkg/apis/application/v1alpha1/types.go, SyncPolicyAutomated. */
function prunes(policy: ApplicationSpec['syncPolicy']): boolean {
  return isAutomated(policy) && policy?.automated?.prune === true && !policy.syncOptions.some(leavesPruned);
}

/** Whether a sync option, of an Application or of one object, has what Git no longer has stay: for good, until a person
 *  confirms it, or until all else is synced. Source: argo-cd sync options. */
export function leavesPruned(option: string): boolean {
  return ['Prune=false', 'Prune=confirm', 'PruneLast=true'].includes(option.trim());
}

/** Fields that no node runs. */
const notRendered = /^\/(?:spec\/paused$|status(?:\/|$)|metadata\/(?:annotations|managedFields|finalizers)(?:\/|$))/;

const anything: Overlooked = { group: '*', kind: '*', namespace: '', name: '' };

/** Whether syncs with these options write what is ignored as they find it. */
export function respectsIgnoreDifferences(
  options: { readonly syncOptions: readonly string[] } | null | undefined,
): boolean {
  return options?.syncOptions.includes('RespectIgnoreDifferences=true') === true;
}

/** Pools whose pause all syncs with this spec leave as they find it. Rules by manager do not count: what they cover
 *  changes. */
export function leavesPauseOf({ ignoreDifferences, syncPolicy }: ApplicationSpec): Pick<Application, 'leavesPauseOf'> {
  if (!respectsIgnoreDifferences(syncPolicy)) return {};
  const rules = (ignoreDifferences ?? [])
    .slice(0, most.rules)
    .filter(
      ({ group, kind, namespace, jsonPointers, jqPathExpressions }) =>
        namespace === '' &&
        ['*', 'machineconfiguration.openshift.io'].includes(group) &&
        ['*', 'MachineConfigPool'].includes(kind) &&
        (jsonPointers.some((pointer) => ['/spec/paused', '/spec'].includes(pointer)) ||
          jqPathExpressions.some((path) => ['.spec.paused', '.spec'].includes(path.trim()))),
    );
  return rules.length === 0 ? {} : { leavesPauseOf: unique(rules.map(({ name }) => name)) };
}

/** A sync that respects the rules leaves these fields as they are in the cluster. Source: argo-cd
 *  controller/sync.go. */
function overlooks({ ignoreDifferences, syncPolicy }: ApplicationSpec): Pick<Application, 'overlooks'> {
  if (respectsIgnoreDifferences(syncPolicy)) return {};
  const rules = (ignoreDifferences ?? []).filter(
    ({ jsonPointers, jqPathExpressions, managedFieldsManagers }) =>
      jqPathExpressions.length > 0 ||
      managedFieldsManagers.length > 0 ||
      !jsonPointers.every((pointer) => notRendered.test(pointer)),
  );
  if (rules.length > most.rules) return { overlooks: [anything] };
  return rules.length === 0
    ? {}
    : { overlooks: rules.map(({ group, kind, namespace, name }) => ({ group, kind, namespace, name })) };
}
