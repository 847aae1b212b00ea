import { isLaterSecond, secondsSince } from '../text/instant.ts';
import type { WantedImage } from './image-build.ts';
import { imageOf, type Pool } from './pool.ts';

/** A node from its metadata alone (a list of 2,000 full nodes is 40-60 MB, their metadata a tenth). Annotations: prefix
 *  `machineconfiguration.openshift.io/`, MCO pkg/daemon/constants. */
export interface Node {
  readonly name: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly currentConfig: string;
  readonly desiredConfig: string;
  /** `Done`, `Working`, `Degraded`, `Unreconcilable`; empty until the daemon has reported. */
  readonly state: string;
  /** Failure text of the daemon, at most 2,000 characters, cleared on Done. */
  readonly reason: string;
  /** `drain-<rendered>` or `uncordon-<rendered>`: the daemon's request. */
  readonly desiredDrain: string;
  /** Last request done by the controller; unequal to `desiredDrain`: the request is open. */
  readonly lastAppliedDrain: string;
  /** `Rebooting` from the reboot request until the daemon is back. */
  readonly postConfigAction: string;
  /** ISO instant of the last write by the machine-config-controller, which sets `desiredConfig`; undefined if
   *  unknown. */
  readonly targetedAt: string | undefined;
  /** `<namespace>/<name>` of its machine; absent if it was not created by the Machine API. */
  readonly machine?: string | undefined;
  /** ISO instant of the last write by the writer of `state`, the config daemon; undefined if unknown. */
  readonly reportedAt?: string | undefined;
  /** ISO instant at which the node joined the cluster; undefined if unknown. */
  readonly createdAt?: string | undefined;
  /** Image mode (a MachineOSConfig names its pool): the image that it boots; absent otherwise. */
  readonly currentImage?: string | undefined;
  /** The image that it is to boot; absent if none was asked for. */
  readonly desiredImage?: string | undefined;
  /** The control plane of its cluster is one node: the MCO then drains no node, workers neither, and reboots them with
   *  their pods. The config daemon goes by the same annotation. Source: MCO pkg/daemon/drain.go `drainRequired`. */
  readonly isNeverDrained?: boolean | undefined;
}

/** A node that is to have another config or image than it has, whatever `paused` is. Whether it gets there by itself:
 *  `isGoingOn`. */
export function isInFlight(
  node: Pick<Node, 'currentConfig' | 'desiredConfig' | 'currentImage' | 'desiredImage'>,
): boolean {
  return isChangingConfig(node) || isChangingImage(node);
}

/** Its daemon has nothing to do for it. */
export function isDone(node: Parameters<typeof isInFlight>[0] & Pick<Node, 'state'>): boolean {
  return node.state === 'Done' && !isInFlight(node);
}

/** A node that is on its way and may be waited for: it goes on, whatever `paused` is. */
export function isGoingOn(node: Updating, now: Date): boolean {
  return isInFlight(node) && !hasFailedUpdate(node, now);
}

/** On its way, and its config daemon has failed: it tries again with growing pauses, and may need the very change that
 *  waits for it. It says `Degraded` through all further tries, also those of another config and of a drain that took
 *  too long, until it is done: one whose drain is asked for, which the controller has given something to do, or which
 *  reboots is on its way. Source: MCO pkg/daemon/update.go `update`, pkg/daemon/writer.go `SetDone`. */
export function hasFailedUpdate(node: Updating, now: Date): boolean {
  return isInFlight(node) && isFailing(node) && !isTryingAgain(node, now);
}

/** Whatever it says of a failure, it is at work: it is drained, reboots, waits to be uncordoned, or was just given
 *  something to do. */
export function isTryingAgain(node: Omit<Updating, 'state'>, now: Date): boolean {
  return node.postConfigAction === 'Rebooting' || node.desiredDrain !== node.lastAppliedDrain || isGivenWork(node, now);
}

/** Seconds. The daemon tries again after a minute at most (MCO pkg/daemon/daemon.go `maxUpdateBackoff`) and checks its
 *  files before it asks for a drain. */
const takesUpSeconds = 120;
/** Seconds of writing files and system, as policy `stuckAfter.applySeconds` has it by default. */
const appliesSeconds = 1200;

/** The controller has written since the daemon: another config, or that the node is drained. It may be no more than the
 *  taint that it takes off a node seconds after it has targeted it, which one that failed at once never answers, and
 *  one that fails again for the same reason writes nothing: so for as long as the daemon may take. */
function isGivenWork(node: Omit<Updating, 'state'>, now: Date): boolean {
  const { targetedAt, reportedAt, isNeverDrained, lastAppliedDrain, desiredConfig } = node;
  if (targetedAt === undefined || reportedAt === undefined || !isLaterSecond(targetedAt, reportedAt)) return false;
  const applies = isNeverDrained === true || lastAppliedDrain === `drain-${desiredConfig}`;
  return secondsSince(targetedAt, now) < (applies ? appliesSeconds : takesUpSeconds);
}

type Updating = Parameters<typeof isInFlight>[0] &
  Pick<
    Node,
    'state' | 'postConfigAction' | 'desiredDrain' | 'lastAppliedDrain' | 'targetedAt' | 'reportedAt' | 'isNeverDrained'
  >;

/** It reboots, and its config daemon has not been heard of for so many seconds: its host may be dead. Once it is back
 *  it has its config, and disturbs nobody any more. */
export function isAwayTooLong(
  { postConfigAction, reportedAt }: Pick<Node, 'postConfigAction' | 'reportedAt'>,
  rebootSeconds: number,
  now: Date,
): boolean {
  return postConfigAction === 'Rebooting' && reportedAt !== undefined && secondsSince(reportedAt, now) >= rebootSeconds;
}

/** A node whose `desiredConfig` differs from its `currentConfig`. */
export function isChangingConfig({
  currentConfig,
  desiredConfig,
}: Pick<Node, 'currentConfig' | 'desiredConfig'>): boolean {
  return desiredConfig !== '' && desiredConfig !== currentConfig;
}

/** Image mode: a new image alone drains and reboots its nodes too, with the same rendered config. A node with one of
 *  the two images is on its way into image mode, or out of it. Source: MCO pkg/controller/common/layered_node_state.go
 *  `isNodeImageDone`. */
function isChangingImage({ currentImage, desiredImage }: Pick<Node, 'currentImage' | 'desiredImage'>): boolean {
  return desiredImage !== currentImage;
}

/** The MCO has not taken it to the config, or in image mode to the image, of its pool yet, and does not while the pool
 *  is paused.
 *  @param wanted by the MachineOSConfig of the pool, as releases from 4.23 on do not say it in the pool; undefined: not
 *  read, or not known, so that only what the pool says counts */
export function isBehind(
  { desiredConfig, desiredImage }: Pick<Node, 'desiredConfig' | 'desiredImage'>,
  pool: Pick<Pool, 'target' | 'conditions'>,
  wanted: WantedImage | undefined = toldImage(pool),
): boolean {
  if (desiredConfig === '') return false;
  const hasOtherImage = wanted !== undefined && desiredImage !== wanted.image;
  return hasOtherImage || (pool.target.name !== '' && desiredConfig !== pool.target.name);
}

function toldImage(pool: Pick<Pool, 'conditions'>): WantedImage | undefined {
  const image = imageOf(pool);
  return image === undefined ? undefined : { image };
}

/** Its update has failed, and the MCO counts it as available for all that, as long as it is ready and not cordoned: it
 *  may be given another config. Source: MCO pkg/controller/common/layered_node_state.go `IsUnavailableForUpdate`. */
export function mayBeRetargeted(node: Pick<Node, 'state' | 'currentConfig' | 'desiredConfig'>): boolean {
  return isFailing(node) && isChangingConfig(node);
}

/** Its update needs it drained, which may be done. */
export function isToBeDrained({ desiredDrain }: Pick<Node, 'desiredDrain'>): boolean {
  return desiredDrain.startsWith('drain-');
}

/** It is to be drained, and is not yet. */
export function isDraining(node: Pick<Node, 'desiredDrain' | 'lastAppliedDrain'>): boolean {
  return isToBeDrained(node) && node.desiredDrain !== node.lastAppliedDrain;
}

export function isFailing(node: Pick<Node, 'state'>): boolean {
  return node.state === 'Degraded' || node.state === 'Unreconcilable';
}
