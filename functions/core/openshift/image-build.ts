import type { UnreadableItem } from '../findings/listed.ts';

/** Image mode: which image the MCO builds for a pool, as far as a resume depends on it. The nodes are drained and
 *  rebooted into it as soon as it is built and their pool is not paused; it is built whether the pool is paused or
 *  not. Source: MCO pkg/controller/build/reconciler.go, pkg/controller/node/node_controller.go `canLayeredContinue`. */
export interface PoolImages {
  readonly configs: readonly ImageConfig[];
  /** Every one that is kept, also of earlier rendered configs. */
  readonly builds: readonly ImageBuild[];
  /** What is there and cannot be parsed: it may be of any pool. */
  readonly unreadable: readonly UnreadableItem[];
}

/** A MachineOSConfig. Field meanings: api machineconfiguration/v1 types_machineosconfig.go. */
export interface ImageConfig {
  readonly name: string;
  /** The one pool for which it has images built. */
  readonly pool: string;
  /** The build that the MCO calls its current one, from an annotation; undefined: none. */
  readonly currentBuild: string | undefined;
  /** What people ask for and the MCO does not say it has taken up; undefined: nothing. */
  readonly asked: AskedImage | undefined;
}

export interface AskedImage {
  readonly what: 'change' | 'rebuild';
  /** ISO instant at which it was written; undefined if entries of managedFields were stripped. */
  readonly at: string | undefined;
}

/** A MachineOSBuild. */
export interface ImageBuild {
  readonly name: string;
  /** Name of its MachineOSConfig. */
  readonly of: string;
  /** The rendered config that the image is for. */
  readonly config: string;
  readonly state: 'under-way' | 'succeeded' | 'failed' | 'interrupted';
  /** ISO instant; undefined if the answer did not contain it. */
  readonly createdAt: string | undefined;
  /** ISO instant; undefined while it is under way. */
  readonly endedAt: string | undefined;
}

/** The build by which the MCO rolls out a rendered config: the current one, else the newest for that config. A newer
 *  one that is under way becomes the current one when its job has begun. Undefined: there is none yet, and nothing
 *  rolls out before there is. Source: MCO pkg/controller/node/node_controller.go `getConfigAndBuild`,
 *  pkg/controller/build/reconciler.go `startBuild`. */
export function buildFor(
  config: Pick<ImageConfig, 'name' | 'currentBuild'>,
  builds: readonly ImageBuild[],
  rendered: string,
): ImageBuild | undefined {
  const own = builds.filter((each) => each.of === config.name && each.config === rendered);
  const [newest] = own.toSorted(byNewest);
  if (newest?.state === 'under-way') return newest;
  return own.find(({ name }) => name === config.currentBuild) ?? newest;
}

function byNewest(a: ImageBuild, b: ImageBuild): number {
  return Date.parse(b.createdAt ?? '') - Date.parse(a.createdAt ?? '') || (a.name < b.name ? -1 : 1);
}
