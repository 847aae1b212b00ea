import { ApiError } from '../api-server/api-error.ts';
import type { Registry } from '../api-server/registry.ts';
import { resourceTypes } from '../api-server/resource-types.ts';
import type { Pace } from '../pace.ts';
import {
  type Application,
  isMultiSource,
  type OperationState,
  type ResourceResult,
  type ResourceStatus,
  type SyncRequest,
} from './application.ts';
import { applyManifest, placeOf } from './apply-manifest.ts';
import { compare } from './comparison.ts';
import type { GitHost } from './git-host.ts';
import { type Manifest, readManifests, waveOf } from './manifests.ts';
import { healthOf } from './resource-health.ts';
import type { ArgoTimings } from './timings.ts';

export interface Outcome {
  readonly phase: 'Succeeded' | 'Failed' | 'Error';
  readonly message: string;
  readonly syncResult?: NonNullable<OperationState['syncResult']>;
}

interface Attempt {
  readonly registry: Registry;
  readonly pace: Pace;
  readonly git: GitHost;
  readonly timings: ArgoTimings;
  readonly application: Application;
  readonly request: SyncRequest;
  /** Waits while the controller is down; answers whether the operation has been terminated meanwhile. */
  readonly checkpoint: () => Promise<'go on' | 'terminate'>;
  /** Reports progress. */
  readonly progress: (message: string, syncResult: NonNullable<OperationState['syncResult']>) => void;
}

const terminated: Outcome = { phase: 'Failed', message: 'Operation terminated' };

/** One attempt to sync: wave by wave, each after the previous one is healthy. */
export async function attemptSync(attempt: Attempt): Promise<Outcome> {
  const { registry, pace, git, timings, application, request } = attempt;
  await pace.sleep(timings.prepareMs);
  if ((await attempt.checkpoint()) === 'terminate') return terminated;
  const asked = request.revisions ?? (request.revision ? [request.revision] : []);
  const wanted = readManifests(git, application, asked);
  if (wanted.kind === 'failed') return { phase: 'Error', message: `ComparisonError: ${wanted.why}` };

  const results: ResourceResult[] = [];
  const syncResult = () => resultOf(application, wanted.revisions, results);
  const waves = wavesOf(wanted.manifests.filter((manifest) => isRequested(manifest, request)));
  for (const [index, wave] of waves.entries()) {
    results.push(
      ...wave.map((manifest) => apply(registry, manifest, { application, dryRun: request.dryRun ?? false })),
    );
    const failed = results.filter(({ status }) => status === 'SyncFailed').map(({ message }) => message);
    if (failed.length > 0)
      return {
        phase: 'Failed',
        message: `one or more objects failed to apply, reason: ${failed.join(',')}`,
        syncResult: syncResult(),
      };
    const another = index < waves.length - 1;
    if (another && (await settle(attempt, { wave, syncResult })) === 'terminate')
      return { ...terminated, syncResult: syncResult() };
  }
  results.push(...prune(registry, git, { application, request, revisions: wanted.revisions }));
  await pace.sleep(timings.finishMs);
  if ((await attempt.checkpoint()) === 'terminate') return { ...terminated, syncResult: syncResult() };
  return { phase: 'Succeeded', message: 'successfully synced (all tasks run)', syncResult: syncResult() };
}

function resultOf(
  { spec, ...application }: Application,
  revisions: readonly string[],
  resources: readonly ResourceResult[],
): NonNullable<OperationState['syncResult']> {
  const several = isMultiSource({ spec, ...application });
  return {
    revision: several ? '' : (revisions[0] ?? ''),
    ...(several && { revisions: [...revisions], sources: spec.sources ?? [] }),
    ...(spec.source && !several && { source: spec.source }),
    resources: [...resources],
  };
}

function wavesOf(manifests: readonly Manifest[]): Manifest[][] {
  const numbers = [...new Set(manifests.map(waveOf))].sort((left, right) => left - right);
  return numbers.map((number) => manifests.filter((manifest) => waveOf(manifest) === number));
}

/** A request that lists resources syncs only those. */
function isRequested({ apiVersion, kind, metadata }: Manifest, { resources = [] }: SyncRequest): boolean {
  const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
  return (
    resources.length === 0 ||
    resources.some((named) => (named.group ?? '') === group && named.kind === kind && named.name === metadata.name)
  );
}

function apply(
  registry: Registry,
  manifest: Manifest,
  { application, dryRun }: { readonly application: Application; readonly dryRun: boolean },
): ResourceResult {
  const place = placeOf(manifest, application);
  const [version = '', group = ''] = manifest.apiVersion.split('/').reverse();
  const { kind } = manifest;
  const { name } = manifest.metadata;
  const described = {
    group,
    version,
    kind,
    name,
    namespace: place?.namespace ?? '',
    hookPhase: 'Running',
    syncPhase: 'Sync' as const,
  };
  if (!place)
    return {
      ...described,
      status: 'SyncFailed',
      hookPhase: 'Failed',
      message: `The Kubernetes API could not find ${group}/${kind} for requested resource /${name}. Make sure the "${kind}" CRD is installed on the destination cluster.`,
    };
  try {
    const { outcome } = applyManifest(registry, manifest, { application, place, dryRun });
    const named = group === '' ? kind.toLowerCase() : `${kind.toLowerCase()}.${group}`;
    return { ...described, status: 'Synced', message: `${named}/${name} ${outcome}${dryRun ? ' (dry run)' : ''}` };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { ...described, status: 'SyncFailed', hookPhase: 'Failed', message: error.message };
  }
}

/** Waits until a wave is healthy. Kinds without a health check are healthy at once. */
async function settle(
  { registry, pace, timings, application, progress, checkpoint }: Attempt,
  {
    wave,
    syncResult,
  }: { readonly wave: readonly Manifest[]; readonly syncResult: () => NonNullable<OperationState['syncResult']> },
): Promise<'go on' | 'terminate'> {
  const unhealthy = () =>
    wave
      .map((manifest) => asResource(manifest, application))
      .filter((resource) => ['Progressing', 'Missing'].includes(healthOf(registry, resource) ?? ''));
  progress('one or more tasks are running', syncResult());
  await pace.sleep(timings.waveDelayMs);
  for (;;) {
    if ((await checkpoint()) === 'terminate') return 'terminate';
    const [first, ...more] = unhealthy();
    if (!first) return 'go on';
    const named = `${first.group ? `${first.group}/` : ''}${first.kind}/${first.name}`;
    progress(
      `waiting for healthy state of ${named}${more.length > 0 ? ` and ${more.length} more resources` : ''}`,
      syncResult(),
    );
    await pace.sleep(timings.lookMs);
  }
}

function asResource(manifest: Manifest, application: Application): ResourceStatus {
  const [version = '', group = ''] = manifest.apiVersion.split('/').reverse();
  const namespace = placeOf(manifest, application)?.namespace ?? '';
  return { group, version, kind: manifest.kind, namespace, name: manifest.metadata.name, status: 'Synced' };
}

function prune(
  registry: Registry,
  git: GitHost,
  {
    application,
    request,
    revisions,
  }: { readonly application: Application; readonly request: SyncRequest; readonly revisions: readonly string[] },
): ResourceResult[] {
  if ((request.resources ?? []).length > 0) return [];
  const { resources } = compare(registry, git, { application, revisions });
  return resources
    .filter(({ requiresPruning }) => requiresPruning)
    .map(({ group = '', version, kind, namespace = '', name }) => {
      const described = { group, version, kind, namespace, name, hookPhase: 'Succeeded', syncPhase: 'Sync' as const };
      const type = resourceTypes.find((each) => each.group === group && each.kind === kind);
      if (!request.prune || !type)
        return { ...described, status: 'PruneSkipped' as const, message: 'ignored (requires pruning)' };
      registry.delete(type, { name, namespace }, { manager: 'argocd-controller', dryRun: request.dryRun ?? false });
      return { ...described, status: 'Pruned' as const, message: 'pruned' };
    });
}
