import type { IncidentDue } from '../../../events/index.ts';
import type { Incident, RemoteRef } from '../../../functions/core/alerts/incident.ts';
import { isSameKey } from '../../../functions/core/alerts/inhibit.ts';
import type { AlertSettings, AlertTarget } from '../../../functions/core/configuration.ts';
import { Transient } from '../../../functions/core/errors.ts';
import { findSubjects } from '../../../functions/core/judge/find-subjects.ts';
import type { NodesSight, ClusterSight as Sight } from '../../../functions/core/judge/input.ts';
import { judge } from '../../../functions/core/judge/judge.ts';
import { wantsNodes } from '../../../functions/core/judge/wants-nodes.ts';
import type { Policy } from '../../../functions/core/policy.ts';
import type { Pool } from '../../../functions/core/pool.ts';
import { keyText } from '../../../functions/core/trouble.ts';
import { diagnoseAll } from '../../../functions/keep-pools/diagnose-all.ts';
import { settleIncidents } from '../../../functions/keep-pools/settle-incidents.ts';
import type { Incidents, Logger, Messenger, OutgoingMessage } from '../../../functions/ports.ts';
import { sendAlerts } from '../../../functions/send-alerts/send.ts';
import type { SendPorts } from '../../../functions/send-alerts/send-ports.ts';
import { type ClusterSight, sightOf } from '../../snapshot/cluster-sight.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';

export interface Play {
  readonly policy: Policy;
  /** Printed below every message. */
  readonly product: string;
}

/** What people would have got, and when. */
export interface PlayedMessage {
  /** ISO instant by the recording's own clock. */
  readonly at: string;
  /** `edit` changes the standing message without a sound. */
  readonly part: 'post' | 'edit' | 'reply';
  readonly message: OutgoingMessage;
}

export interface Course {
  readonly messages: readonly PlayedMessage[];
  /** As they stood at the end, in the order in which they opened. */
  readonly incidents: readonly Incident[];
}

const target: AlertTarget = { kind: 'outbox', name: 'replay', filter: { clusters: [], pools: [], severities: [] } };
const alerts: AlertSettings = { targets: [target], statusUrl: undefined };

/** Runs a recording through judgement, incidents and messages again, on the recording's own clock. Nothing waits, and the same
 *  recording always comes to the same. */
export async function play(recording: readonly Snapshot[], { policy, product }: Play): Promise<Course> {
  let now = new Date(0);
  const incidents = incidentsInMemory();
  const due: IncidentDue[] = [];
  const messages: PlayedMessage[] = [];
  const queue = {
    // What is to be tried again later is found due again by a later look.
    send: async (event: IncidentDue, delaySeconds = 0) => void (delaySeconds === 0 && due.push(event)),
  };
  const messenger = collecting((part, message) => messages.push({ at: now.toISOString(), part, message }));
  const ports: SendPorts = {
    configuration: { alerts, clusters: [] },
    incidents,
    alerts: queue,
    messengerOf: () => messenger,
    clock: () => now,
    random: () => 0,
    newOwner: () => 'replay',
    logger: silent,
    metrics: { count: () => {}, milliseconds: () => {} },
    product,
  };
  const memory: Memory = { firstSeen: {}, told: {}, misses: 0, lastGoodReadAt: undefined };
  for (const snapshot of recording) {
    now = new Date(snapshot.takenAt);
    await pass(snapshot, memory, { policy, ports });
    for (let event = due.shift(); event !== undefined; event = due.shift()) await sendAlerts(event, ports);
  }
  return { messages, incidents: incidents.all() };
}

/** What keep-pools keeps between two passes, as far as incidents depend on it. */
interface Memory {
  firstSeen: Readonly<Record<string, string>>;
  told: Readonly<Record<string, string>>;
  misses: number;
  lastGoodReadAt: string | undefined;
}

async function pass(
  snapshot: Snapshot,
  memory: Memory,
  { policy, ports }: { readonly policy: Policy; readonly ports: SendPorts },
): Promise<void> {
  const { cluster } = snapshot;
  const now = new Date(snapshot.takenAt);
  const eyes = sightOf(snapshot);
  const pools = await poolsSeen(snapshot, eyes, memory);
  const sight: Sight = { cluster, now, policy, pools, firstSeen: memory.firstSeen };
  memory.misses = pools.kind === 'unreadable' ? memory.misses + 1 : 0;
  const judgement = judge({
    ...sight,
    diagnoses: await diagnoseAll(findSubjects(sight), eyes.looker),
    applications: [],
    races: [],
    misses: memory.misses,
    lastGoodReadAt: memory.lastGoodReadAt,
  });
  if (pools.kind === 'seen') memory.lastGoodReadAt = now.toISOString();
  const settings = {
    name: cluster,
    api: { server: '', ca: undefined, tokenSecret: '', skipTLSVerify: false },
    policy,
    pools: {},
  };
  const { told } = await settleIncidents({ settings, judgement, told: memory.told, now }, ports);
  memory.firstSeen = judgement.firstSeen;
  memory.told = told;
}

async function poolsSeen(
  { waitsForRender }: Snapshot,
  { pools }: ClusterSight,
  { firstSeen }: Memory,
): Promise<Sight['pools']> {
  try {
    const listed = await pools.listPools();
    const seen = listed.map(async (pool) => ({
      pool,
      waitsForRender: waitsForRender.includes(pool.name),
      nodes: wantsNodes(pool, firstSeen) ? await nodesOf(pool, pools) : { kind: 'not asked' as const },
    }));
    return { kind: 'seen', pools: await Promise.all(seen) };
  } catch (cause) {
    if (cause instanceof Transient) return { kind: 'unreadable', why: cause.message };
    throw cause;
  }
}

async function nodesOf(pool: Pool, pools: ClusterSight['pools']): Promise<NodesSight> {
  if (pool.nodeSelector === undefined) return { kind: 'seen', nodes: [] };
  try {
    return { kind: 'seen', nodes: await pools.listNodes(pool.nodeSelector) };
  } catch (cause) {
    if (cause instanceof Transient) return { kind: 'unreadable', why: cause.message };
    throw cause;
  }
}

function incidentsInMemory(): Incidents & { all(): readonly Incident[] } {
  const kept = new Map<string, Incident>();
  let numbers = 0;
  return {
    all: () => [...kept.values()].filter(({ number }) => number > 0).toSorted((a, b) => a.number - b.number),
    load: async (cluster) => [...kept.values()].filter(({ key }) => key.cluster === cluster),
    loadOne: async (key) => [...kept.values()].find((incident) => isSameKey(incident.key, key)),
    async save(incident) {
      if ((kept.get(keyText(incident.key))?.version ?? 0) !== incident.version) return false;
      kept.set(keyText(incident.key), { ...incident, version: incident.version + 1 });
      return true;
    },
    async nextNumber() {
      numbers += 1;
      return numbers;
    },
    list: async () => [...kept.values()],
  };
}

function collecting(keep: (part: PlayedMessage['part'], message: OutgoingMessage) => void): Messenger {
  let sent = 0;
  const ref = (): RemoteRef => {
    sent += 1;
    return { channel: 'replay', id: String(sent) };
  };
  return {
    async post(message) {
      keep('post', message);
      return { kind: 'sent', remote: ref() };
    },
    async edit(remote, message) {
      keep('edit', message);
      return { kind: 'sent', remote };
    },
    async reply(_remote, message) {
      keep('reply', message);
      return { kind: 'sent', remote: ref() };
    },
    find: async () => 'absent',
  };
}

const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
