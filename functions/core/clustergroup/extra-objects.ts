import { ifGiven } from '../text/if-given.ts';
import { annotationsOf } from './annotations.ts';
import { disabledRemarks, isDisabled } from './entries.ts';
import type { Group } from './group.ts';
import { checkHook } from './hook.ts';
import { hint, type Remark, refused, trap } from './remark.ts';
import { at, isList, isMap, isSet, sortedEntries, textAt, type Value, type Values } from './values.ts';

/** A manifest of `extraObjects`, unchanged but for `disabled`. */
export interface ExtraObject {
  readonly key: string;
  readonly at: string;
  readonly wave: number;
  /** `apiVersion/kind/namespace/name`: what makes two manifests one object. */
  readonly id: string;
  readonly manifest: Values;
}

const where = 'clusterGroup.extraObjects';

export function extraObjectsOf(group: Group): {
  readonly objects: readonly ExtraObject[];
  readonly remarks: readonly Remark[];
} {
  const found = at(group.values, 'clusterGroup', 'extraObjects');
  if (!isSet(found)) return { objects: [], remarks: [] };
  if (!isMap(found) && !isList(found))
    return { objects: [], remarks: [refused('entry-not-a-map', where, 'must be a map')] };
  const pairs: readonly (readonly [string, Value])[] = isList(found)
    ? found.map((value, index) => [`${index}`, value])
    : sortedEntries(found);
  const read = pairs.map(([key, value]) => objectOf(key, value));
  const all = read.flatMap(({ object }) => ifGiven(object));
  const last = new Map(all.map((object) => [object.id, object]));
  const twice = all.filter((object) => last.get(object.id) !== object);
  return {
    objects: all.filter((object) => last.get(object.id) === object),
    remarks: [
      ...(isList(found) ? [trap('chart-refuses-value', where, 'the chart refuses a list here; it must be a map')] : []),
      ...read.flatMap(({ remarks }) => remarks),
      ...twice.map(({ at: path, id }) => trap('object-twice', path, twiceText(id, last.get(id)?.at))),
    ],
  };
}

function twiceText(id: string, other: string | undefined): string {
  return `${id} is also ${other}: Argo CD takes the last one and warns (RepeatedResourceWarning); so does the import`;
}

function objectOf(key: string, value: Value): { readonly object?: ExtraObject; readonly remarks: readonly Remark[] } {
  const path = `${where}.${key}`;
  if (value === null) {
    const says = 'null: the chart cannot render the group; taken as removed here';
    return { remarks: [trap('null-removes', path, says)] };
  }
  if (!isMap(value))
    return { remarks: [refused('no-manifest', path, 'must be a manifest: the chart cannot render the group')] };
  const own = disabledRemarks(value, path);
  if (isDisabled(value)) return { remarks: own };
  const { disabled: _disabled, ...manifest } = value;
  const [apiVersion, kind, name] = [
    textAt(value, 'apiVersion'),
    textAt(value, 'kind'),
    textAt(value, 'metadata', 'name'),
  ];
  if (apiVersion === undefined || kind === undefined || name === undefined) {
    const says =
      'is no manifest (apiVersion, kind and metadata.name are needed); the chart writes it out all the same; not taken';
    return { remarks: [...own, refused('no-manifest', path, says)] };
  }
  const { wave, remarks } = annotationsOf(at(value, 'metadata', 'annotations'), `${path}.metadata`);
  const id = [apiVersion, kind, textAt(value, 'metadata', 'namespace') ?? '', name]
    .filter((part) => part !== '')
    .join('/');
  return {
    object: { key, at: path, wave, id, manifest },
    remarks: [...own, ...remarks, ...contentRemarks(value, path)],
  };
}

function contentRemarks(manifest: Values, path: string): readonly Remark[] {
  const annotations = at(manifest, 'metadata', 'annotations');
  const hook = at(annotations, 'argocd.argoproj.io/hook');
  return [
    ...checkHook(hook, `${path}.metadata.annotations.argocd.argoproj.io/hook`),
    ...templateText(manifest, path),
    ...dryRunRemarks(manifest, path),
    ...(isSet(hook) ? shortTtl(manifest, path) : []),
  ];
}

function templateText(manifest: Values, path: string): readonly Remark[] {
  if (!JSON.stringify(manifest).includes('{{')) return [];
  return [trap('template-text', path, 'has a template in it: nobody renders it, it is applied as it is written')];
}

/** Groups that every OpenShift cluster serves from the beginning. */
const served =
  /^(?:v1|(?:apps|batch|autoscaling|policy|console\.openshift\.io)\/.*|[\w.]*(?:k8s\.io|openshift\.io|coreos\.com)\/.*)$/;

/** Groups within these that come with an operator. */
const brought =
  /^(?:ocs|odf|hco|kubevirt|nmstate|sriovnetwork|local\.storage|snapshot|kueue|jobset|logging|observability|nfd|oadp|tuned|performance|hypershift|lightspeed|sandboxedcontainers|pipelines)\b/;

/** What Argo CD makes of a kind that the cluster does not serve yet. */
export function dryRunRemarks(manifest: Values, path: string): readonly Remark[] {
  const apiVersion = textAt(manifest, 'apiVersion') ?? '';
  const options = textAt(manifest, 'metadata', 'annotations', 'argocd.argoproj.io/sync-options') ?? '';
  if (options.includes('SkipDryRunOnMissingResource=true')) return [];
  if (served.test(apiVersion) && !brought.test(apiVersion)) return [];
  const says =
    'Argo CD dry-runs everything first: if an operator of this group brings this kind, the first sync fails as a whole; annotate it with argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true';
  return [hint('missing-kind-fails-dry-run', `${path}.apiVersion`, says)];
}

/** Seconds. Argo CD before 3.6 waits for ever for a hook Job that was deleted before it was looked at. */
const shortestTtl = 600;

function shortTtl(manifest: Values, path: string): readonly Remark[] {
  const ttl = at(manifest, 'spec', 'ttlSecondsAfterFinished');
  if (typeof ttl !== 'number' || ttl >= shortestTtl) return [];
  const says = `${ttl} s: a hook Job that is deleted before Argo CD has looked at it hangs the sync; at least ${shortestTtl} s, or none and a hook-delete-policy`;
  return [trap('short-ttl', `${path}.spec.ttlSecondsAfterFinished`, says)];
}
