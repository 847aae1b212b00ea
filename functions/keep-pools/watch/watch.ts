import type { PublishedEvent } from '../../../events/index.ts';
import type { Subject } from '../../core/diagnose/subject.ts';
import type { Snapshot } from '../../core/holds/snapshot.ts';
import { findSubjects } from '../../core/judge/find-subjects.ts';
import type { ObservedCluster, ObservedPool } from '../../core/judge/input.ts';
import { judge } from '../../core/judge/judge.ts';
import { membersOf } from '../../core/judge/members.ts';
import { wantsNodes } from '../../core/judge/wants-nodes.ts';
import type { PendingChange } from '../../core/machine-config/pending-change.ts';
import type { Followed } from '../../core/node-rollouts/follow.ts';
import { mayHaveJoined, pausedNow } from '../../core/node-rollouts/pauses.ts';
import type { Node } from '../../core/openshift/node.ts';
import type { PausedPool } from '../../core/openshift/paused-pool.ts';
import { isAtRest, type Pool } from '../../core/openshift/pool.ts';
import type { Cause } from '../../core/openshift/render-cause.ts';
import type { Race } from '../../core/races/race.ts';
import { secondsSince } from '../../core/text/instant.ts';
import type { Checkpoint } from '../../ports/tables.ts';
import type { Performed } from '../act/perform.ts';
import type { ClusterPorts, KeepPorts } from '../keep-ports.ts';
import { readBreakGlassExemptions } from '../read/read-break-glass.ts';
import { seeEveryNode, seeNodes } from '../read/read-nodes.ts';
import { type Pending, readPending } from '../read/read-pending.ts';
import { knownApplications } from '../route/known-applications.ts';
import { attachLogs } from './attach-logs.ts';
import { diagnoseAll } from './diagnose-all.ts';
import { followNodes } from './follow-nodes.ts';
import { settleIncidents } from './settle-incidents.ts';

export interface WatchInput {
  readonly snapshot: Snapshot;
  readonly performed: readonly Performed[];
  readonly races: readonly Race[];
  readonly memory: Checkpoint;
  /** Everything was looked at in this pass, also what nothing points to. */
  readonly swept: boolean;
  readonly now: Date;
}

export interface Watched {
  readonly events: readonly PublishedEvent[];
  readonly toldIncidents: Readonly<Record<string, string>>;
  readonly firstSeen: Readonly<Record<string, string>>;
  /** Undefined: no nodes were read in this pass. */
  readonly followed: Followed | undefined;
  /** Of the pools that are paused. */
  readonly pauses: Readonly<Record<string, PausedPool>>;
  /** What waits or rolls, by pool. */
  readonly pending: Pending;
  /** Members of the pools whose nodes were read, by pool. */
  readonly nodes: ReadonlyMap<string, readonly Node[]>;
  /** Pools whose nodes were asked for and could not be read. */
  readonly unread: ReadonlySet<string>;
}

/** Finds what is wrong, explains it by as few reads as it takes, and brings the incidents up to it. */
export async function watch(input: WatchInput, cluster: ClusterPorts, ports: KeepPorts): Promise<Watched> {
  const { snapshot, memory, races, now } = input;
  const { settings } = snapshot;
  const pending = await readPending({ ...input, pools: input.performed.map(({ pool }) => pool) }, cluster, ports);
  const pools = await Promise.all(
    input.performed.map(async ({ pool, plan }): Promise<ObservedPool> => {
      const isFollowed = memory.following?.includes(pool.name) === true;
      const needed =
        wantsNodes(pool, memory.firstSeen) ||
        missedNodes(pool, races) ||
        isFollowed ||
        mayHaveJoined(pool, memory.pauses?.[pool.name]);
      const isClosed = (name: string) => plan.gates.some(({ gate }) => gate === name);
      return {
        pool,
        change: pending[pool.name],
        waitsForRender: isClosed('rendered'),
        waitsForHealth: isClosed('health'),
        undrainable: isClosed('drainable')
          ? (snapshot.drains?.get(pool.name)?.obstacles ?? 'not looked at')
          : undefined,
        nodes: needed ? await seeNodes(pool, cluster.pools) : { kind: 'not asked' },
      };
    }),
  );
  const members = membersByPool(pools);
  const followed = await followNodes(
    { cluster: settings.name, pools, causesOf: (pool, rendered) => causesOf(pending[pool], rendered), now },
    cluster,
    ports,
  );
  const observed: ObservedCluster = {
    cluster: settings.name,
    now,
    policy: settings.policy,
    pools: { kind: 'seen', pools },
    firstSeen: memory.firstSeen,
    rollouts: followed?.rollouts,
    everyNode: input.swept ? await seeEveryNode(cluster.pools) : undefined,
  };
  const judgement = judge({
    ...observed,
    diagnoses: await explained(await subjectsOf(observed, ports), cluster, ports),
    applications: snapshot.applications,
    races,
    breakGlass: await readBreakGlassExemptions(input, cluster),
    misses: 0,
    lastGoodReadAt: memory.lastGoodReadAt,
  });
  // A lost node is judged only past the time its step may take: a rollout explains none of them away, least of all the
  // one it waits for.
  const { reader } = cluster;
  const settling = { settings, judgement, told: memory.toldIncidents, now, reader };
  const { events, told } = await settleIncidents(settling, ports);
  return {
    events,
    toldIncidents: told,
    firstSeen: judgement.firstSeen,
    followed,
    pauses: pausesNow(pools, members, memory),
    pending,
    nodes: members,
    unread: new Set(pools.flatMap(({ pool, nodes }) => (nodes.kind === 'unreadable' ? [pool.name] : []))),
  };
}

function causesOf(change: PendingChange | undefined, rendered: string): readonly Cause[] {
  return change?.to === rendered ? change.causes : [];
}

function membersByPool(pools: readonly ObservedPool[]): Watched['nodes'] {
  const all = pools.map(({ pool }) => pool);
  return new Map(
    pools.flatMap(({ pool, nodes }) =>
      nodes.kind === 'seen' ? [[pool.name, membersOf(pool, all, nodes.nodes)] as const] : [],
    ),
  );
}

function pausesNow(
  pools: readonly ObservedPool[],
  members: Watched['nodes'],
  { pauses = {} }: Checkpoint,
): Watched['pauses'] {
  return Object.fromEntries(
    pools.flatMap(({ pool }) => {
      const now = pausedNow(pool, pauses[pool.name], members.get(pool.name));
      return now === undefined ? [] : [[pool.name, now]];
    }),
  );
}

/** AWS gives a whole pass a minute. Where many nodes are stuck and the API server is slow as well, some are told
 *  without their cause: a pass that is cut off tells nothing. Seconds. */
const explainWithin = 20;

async function explained(subjects: readonly Subject[], { reader }: ClusterPorts, { logger, clock }: KeepPorts) {
  const begun = clock().toISOString();
  const isLate = () => secondsSince(begun, clock()) > explainWithin;
  return attachLogs(subjects, await diagnoseAll(subjects, reader, { logger, isLate }), reader);
}

/** Who needs a look, with what the routing tables know of the objects that may be named; nothing is loaded while all
 *  is calm. */
async function subjectsOf(observed: ObservedCluster, ports: KeepPorts): Promise<readonly Subject[]> {
  if (findSubjects(observed).length === 0) return [];
  return findSubjects({ ...observed, known: await knownApplications(observed.cluster, ports) });
}

/** Nodes that a pause missed are followed until they have arrived. */
function missedNodes(pool: Pool, races: readonly Race[]): boolean {
  return !isAtRest(pool) && races.some((race) => race.pool === pool.name && race.missedNodes.length > 0);
}
