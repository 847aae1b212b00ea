import * as z from 'zod';
import type { AskedImage, ImageBuild, ImageConfig, PoolImages } from '../../core/openshift/image-build.ts';
import { foreignImage, foreignName } from '../../core/text/foreign-text.ts';
import { itemByItem } from './item-by-item.ts';
import type { KubeClient } from './kube-client.ts';
import { newestOwner } from './managed-fields.ts';
import { Metadata, understand } from './metadata.ts';
import { unlessUnserved } from './refusal.ts';

const group = '/apis/machineconfiguration.openshift.io/v1';
const prefix = 'machineconfiguration.openshift.io/';
const rebuildAnnotation = `${prefix}rebuild`;

/** The MachineOSConfigs, and their builds if there are any. Both kinds are served from OpenShift 4.18 on; before, as a
 *  technology preview, they had another form. Throws Transient, `forbidden` if the account may not list them. */
export async function readPoolImages(client: KubeClient): Promise<PoolImages> {
  const bodies = await unlessUnserved(client.list(`${group}/machineosconfigs`, { pageSize: 100 }), undefined);
  if (bodies === undefined) return { configs: [], builds: [], unreadable: [], isServed: false };
  const { items, unreadable } = itemByItem('MachineOSConfig', bodies, configOf);
  const configs = items.filter((each) => each !== undefined);
  if (configs.length === 0) return { configs, builds: [], unreadable, isServed: true };
  const made = await client.list(`${group}/machineosbuilds`, { pageSize: 250 });
  const builds = itemByItem('MachineOSBuild', made, buildOf);
  return { configs, builds: builds.items, unreadable: [...unreadable, ...builds.unreadable], isServed: true };
}

const Name = z.string().transform(foreignName);
const Named = z.object({ name: Name });
const Image = z.string().transform(foreignImage).optional().catch(undefined);

const MachineOSConfig = z.object({
  metadata: Metadata.extend({ deletionTimestamp: z.string().nullish().catch(undefined) }),
  spec: z.object({ machineConfigPool: Named }),
  status: z
    .object({ observedGeneration: z.number().catch(0), currentImagePullSpec: Image })
    .catch({ observedGeneration: 0 }),
});

const MachineOSBuild = z.object({
  metadata: Metadata,
  spec: z.object({ machineConfig: Named, machineOSConfig: Named }),
  status: z
    .object({
      conditions: z.array(z.object({ type: z.string(), status: z.string() })).catch([]),
      buildEnd: Name.optional().catch(undefined),
      digestedImagePushSpec: Image,
    })
    .catch({ conditions: [] }),
});

/** Undefined for one that is being deleted: its pool is leaving image mode. */
function configOf(object: unknown): ImageConfig | undefined {
  const read = understand(MachineOSConfig, object, 'MachineOSConfig');
  const { metadata, spec, status } = read;
  if (typeof metadata.deletionTimestamp === 'string') return undefined;
  const current = metadata.annotations[`${prefix}current-machine-os-build`];
  return {
    name: metadata.name,
    pool: spec.machineConfigPool.name,
    // Empty: none.
    image: status.currentImagePullSpec || undefined,
    currentBuild: current === undefined ? undefined : foreignName(current),
    asked: askedOf(read),
  };
}

/** A rebuild is asked for by an annotation, which the MCO takes away when it begins the build. It ignores one where no
 *  build is current. */
function askedOf({ metadata, status }: z.infer<typeof MachineOSConfig>): AskedImage | undefined {
  const { annotations, managedFields } = metadata;
  if (rebuildAnnotation in annotations && `${prefix}current-machine-os-build` in annotations) {
    const path = ['f:metadata', 'f:annotations', `f:${rebuildAnnotation}`];
    return { what: 'rebuild', at: newestOwner(managedFields, path)?.at };
  }
  if (status.observedGeneration >= metadata.generation) return undefined;
  return { what: 'change', at: newestOwner(managedFields, ['f:spec'])?.at };
}

function buildOf(object: unknown): ImageBuild {
  const { metadata, spec, status } = understand(MachineOSBuild, object, 'MachineOSBuild');
  return {
    name: metadata.name,
    of: spec.machineOSConfig.name,
    config: spec.machineConfig.name,
    // Empty: none.
    image: status.digestedImagePushSpec || undefined,
    state: stateOf(status.conditions),
    createdAt: metadata.creationTimestamp ?? undefined,
    endedAt: status.buildEnd,
  };
}

/** Once one of these three is True, the conditions stay as they are. Prepared, Building and none at all: under way. */
function stateOf(conditions: readonly { readonly type: string; readonly status: string }[]): ImageBuild['state'] {
  const isTrue = (type: string) => conditions.some((each) => each.type === type && each.status === 'True');
  if (isTrue('Succeeded')) return 'succeeded';
  if (isTrue('Failed')) return 'failed';
  return isTrue('Interrupted') ? 'interrupted' : 'under-way';
}
