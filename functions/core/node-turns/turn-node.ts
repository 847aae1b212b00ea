import type { Node } from '../openshift/node.ts';
import { cordonsNode, type RunPlan } from './run-plan.ts';
import type { Turn } from './run-record.ts';

/** A node with what its metadata does not say. */
export interface ReadyNode extends Node {
  /** The kubelet reports Ready. */
  readonly ready: boolean;
  /** Unschedulable: cordoned, by a person, a Job or the MCO. */
  readonly cordoned: boolean;
}

/** A node as a run sees it. */
export interface TurnNode extends ReadyNode {
  /** Its pool, as the MCO assigns it; undefined: none, or two custom ones. */
  readonly pool: string | undefined;
}

export const zoneLabel = 'topology.kubernetes.io/zone';

/** It has this config, nothing is under way, and the MCO has uncordoned it. */
export function isAt(node: ReadyNode, config: string): boolean {
  return (
    node.currentConfig === config &&
    node.desiredConfig === config &&
    node.state === 'Done' &&
    node.desiredDrain === node.lastAppliedDrain
  );
}

/** It has not begun anything: its daemon has what it was told to have. */
export function rests(node: ReadyNode): boolean {
  return node.currentConfig !== '' && isAt(node, node.currentConfig);
}

/** Back from its update: at the target, ready, and schedulable as before. */
export function isBack(node: ReadyNode, { target, cordoned }: Pick<Turn, 'target' | 'cordoned'>): boolean {
  return isAt(node, target) && node.ready && (cordoned === true || !node.cordoned);
}

/** Why the node itself is not let go now; undefined: it may be. What was so when its turn began may be otherwise when
 *  its Jobs are done, hours later. */
export function whyStays(node: ReadyNode, plan: RunPlan, turn: Pick<Turn, 'cordoned' | 'ran'>): string | undefined {
  const { run } = plan;
  if (Object.hasOwn(node.labels, run.holdLabel)) return `it has the label ${run.holdLabel}`;
  if (!node.ready) return 'the node is not ready';
  const isOwn = turn.cordoned === true || cordonsNode(plan, turn);
  return node.cordoned && !isOwn && run.cordoned === 'hold' ? 'somebody cordoned it' : undefined;
}

/** Whether the node may be let go to the target of its turn, as it is right before the write: another pass may have
 *  been faster, or the pool may have been rendered anew. */
export function mayGo(node: ReadyNode, turn: Pick<Turn, 'target' | 'nodeCreatedAt'>, targetOfPool: string): boolean {
  const { target } = turn;
  const isTarget = target === targetOfPool && node.currentConfig !== target;
  return isTarget && rests(node) && node.ready && isNodeOf(turn, node);
}

/** Whether it is the node whose turn it is, and not one that was made since and has its name. */
export function isNodeOf(
  { nodeCreatedAt }: Pick<Turn, 'nodeCreatedAt'>,
  { createdAt }: Pick<Node, 'createdAt'>,
): boolean {
  return nodeCreatedAt === undefined || createdAt === undefined || nodeCreatedAt === createdAt;
}
