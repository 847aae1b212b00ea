import type { UnreadableItem } from '../findings/listed.ts';
import { byName } from '../text/by-name.ts';

/** Image mode: which image the MCO builds for a pool, as far as a resume depends on it. The nodes are drained and
 *  rebooted into it as soon as it is built and their pool is not paused; it is built whether the pool is paused or
 *  not. Source: MCO pkg/controller/build/reconciler.go, pkg/controller/node/node_controller.go `canLayeredContinue`. */
export interface PoolImages {
  readonly configs: readonly ImageConfig[];
  /** Every one that is kept, also of earlier rendered configs. */
  readonly builds: readonly ImageBuild[];
  /** What is there and cannot be parsed: it may be of any pool. */
  readonly unreadable: readonly UnreadableItem[];
  /** False: the cluster does not serve them in the form that is read, so that none of them says nothing. */
  readonly isServed: boolean;
}

/** A MachineOSConfig. Field meanings: api machineconfiguration/v1 types_machineosconfig.go. */
export interface ImageConfig {
  readonly name: string;
  /** The one pool for which it has images built. */
  readonly pool: string;
  /** What the nodes of its pool are to boot, by its digest; undefined: none has been built yet. */
  readonly image: string | undefined;
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
  /** By its digest; undefined: it does not say it yet. */
  readonly image: string | undefined;
  readonly state: 'under-way' | 'succeeded' | 'failed' | 'interrupted';
  /** ISO instant; undefined if the answer did not contain it. */
  readonly createdAt: string | undefined;
  /** ISO instant; undefined while it is under way. */
  readonly endedAt: string | undefined;
}

/** What the MCO takes the nodes of a pool to; `image` undefined: that of the release. */
export interface WantedImage {
  readonly image: string | undefined;
}

/** A pool without a MachineOSConfig goes back to the image of the release. Undefined: not known, or its first image is
 *  still to be built, before which nothing rolls out. Source: MCO pkg/controller/common/layered_node_state.go
 *  `CheckNodeCandidacyForUpdate`. */
export function wantedImage(
  pool: string,
  { configs, unreadable, isServed }: Omit<PoolImages, 'builds'>,
): WantedImage | undefined {
  const [config, second] = configs.filter((each) => each.pool === pool);
  // The MCO takes any of several.
  if (second !== undefined) return undefined;
  if (config !== undefined) return config.image === undefined ? undefined : { image: config.image };
  return isServed && unreadable.every(({ kind }) => kind !== 'MachineOSConfig') ? { image: undefined } : undefined;
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
  return byName(own, config.currentBuild) ?? newest;
}

function byNewest(a: ImageBuild, b: ImageBuild): number {
  return Date.parse(b.createdAt ?? '') - Date.parse(a.createdAt ?? '') || (a.name < b.name ? -1 : 1);
}
