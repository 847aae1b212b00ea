import { type IncidentDue, makeTick } from '../../../events/index.ts';
import type { Incident, RemoteRef } from '../../../functions/core/alerts/incident.ts';
import type { OutgoingMessage } from '../../../functions/core/alerts/outgoing.ts';
import type { AlertTarget } from '../../../functions/core/configuration/alerts.ts';
import type { Configuration } from '../../../functions/core/configuration/configuration.ts';
import type { Policy } from '../../../functions/core/configuration/policy.ts';
import type { PendingChange } from '../../../functions/core/machine-config/pending-change.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import type { KeepPorts } from '../../../functions/keep-pools/keep-ports.ts';
import { emptyCheckpoint } from '../../../functions/keep-pools/observe/observe.ts';
import type { Pools, Renderings } from '../../../functions/ports/cluster.ts';
import type { Messenger } from '../../../functions/ports/messages.ts';
import type { Logger } from '../../../functions/ports/telemetry.ts';
import { sendAlerts } from '../../../functions/send-alerts/send.ts';
import type { SendPorts } from '../../../functions/send-alerts/send-ports.ts';
import { noMetrics } from '../../../functions/shell/metric-names.ts';
import type { ClusterReader } from '../../snapshot/cluster-reader.ts';
import { memoryTables } from './in-memory-tables.ts';

export interface PlayerOptions {
  readonly cluster: string;
  readonly policy: Policy;
  /** Printed below every message. */
  readonly product: string;
}

/** A message that people would get, and when. */
export interface PlayedMessage {
  /** ISO instant by the recording's clock. */
  readonly at: string;
  /** `edit` changes the existing message without a notification. */
  readonly part: 'post' | 'edit' | 'reply';
  readonly message: OutgoingMessage;
}

export interface Course {
  readonly messages: readonly PlayedMessage[];
  /** At the end, in the order of opening. */
  readonly incidents: readonly Incident[];
}

/** keep-pools and send-alerts as deployed, over one read-only cluster, with in-memory tables and messages that go
 *  nowhere. Nothing waits: each look has its own time. Argo CD is not read, so sync troubles are missing. */
export interface Player {
  /** One tick of the clock: what would be observed, judged and alerted at this moment.
   *  @param changes pending changes by pool: they come from MachineConfigs, which the player does not read */
  look(at: Date, observed: ClusterReader, changes: Readonly<Record<string, PendingChange>>): Promise<void>;
  course(): Course;
}

const target: AlertTarget = {
  kind: 'outbox',
  name: 'replay',
  filter: { clusters: [], pools: [], severities: [], causes: [] },
};

export function createPlayer({ cluster, policy, product }: PlayerOptions): Player {
  let now = new Date(0);
  let seen: ClusterReader | undefined;
  const tables = memoryTables();
  const due: IncidentDue[] = [];
  const messages: PlayedMessage[] = [];
  const messenger = collecting((part, message) => messages.push({ at: now.toISOString(), part, message }));
  const configuration: Configuration = {
    // Nothing is paused or resumed: the player only reads.
    clusters: [{ name: cluster, api: nowhere, policy, pools: {} }],
    argocd: [],
    alerts: { targets: [target], statusUrl: undefined },
  };
  const shared = {
    ...tables,
    configuration,
    alerts: {
      // What is to be retried later is due again at a later look.
      send: async (event: IncidentDue, delaySeconds = 0) => void (delaySeconds === 0 && due.push(event)),
    },
    clock: () => now,
    logger: silent,
    metrics: noMetrics,
  };
  const keepPorts: KeepPorts = {
    ...shared,
    async cluster() {
      if (seen === undefined) throw new Transient('nothing was read yet');
      return { pools: untouchable(seen.pools), reader: seen.reader, renderings: unread };
    },
    argocd: async () => {
      throw new Transient('Argo CD is not read');
    },
    tickets: {
      ask: async () => {
        throw new Transient('no ticket is asked here');
      },
    },
    keptCalendars: { load: async () => undefined, save: async () => {} },
    calendarServers: {
      read: async () => {
        throw new Transient('no calendar is read here');
      },
    },
    work: { send: async () => {} },
    bus: { publish: async () => {} },
    sleep: async () => {},
    wait: async () => {},
    yieldToEventLoop: async () => {},
  };
  const sendPorts: SendPorts = {
    ...shared,
    messengerOf: () => messenger,
    random: () => 0,
    newOwner: () => 'replay',
    product,
  };
  return {
    async look(at, observed, changes) {
      now = at;
      seen = observed;
      const memory = (await tables.checkpoints.load(cluster)) ?? emptyCheckpoint(cluster);
      await tables.checkpoints.save({ ...memory, pending: changes });
      await keep(makeTick({ cluster, why: 'clock' }, at), keepPorts);
      for (let event = due.shift(); event !== undefined; event = due.shift()) await sendAlerts(event, sendPorts);
    },
    course: () => ({ messages, incidents: tables.alerted() }),
  };
}

const nowhere = { server: '', ca: undefined, tokenSecret: '', skipTLSVerify: false };

/** Decisions about a pool are not performed: it stays as recorded. */
function untouchable(pools: Pools): Pools {
  return {
    ...pools,
    async patchPool({ name }) {
      const pool = await pools.readPool(name);
      if (pool === undefined) throw new Transient(`there is no pool ${name}`);
      return pool;
    },
    recordEvent: async () => {},
  };
}

/** The content of MachineConfigs is not read: it does not belong in a recording. */
const unread: Renderings = {
  readRenderSources: notRead,
  readCircumstances: notRead,
  readContents: notRead,
  readChoosers: notRead,
  // A recording has none.
  readImages: async () => ({ configs: [], builds: [], unreadable: [], isServed: false }),
};

async function notRead(): Promise<never> {
  throw new Transient('MachineConfigs are not read here', { kind: 'forbidden' });
}

function collecting(keepMessage: (part: PlayedMessage['part'], message: OutgoingMessage) => void): Messenger {
  let sent = 0;
  const ref = (): RemoteRef => {
    sent += 1;
    return { channel: 'replay', id: String(sent) };
  };
  return {
    async post(message) {
      keepMessage('post', message);
      return { kind: 'sent', remote: ref() };
    },
    async edit(remote, message) {
      keepMessage('edit', message);
      return { kind: 'sent', remote };
    },
    async reply(_remote, message) {
      keepMessage('reply', message);
      return { kind: 'sent', remote: ref() };
    },
    find: async () => 'absent',
  };
}

const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
