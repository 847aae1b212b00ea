import type { ObservedApplication } from '../../../../functions/core/argocd/application.ts';
import { defaultPolicy, type Policy } from '../../../../functions/core/configuration/policy.ts';
import type { KnownApplication } from '../../../../functions/core/diagnose/managed-by.ts';
import { subjectKey } from '../../../../functions/core/diagnose/subject.ts';
import type { Trouble, TroubleKind } from '../../../../functions/core/findings/trouble.ts';
import { findSubjects } from '../../../../functions/core/judge/find-subjects.ts';
import type { ObservedCluster, ObservedNodes, ObservedPool } from '../../../../functions/core/judge/input.ts';
import { type Judgement, judge } from '../../../../functions/core/judge/judge.ts';
import type { ClusterRollouts } from '../../../../functions/core/node-rollouts/follow.ts';
import type { Node } from '../../../../functions/core/openshift/node.ts';
import { isAtRest, type Pool } from '../../../../functions/core/openshift/pool.ts';
import type { Race } from '../../../../functions/core/races/race.ts';
import { notAsked, seen } from '../../../../functions/core/text/observed.ts';
import { lookInto } from '../../../../functions/keep-pools/watch/look-into.ts';
import { aWorld, membersIn, now, readerOver, type World } from '../diagnose/world.ts';

export interface Scene {
  readonly world?: World;
  /** Every node of the cluster, where a sweep looks at them. */
  readonly everyNode?: readonly Node[];
  readonly pools: readonly Pool[];
  readonly at?: string;
  readonly firstSeen?: Readonly<Record<string, string>>;
  readonly applications?: readonly ObservedApplication[];
  readonly races?: readonly Race[];
  readonly policy?: Policy;
  readonly rollouts?: ClusterRollouts;
  /** What the routing tables know. */
  readonly known?: readonly KnownApplication[];
  /** Argo CD instances that may deploy to the cluster; absent: one. */
  readonly argocds?: readonly string[];
  /** Pools whose gate `rendered` is closed. */
  readonly waitsForRender?: readonly string[];
  /** By pool name: what keeps it paused by its gate `drainable`. */
  readonly undrainable?: Readonly<Record<string, ObservedPool['undrainable']>>;
  /** By pool name: holds that it does not get, because their Applications hold enough. */
  readonly overLimit?: Readonly<Record<string, readonly string[]>>;
  /** By pool name: what is known of the approvals that it waits for. */
  readonly approval?: Readonly<Record<string, ObservedPool['approval']>>;
  /** By pool name: the change that is pending. */
  readonly change?: Readonly<Record<string, ObservedPool['change']>>;
  /** Pools whose level refuses changes while they are not paused. */
  readonly refusingPools?: readonly string[];
  /** Pools whose gate `health` is closed. */
  readonly waitsForHealth?: readonly string[];
  /** By pool name, in place of what the world would answer. */
  readonly nodes?: Readonly<Record<string, ObservedNodes>>;
}

export interface Passed extends Judgement {
  readonly calls: number;
  readonly subjects: readonly string[];
}

/** One pass over a little cluster: who needs a look, the look itself through the real loop, and the judgement. */
export async function passOver(scene: Scene): Promise<Passed> {
  const world = scene.world ?? aWorld();
  const reader = readerOver(world);
  const observed = observedOf(scene, world);
  const subjects = findSubjects(observed);
  const looked = await Promise.all(
    subjects.map(async (subject) => [subjectKey(subject), await lookInto(subject, reader, { maxCalls: 15 })] as const),
  );
  const judgement = judge({
    ...observed,
    diagnoses: new Map(looked),
    applications: scene.applications ?? [],
    races: scene.races ?? [],
    breakGlass: seen([]),
    misses: 0,
    lastGoodReadAt: undefined,
    unreadable: [],
    refusingPools: scene.refusingPools,
    sweep: { since: undefined, triedUntil: undefined },
  });
  return { ...judgement, calls: reader.asked.length, subjects: subjects.map(subjectKey) };
}

/** A pass whose clocks have been running for so many minutes: the same scene was seen then for the first time. */
export async function passAfter(minutes: number, scene: Scene): Promise<Passed> {
  const at = scene.at ?? now;
  const begun = new Date(Date.parse(at) - minutes * 60_000).toISOString();
  const first = await passOver({ ...scene, at: begun });
  return passOver({ ...scene, at, firstSeen: first.firstSeen });
}

function observedOf(scene: Scene, world: World): ObservedCluster {
  return {
    cluster: 'prod',
    now: new Date(scene.at ?? now),
    policy: scene.policy ?? defaultPolicy,
    pools: {
      kind: 'seen',
      value: scene.pools.map((pool) => ({
        pool,
        waitsForRender: scene.waitsForRender?.includes(pool.name) === true,
        waitsForHealth: scene.waitsForHealth?.includes(pool.name) === true,
        undrainable: scene.undrainable?.[pool.name],
        overLimit: scene.overLimit?.[pool.name],
        approval: scene.approval?.[pool.name],
        change: scene.change?.[pool.name],
        nodes: scene.nodes?.[pool.name] ?? (isAtRest(pool) ? notAsked : seen(membersIn(world, pool))),
      })),
    },
    everyNode: scene.everyNode === undefined ? notAsked : seen(scene.everyNode),
    firstSeen: scene.firstSeen ?? {},
    known: scene.known === undefined ? notAsked : seen(scene.known),
    argocds: scene.argocds,
    rollouts: scene.rollouts === undefined ? notAsked : seen(scene.rollouts),
  };
}

export function kinds({ troubles }: Judgement): readonly string[] {
  return troubles.map(({ key }) => `${key.pool}/${key.kind}`);
}

export function the(kind: TroubleKind, { troubles }: Judgement): Trouble {
  const found = troubles.find(({ key }) => key.kind === kind);
  if (found === undefined) throw new Error(`no ${kind} among ${troubles.map(({ key }) => key.kind)}`);
  return found;
}

export function fact(trouble: Trouble, label: string): string | undefined {
  return trouble.facts.find((each) => each.label === label)?.value;
}
