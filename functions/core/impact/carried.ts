import type { Manifest, ManifestChange } from '../openshift/manifest.ts';
import { machineConfigGroup, ruleOf } from '../openshift/rendered-kinds.ts';
import { isObject, isSameContent } from './same-content.ts';

/** A part of a change that reaches nodes by way of another controller. */
export interface Carried {
  readonly path: string;
  readonly why: string;
}

const carriedKinds = ['MachineConfig', 'KubeletConfig', 'ContainerRuntimeConfig', 'MachineOSConfig'];
const inText =
  /\bkind["']?[ \t]{0,5}:[ \t]{0,5}["']?(MachineConfig|KubeletConfig|ContainerRuntimeConfig|MachineOSConfig)(?![A-Za-z])/;
const hostedKinds = ['NodePool', 'HostedCluster'];

/** Objects that the MCO does not read, and that have it render something all the same, here or in another cluster: a
 *  Policy or a ManifestWork with a MachineConfig inside, a ConfigMap with one as text, as those of hosted clusters and
 *  of installations have it. And NodePools, whose nodes are updated without any MachineConfigPool. */
export function carriedBy({ before, after, files: [path = ''] }: ManifestChange): readonly Carried[] {
  const manifest = after ?? before;
  if (manifest === undefined || isReadByMco(manifest)) return [];
  if (manifest.group === 'hypershift.openshift.io' && hostedKinds.includes(manifest.kind))
    return [{ path, why: `nodes of a hosted cluster may be updated or replaced by the ${manifest.kind} in it` }];
  const [was, is] = [before, after].map((side) => [...partsIn(side?.body)]);
  if (isSameContent(was, is)) return [];
  const kinds = new Set([...(was ?? []), ...(is ?? [])].map(kindOf));
  return [{ path, why: `the ${manifest.kind} in it brings a ${[...kinds].toSorted().join(', a ')} by other hands` }];
}

function isReadByMco(manifest: Manifest): boolean {
  const data = manifest.body['data'];
  return ruleOf(manifest, isObject(data) ? Object.keys(data) : []) !== undefined;
}

/** No object of a cluster is nested deeper. */
const deepest = 60;

/** Manifests inside, as objects or as texts. A reference to an object has no content of its own. */
function* partsIn(value: unknown, depth = 0): Generator<unknown> {
  if (typeof value === 'string') {
    if (value.includes(`${machineConfigGroup}/`) && inText.test(value)) yield value;
    return;
  }
  if (!isObject(value) || depth > deepest) return;
  if (isManifest(value)) {
    yield value;
    return;
  }
  for (const inner of Object.values(value)) yield* partsIn(inner, depth + 1);
}

function isManifest({ apiVersion, kind, metadata, spec }: Readonly<Record<string, unknown>>): boolean {
  return (
    typeof apiVersion === 'string' &&
    apiVersion.startsWith(`${machineConfigGroup}/`) &&
    typeof kind === 'string' &&
    carriedKinds.includes(kind) &&
    (isObject(metadata) || isObject(spec))
  );
}

function kindOf(part: unknown): string {
  if (typeof part === 'string') return inText.exec(part)?.[1] ?? 'MachineConfig';
  return isObject(part) ? String(part['kind']) : 'MachineConfig';
}
