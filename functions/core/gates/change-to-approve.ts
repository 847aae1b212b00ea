import { changeName, imageDigestOf } from '../openshift/change-name.ts';
import { buildFor, type ImageConfig, type PoolImages } from '../openshift/image-build.ts';
import { imageOf, type Pool } from '../openshift/pool.ts';
import type { ImagesSeen } from './evidence.ts';

/** What people are asked to approve, in one word: an approval counts for exactly that. */
export type ChangeToApprove =
  | { readonly kind: 'known'; readonly change: string }
  /** Nobody is asked before the image is there: what they said would count for one that they cannot know. */
  | {
      readonly kind: 'unknown';
      readonly why: string;
      /** Something that may say it could not be read; absent: it is not there yet. */
      readonly isUnread?: true | undefined;
    };

/** The rendered config of the pool, and in image mode the image that its nodes would be taken to: that of the build
 *  which the MachineOSConfig of the pool names as its own. Where MachineOSConfigs may not be listed, and on releases
 *  that do not serve them, what the pool itself says of its image counts. Pure. */
export function changeToApprove(
  pool: Pick<Pool, 'name' | 'target' | 'conditions'>,
  images: ImagesSeen,
): ChangeToApprove {
  if (images.kind === 'forbidden' || !images.isServed) return named(pool, imageOf(pool));
  const [config, second] = images.configs.filter((each) => each.pool === pool.name);
  if (second !== undefined) return unknown('several MachineOSConfigs name the pool');
  if (config !== undefined) return ofConfig(pool, config, images);
  const invalid = images.unreadable.find(({ kind }) => kind === 'MachineOSConfig');
  if (invalid === undefined) return named(pool, undefined);
  return { ...unknown(`${invalid.kind} ${invalid.name} ${invalid.why}`), isUnread: true };
}

function ofConfig(
  pool: Pick<Pool, 'target'>,
  config: ImageConfig,
  { builds }: Pick<PoolImages, 'builds'>,
): ChangeToApprove {
  const build = buildFor(config, builds, pool.target.name);
  const of = `of MachineOSConfig ${config.name}`;
  if (build?.state !== 'succeeded') return unknown(`no image build ${of} for ${pool.target.name} has succeeded`);
  // The MCO takes nodes to the one, and says in the other which config it is for: for some seconds they differ.
  // Source: MCO pkg/controller/common/mos_state.go `MachineOSBuildIsCurrent`.
  if (build.image === undefined || build.image !== config.image)
    return unknown(`the status ${of} does not have the image of build ${build.name} yet`);
  return named(pool, build.image);
}

function named({ target }: Pick<Pool, 'target'>, image: string | undefined): ChangeToApprove {
  if (image === undefined) return { kind: 'known', change: target.name };
  const digest = imageDigestOf(image);
  if (digest === undefined) return unknown('its image has no digest');
  return { kind: 'known', change: changeName(target.name, digest) };
}

function unknown(why: string) {
  return { kind: 'unknown' as const, why };
}
