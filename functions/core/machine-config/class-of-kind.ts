import type { ManifestChange } from '../openshift/manifest.ts';
import { type Circumstances, classifyOwn, type Disruption } from './classify.ts';
import type { DisruptionReason, UpdateKind } from './disruption.ts';
import { registriesConf } from './disruption-policy.ts';
import { facetKey } from './facet.ts';
import type { FacetChange } from './facet-change.ts';
import { isObject } from './json.ts';

/** Upper bound for the disruption of a change from which the MCO generates files, and what it updates. */
export interface KindDisruption extends Disruption {
  readonly update: UpdateKind;
}

/** Kinds from which the MCO writes the registry settings, and all the files it writes for them. Source: MCO
 *  container-runtime-config. */
const registryKinds: readonly string[] = [
  'ImageContentSourcePolicy',
  'ImageDigestMirrorSet',
  'ImageTagMirrorSet',
  'ImageContentPolicy',
  'ClusterImagePolicy',
  'ImagePolicy',
  'Image',
];

const registryFiles: readonly string[] = [
  registriesConf,
  '/etc/containers/policy.json',
  '/etc/containers/registries.d/sigstore-registries.yaml',
  '/etc/crio/policies',
];

/** Upper bound for the disruption of a change of anything but a MachineConfig. Its files are written by the MCO and are
 *  not predicted; where their paths are known, the policy for them counts, else a reboot. */
export function classOfKind(change: ManifestChange, circumstances: Circumstances = {}): KindDisruption {
  const object = change.after ?? change.before;
  if (object === undefined) return { class: 'none', reasons: [], update: 'nothing' };
  const source = `${object.kind} ${object.name}`;
  switch (object.kind) {
    case 'MachineOSConfig':
    case 'MachineOSBuild':
      return reboot(
        { what: 'OS image', why: 'an image is built for the pool, and its nodes reboot into it', source },
        'os',
      );
    case 'ClusterVersion':
      return reboot(
        { what: 'OS image', why: 'another release brings another OS image and other templates', source },
        'os-and-files',
      );
    case 'OSImageStream':
      return reboot({ what: 'OS image', why: 'another stream brings another OS image', source }, 'os');
    case 'MachineConfigPool':
      return reboot(
        { what: source, why: 'nodes get another configuration, which is not predicted', source },
        'unknown',
      );
    default:
      return registryKinds.includes(object.kind) && !namesSearchRegistries(change)
        ? { ...classifyOwn(registryFiles.map(unknownFile), { ...circumstances, source }), update: 'files' }
        : reboot({ what: source, why: 'the files that the MCO generates from it are not predicted', source }, 'files');
  }
}

function reboot(reason: Omit<DisruptionReason, 'class'>, update: UpdateKind): KindDisruption {
  return { class: 'reboot', reasons: [{ ...reason, class: 'reboot' }], update };
}

function unknownFile(path: string): FacetChange {
  return { before: undefined, after: { key: facetKey('file', path), kind: 'file', name: path, value: {} } };
}

/** Search registries are written to a file of their own that no policy covers: a reboot. */
function namesSearchRegistries({ before, after }: ManifestChange): boolean {
  return [before, after].some((side) => {
    const spec = side?.body['spec'];
    const sources = isObject(spec) ? spec['registrySources'] : undefined;
    return isObject(sources) && sources['containerRuntimeSearchRegistries'] !== undefined;
  });
}
