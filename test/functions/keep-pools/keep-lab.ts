import { cloudEvent, makeTick, type OperationSeen, type PushSeen, type WorkEvent } from '../../../events/index.ts';
import type { Application, Operation } from '../../../functions/core/argocd/application.ts';
import type { ArgoCdSettings } from '../../../functions/core/configuration/argocd.ts';
import type { PoolSettings } from '../../../functions/core/configuration/cluster.ts';
import type { Configuration } from '../../../functions/core/configuration/configuration.ts';
import type { FleetLock } from '../../../functions/core/configuration/fleet-lock.ts';
import { defaultPolicy, type Policy } from '../../../functions/core/configuration/policy.ts';
import type { Sequences } from '../../../functions/core/configuration/sequence.ts';
import type { Window } from '../../../functions/core/configuration/window.ts';
import type { Pool } from '../../../functions/core/openshift/pool.ts';
import type { PoolRecord } from '../../../functions/core/openshift/pool-record.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import type { KeepPorts } from '../../../functions/keep-pools/keep-ports.ts';
import type { SequenceRecords } from '../../../functions/ports/sequences.ts';
import {
  aMachineConfig,
  aNode,
  anApplication,
  anOperation,
  aPool,
  type FakeWorld,
  fakeMetrics,
  fakeWorld,
} from '../../fakes/index.ts';

export const commitA = 'a'.repeat(40);
export const commitB = 'b'.repeat(40);
export const commitC = 'c'.repeat(40);
export const nodesHold = 'sync/hub/openshift-gitops/nodes';

export interface LabOptions {
  readonly policy?: Partial<Policy>;
  readonly pools?: Readonly<Record<string, PoolSettings>>;
  readonly argocd?: Partial<ArgoCdSettings>;
  readonly windows?: readonly Window[];
  readonly sequences?: Sequences;
  /** Where their records are. */
  readonly sequenceRecords?: SequenceRecords;
  readonly fleetLock?: FleetLock;
}

/** One cluster `prod` with pool worker of three nodes and one Argo CD `hub` with the Application `nodes`, at commit
 *  A, at rest. */
export interface KeepLab {
  readonly world: FakeWorld;
  readonly ports: KeepPorts;
  readonly metrics: ReturnType<typeof fakeMetrics>;
  /** Delivers an event to keep-pools, once. */
  deliver(event: WorkEvent): Promise<void>;
  /** A tick of the clock schedule. */
  tick(): Promise<void>;
  /** Moves the clock and runs what falls due: rechecks that were queued, and a tick a minute. */
  pass(seconds: number): Promise<void>;
  pushOf(revision: string, change?: Partial<PushSeen['data']>): PushSeen;
  operationOf(phase: string): OperationSeen;
  pool(name?: string): Pool;
  record(name?: string): PoolRecord | undefined;
  /** Argo CD's controller acts on the Application. */
  syncs(revision: string, change?: Partial<Operation>, name?: string): Application;
  ends(phase: 'Succeeded' | 'Failed' | 'Error', change?: Partial<Operation>, name?: string): Application;
  /** Types of the events told so far, oldest first. */
  told(): readonly string[];
  troubles(): readonly string[];
}

export function keepLab(options: LabOptions = {}): KeepLab {
  const { policy = {}, pools = {}, argocd = {}, windows = [], sequences, sequenceRecords, fleetLock } = options;
  const world = fakeWorld('2026-03-02T10:00:00Z');
  const { clock, tables } = world;
  world.pools.put(aPool());
  for (const name of ['worker-1', 'worker-2', 'worker-3']) world.pools.putNode(aNode({ name }));
  world.pools.putMachineConfig(aMachineConfig());
  world.argocd.put(anApplication({ sync: { status: 'Synced', revisions: [commitA] } }));

  const { clusters, ...sections } = configurationOf({ ...defaultPolicy, ...policy }, pools, argocd);
  const configuration = { ...sections, sequences, fleetLock, clusters: clusters.map((each) => ({ ...each, windows })) };
  const metrics = fakeMetrics();
  const ports: KeepPorts = {
    configuration,
    cluster: async (name) => {
      if (name !== 'prod') throw new Transient(`no cluster ${name}`);
      return { pools: world.pools, reader: world.reader, renderings: world.renderings, sequenceRecords };
    },
    argocd: async () => world.argocd,
    approvals: tables.approvals,
    tickets: noTickets,
    calendarServers: noCalendars,
    keptCalendars: tables.keptCalendars,
    timeline: tables.timeline,
    races: tables.races,
    views: tables.views,
    sequenceViews: tables.sequenceViews,
    runViews: tables.runViews,
    ruleCallbacks: tables.ruleCallbacks,
    sequenceRequests: tables.sequenceRequests,
    routes: tables.routes,
    checkpoints: tables.checkpoints,
    incidents: tables.incidents,
    nodeRollouts: tables.nodeRollouts,
    budgetPlaces: tables.budgetPlaces,
    fleetLocks: tables.fleetLocks,
    work: world.work,
    alerts: world.alerts,
    bus: world.bus,
    clock: clock.now,
    // No time is ever up here, unless a test says so.
    sleep: () => new Promise(() => {}),
    wait: async () => {},
    yieldToEventLoop: async () => {},
    logger: world.logger,
    metrics,
  };

  const deliver = (event: WorkEvent) => keep(event, ports);
  const tick = () => deliver(tickOf(clock.now()));
  let ticks = clock.now().getTime();

  async function pass(seconds: number): Promise<void> {
    const end = clock.now().getTime() + seconds * 1000;
    for (;;) {
      const nextMessage = world.work.waiting()[0]?.dueAt.getTime() ?? Number.POSITIVE_INFINITY;
      const next = Math.min(nextMessage, ticks + 60_000);
      if (next > end) break;
      clock.set(new Date(Math.max(next, clock.now().getTime())));
      if (next === ticks + 60_000) {
        ticks += 60_000;
        await tick();
      } else {
        for (const { event } of world.work.take()) await deliver(event);
      }
    }
    clock.set(new Date(end));
  }

  return {
    world,
    ports,
    metrics,
    deliver,
    tick,
    pass,
    pushOf: (revision, change) => pushOf(revision, clock.now(), change),
    operationOf: (phase) => operationOf(phase, clock.now()),
    pool: (name = 'worker') => world.pools.get(name),
    record: (name = 'worker') => {
      const { record } = world.pools.get(name);
      return record.kind === 'record' ? record.record : undefined;
    },
    syncs: (revision, change, name = 'nodes') =>
      world.argocd.change(name, {
        // Argo CD leaves it set until the operation ends.
        operationQueued: change?.dryRun !== true,
        operation: anOperation({
          phase: 'Running',
          message: '',
          startedAt: wholeSecond(clock.now()),
          finishedAt: undefined,
          revisions: [revision],
          results: [],
          ...change,
        }),
      }),
    ends: (phase, change, name = 'nodes') => {
      const running = world.argocd.get(name).operation ?? anOperation();
      const results = phase === 'Succeeded' ? anOperation().results : [];
      return world.argocd.change(name, {
        operationQueued: false,
        sync: { status: phase === 'Succeeded' ? 'Synced' : 'OutOfSync', revisions: [...running.revisions] },
        operation: { ...running, phase, finishedAt: wholeSecond(clock.now()), results, ...change },
      });
    },
    told: () => world.bus.published.map((event) => event.type.replace(/^poolkeeper\.|\.v1$/g, '')),
    troubles: () =>
      tables.incidents
        .all()
        .filter((each) => each.state === 'firing')
        .map((each) => each.key.kind),
  };
}

const noTickets: KeepPorts['tickets'] = {
  ask: async () => {
    throw new Transient('there is no ticket system');
  },
};

const noCalendars: KeepPorts['calendarServers'] = {
  read: async () => {
    throw new Transient('there is no server of calendars');
  },
};

function configurationOf(
  policy: Policy,
  pools: Readonly<Record<string, PoolSettings>>,
  argocd: Partial<ArgoCdSettings>,
): Configuration {
  return {
    clusters: [
      {
        name: 'prod',
        api: { server: 'https://127.0.0.1:6443', ca: undefined, tokenSecret: 'prod', skipTLSVerify: false },
        policy,
        pools,
      },
    ],
    argocd: [
      {
        name: 'hub',
        cluster: 'prod',
        namespaces: ['openshift-gitops'],
        controllerNamespace: 'openshift-gitops',
        destinations: [],
        ...argocd,
      },
    ],
    alerts: {
      targets: [{ kind: 'outbox', name: 'outbox', filter: { clusters: [], pools: [], severities: [], causes: [] } }],
      statusUrl: undefined,
    },
  };
}

export function tickOf(now: Date): WorkEvent {
  return makeTick({ cluster: 'prod', why: 'clock' }, now);
}

function pushOf(revision: string, now: Date, change: Partial<PushSeen['data']> = {}): PushSeen {
  return cloudEvent({
    type: 'poolkeeper.push.seen.v1',
    id: `delivery-${revision.slice(0, 4)}`,
    source: '/poolkeeper/receive-github',
    subject: 'acme/platform',
    time: now,
    correlation: revision,
    data: {
      delivery: `delivery-${revision.slice(0, 4)}`,
      receivedAt: now.toISOString(),
      repository: { htmlUrl: 'https://github.com/acme/platform', fullName: 'acme/platform', defaultBranch: 'main' },
      ref: 'refs/heads/main',
      before: commitA,
      after: revision,
      created: false,
      deleted: false,
      forced: false,
      pusher: 'dev',
      files: { kind: 'known', paths: ['nodes/99-worker-ssh.yaml'] },
      ...change,
    },
  });
}

function operationOf(phase: string, now: Date): OperationSeen {
  return cloudEvent({
    type: 'poolkeeper.operation.seen.v1',
    id: `operation/${phase}/${now.toISOString()}`,
    source: '/poolkeeper/receive-argocd',
    subject: 'openshift-gitops/nodes',
    time: now,
    correlation: '',
    data: {
      argocd: 'hub',
      namespace: 'openshift-gitops',
      name: 'nodes',
      phase,
      startedAt: '',
      receivedAt: now.toISOString(),
    },
  });
}

function wholeSecond(at: Date): string {
  return `${at.toISOString().slice(0, 19)}Z`;
}
