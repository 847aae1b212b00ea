import { ifGiven } from '../text/if-given.ts';
import { annotationsOf } from './annotations.ts';
import { sourcesOf } from './application-source.ts';
import { disabledRemarks, type Entry, entriesOf, isDisabled } from './entries.ts';
import type { Group } from './group.ts';
import { unknownKeys } from './known-keys.ts';
import type { GroupManifest } from './manifest.ts';
import { type Remark, trap } from './remark.ts';
import { at, isSet, textAt, type Value, type Values } from './values.ts';
import { waveAnnotation } from './wave.ts';

export interface GroupApplication {
  readonly key: string;
  readonly at: string;
  readonly name: string;
  readonly wave: number;
  /** Somebody has written a wave. */
  readonly hasWave: boolean;
  /** Its AppProject. */
  readonly project: string;
  readonly manifest: GroupManifest;
}

/** The Applications of a group; none while the pattern is being deleted. */
export function applicationsOf(group: Group): {
  readonly applications: readonly GroupApplication[];
  readonly remarks: readonly Remark[];
} {
  const { entries, remarks } = entriesOf(group.values, 'applications');
  const isDeleted = textAt(group.values, 'global', 'deletePattern') === 'DeleteChildApps';
  const read = entries.map((entry) => applicationOf(entry, group));
  return {
    applications: isDeleted ? [] : read.flatMap(({ application }) => ifGiven(application)),
    remarks: [...remarks, ...read.flatMap((each) => each.remarks)],
  };
}

function applicationOf(
  found: Entry,
  group: Group,
): { readonly application?: GroupApplication; readonly remarks: readonly Remark[] } {
  const { entry, key, at: where } = found;
  // A key that a later file empties is no entry any more.
  if (!isSet(entry)) return { remarks: [] };
  const own = [...disabledRemarks(entry, where), ...unknownKeys('applications', found)];
  if (isDisabled(entry)) return { remarks: own };
  const name = textAt(entry, 'name');
  if (name === undefined) {
    const says = 'has no name: the chart makes an Application without one, which no cluster takes; not taken';
    return { remarks: [...own, trap('no-name', where, says)] };
  }
  const { annotations, wave, remarks } = annotationsOf(entry['annotations'], where);
  const source = sourcesOf(entry, where, group);
  const ignored = entry['ignoreDifferences'];
  const project = textAt(entry, 'argoProject') ?? textAt(entry, 'project') ?? 'default';
  const manifest: GroupManifest = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: {
      name,
      namespace: group.argoNamespace,
      labels: { 'validatedpatterns.io/pattern': group.pattern },
      ...(annotations && { annotations }),
      finalizers: ['resources-finalizer.argocd.argoproj.io/foreground'],
    },
    spec: {
      destination: {
        name: textAt(group.values, 'clusterGroup', 'targetCluster') ?? 'in-cluster',
        namespace: textAt(entry, 'namespace') ?? group.argoNamespace,
      },
      project,
      ...source.fields,
      ...(isSet(ignored) && { ignoreDifferences: ignored }),
      ...syncPolicyOf(entry, group.values),
    },
  };
  const hasWave = annotations?.[waveAnnotation] !== undefined;
  return {
    application: { key, at: where, name, wave, hasWave, project, manifest },
    remarks: [...own, ...remarks, ...source.remarks],
  };
}

/** None for Manual; an object only if it is the entry's own: a global one is lost. */
function syncPolicyOf(entry: Values, values: Values): { readonly syncPolicy?: Value } {
  const own = entry['syncPolicy'];
  const given = isSet(own) ? own : at(values, 'global', 'options', 'syncPolicy');
  const word = typeof given === 'string' ? given.toLowerCase() : undefined;
  if (word === 'manual') return {};
  if (word === 'automatic' || !isSet(given)) {
    const limit = at(values, 'global', 'options', 'applicationRetryLimit');
    return { syncPolicy: { automated: {}, retry: { limit: isSet(limit) ? limit : 20 } } };
  }
  return isSet(own) && typeof own === 'object' ? { syncPolicy: own } : {};
}
