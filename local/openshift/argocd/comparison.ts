import { isJsonObject, type JsonObject, sameJson } from '../api-server/json.ts';
import type { KubernetesObject } from '../api-server/kubernetes-object.ts';
import type { Registry } from '../api-server/registry.ts';
import { type ResourceType, resourceTypes } from '../api-server/resource-types.ts';
import { type Application, isMultiSource, type ResourceStatus } from './application.ts';
import { afterApply, ignoring, isTracked, type Place, placeOf, trackingIdOf } from './apply-manifest.ts';
import type { GitHost } from './git-host.ts';
import { type Manifest, readManifests, waveOf } from './manifests.ts';

export interface Comparison {
  readonly status: 'Synced' | 'OutOfSync' | 'Unknown';
  readonly revisions: readonly string[];
  readonly resources: readonly ResourceStatus[];
  /** Why the comparison failed. */
  readonly error?: string;
}

/** Compares Git with the cluster. With `revisions`, those commits are used and nothing is resolved again. */
export function compare(
  registry: Registry,
  git: GitHost,
  { application, revisions }: { readonly application: Application; readonly revisions?: readonly string[] },
): Comparison {
  const wanted = readManifests(git, application, revisions);
  if (wanted.kind === 'failed')
    return { status: 'Unknown', revisions: [], resources: application.status?.resources ?? [], error: wanted.why };
  const places = wanted.manifests.map((manifest) => ({ manifest, place: placeOf(manifest, application) }));
  const resources = [
    ...places.map(({ manifest, place }) => statusOf(registry, manifest, { application, place })),
    ...orphans(
      registry,
      application,
      places.map(({ place }) => place),
    ),
  ];
  const status = resources.every((resource) => resource.status === 'Synced') ? 'Synced' : 'OutOfSync';
  return { status, revisions: wanted.revisions, resources };
}

function statusOf(
  registry: Registry,
  manifest: Manifest,
  { application, place }: { application: Application; place: Place | undefined },
): ResourceStatus {
  const wave = waveOf(manifest);
  const [version = '', group = ''] = manifest.apiVersion.split('/').reverse();
  const named = {
    ...(group && { group }),
    version,
    kind: manifest.kind,
    name: manifest.metadata.name,
    ...(wave !== 0 && { syncWave: wave }),
  };
  if (!place) return { ...named, status: 'OutOfSync' };
  const { type, name, namespace } = place;
  const live = registry.get(type, name, namespace);
  const placed = { ...named, ...(namespace && { namespace }) };
  if (!live) return { ...placed, status: 'OutOfSync' };
  const predicted = ignoring(afterApply(manifest, live, trackingIdOf(application, place)), live, { application, type });
  return {
    ...placed,
    status: sameJson(comparable(predicted), comparable(live as unknown as JsonObject)) ? 'Synced' : 'OutOfSync',
  };
}

/** The object without bookkeeping fields, which make no difference. */
function comparable(object: JsonObject): JsonObject {
  const { metadata, ...rest } = object;
  if (!isJsonObject(metadata)) return rest;
  const { annotations, resourceVersion, generation, managedFields, ...kept } = metadata;
  const notes = isJsonObject(annotations) ? annotations : {};
  const { 'kubectl.kubernetes.io/last-applied-configuration': _, 'argocd.argoproj.io/tracking-id': __, ...own } = notes;
  return { ...rest, metadata: { ...kept, annotations: own } };
}

/** Objects of the application that Git no longer has. */
function orphans(
  registry: Registry,
  application: Application,
  wanted: readonly (Place | undefined)[],
): ResourceStatus[] {
  const isWanted = (type: ResourceType, { metadata }: KubernetesObject) =>
    wanted.some(
      (place) => place?.type === type && place.name === metadata.name && place.namespace === (metadata.namespace ?? ''),
    );
  return resourceTypes.flatMap((type) =>
    registry
      .list(type)
      .filter((object) => isTracked(object, application) && !isWanted(type, object))
      .map(({ metadata }) => ({
        ...(type.group && { group: type.group }),
        version: type.version,
        kind: type.kind,
        ...(metadata.namespace && { namespace: metadata.namespace }),
        name: metadata.name,
        status: 'OutOfSync' as const,
        requiresPruning: true,
      })),
  );
}

/** The comparison in the form of `status.sync`. */
export function syncStatusOf(
  application: Application,
  { status, revisions }: Comparison,
): NonNullable<Application['status']>['sync'] {
  const { source, sources, destination } = application.spec;
  const comparedTo = { ...(source && { source }), ...(sources && { sources }), destination };
  if (isMultiSource(application)) return { status, comparedTo, revisions: [...revisions] };
  return { status, comparedTo, ...(revisions[0] !== undefined && { revision: revisions[0] }) };
}
