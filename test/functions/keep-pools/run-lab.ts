import type { WorkEvent } from '../../../events/index.ts';
import { type ClusterConnection, connectCluster } from '../../../functions/adapters/kubernetes/connect.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import type { Budget } from '../../../functions/core/configuration/budget.ts';
import { NodeTurns } from '../../../functions/core/configuration/node-turns.ts';
import {
  emptyRunRecord,
  parseRunRecord,
  type RunRecord,
  type RunRequest,
  runRecordText,
  withRunRequest,
} from '../../../functions/core/node-turns/run-record.ts';
import type { ShownRun } from '../../../functions/core/node-turns/shown-run.ts';
import { holdsAnnotation } from '../../../functions/core/openshift/hold.ts';
import { holdsOf } from '../../../functions/core/openshift/pool-record.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import type { KeepPorts } from '../../../functions/keep-pools/keep-ports.ts';
import { jobs, machineConfigPools, nodes } from '../../../local/openshift/api-server/resource-types.ts';
import { type OpenShift, startOpenShift } from '../../../local/openshift/index.ts';
import { annotationOf } from '../../../local/openshift/machine-config/node-annotations.ts';
import type { NewPool } from '../../../local/openshift/world/pools.ts';
import { createVirtualClock, type VirtualClock } from '../../local/openshift/virtual-clock.ts';
import type { Watch } from '../failing-calls.ts';
import { type KeepLab, keepLab, type LabOptions, tickOf } from './keep-lab.ts';
import { watchedPorts } from './watched-ports.ts';

type Data = Readonly<Record<string, unknown>>;

export const jobSpec = {
  template: { spec: { restartPolicy: 'Never', containers: [{ name: 'move', image: 'registry.example.com/move' }] } },
};

/** Run `upgrade` over pool worker of a simulated cluster whose clock stands still between ticks. */
export interface RunLab {
  readonly lab: KeepLab;
  readonly openshift: OpenShift;
  readonly clock: VirtualClock;
  readonly connection: ClusterConnection;
  /** Which write kills the keeper, and how many were made. */
  readonly deaths: Deaths;
  /** Everything that nodes and Jobs did, as it happened. */
  readonly seen: readonly string[];
  /** A change is rendered for the pool, and the clock ticks before the MCO takes a node. */
  change(name?: string): Promise<void>;
  tick(): Promise<void>;
  deliver(event: WorkEvent): Promise<void>;
  /** Ticks once a minute, as the schedule does, until it is so. */
  until(reached: () => boolean | Promise<boolean>, minutes?: number): Promise<void>;
  record(): Promise<RunRecord>;
  /** What the status page shows of its runs. */
  cards(): Promise<readonly ShownRun[]>;
  ask(request: RunRequest): Promise<void>;
  /** Any pool of the target. */
  isPaused(): boolean;
  holds(): Promise<readonly string[]>;
  /** Names of the nodes that have the config of their pool. */
  updated(): readonly string[];
  /** What a run may change and has to put back: pauses and selectors of pools, labels of nodes. */
  start(): unknown;
  said(why: string): { readonly who: string; readonly why: string; readonly at: string };
  /** Deletes the record. */
  forget(): Promise<void>;
  /** Changes the section `nodeTurns` of the configuration. */
  configure(change: (nodeTurns: NonNullable<NodeTurns>) => NonNullable<NodeTurns>): void;
  /** Takes every run out of the configuration: with its rules, or without. */
  takeOut(what: 'the section' | 'its runs'): void;
  stop(): Promise<void>;
}

export interface RunLabOptions {
  readonly rules?: Readonly<Record<string, Data>>;
  readonly run?: Data;
  readonly nodes?: readonly string[];
  readonly runs?: Readonly<Record<string, Data>>;
  /** Pools besides master and worker, each with these nodes. */
  readonly pools?: readonly (NewPool & { readonly nodes?: readonly string[] })[];
  /** Pools of the target. Without it, worker. */
  readonly targets?: readonly string[];
  /** Further targets. */
  readonly more?: Readonly<Record<string, Data>>;
  /** The whole section. */
  readonly section?: unknown;
  /** Where run upgrade keeps its record. Without it, poolkeeper. */
  readonly namespace?: string;
  readonly ruleFunctions?: KeepPorts['ruleFunctions'];
  readonly ruleCalls?: KeepPorts['ruleCalls'];
  /** Settings of its pools and policy. */
  readonly settings?: LabOptions;
  readonly budget?: Budget;
  /** Configured besides its own. */
  readonly clusters?: readonly string[];
  /** Is told of each call of a port, and lets it fail. */
  readonly watch?: Watch;
}

interface Deaths {
  at: number;
  after: boolean;
  made: number;
  /** What was written, in its order. */
  readonly kinds: string[];
}

/** What a keeper that is killed leaves behind: the effect before was made, this one and all after it were not. */
class Killed extends Error {}

/** A connection whose writes are counted, and of which one kills the keeper: before it is made, or right after. */
function mortal(connection: ClusterConnection, deaths: Deaths): ClusterConnection {
  const counted =
    <Arguments extends readonly unknown[], Result>(write: (...args: Arguments) => Promise<Result>) =>
    async (...args: Arguments): Promise<Result> => {
      deaths.made += 1;
      deaths.kinds.push(write.name);
      const dies = deaths.made === deaths.at;
      if (dies && !deaths.after) throw new Killed('before');
      const result = await write(...args);
      if (dies) throw new Killed('after');
      return result;
    };
  const { nodeTurns, pools } = connection;
  return {
    ...connection,
    pools: { ...pools, patchPool: counted(pools.patchPool) },
    nodeTurns: {
      records: { ...nodeTurns.records, save: counted(nodeTurns.records.save) },
      nodes: { ...nodeTurns.nodes, changeNode: counted(nodeTurns.nodes.changeNode) },
      jobs: { ...nodeTurns.jobs, createJob: counted(nodeTurns.jobs.createJob) },
      canary: { ...nodeTurns.canary, changePool: counted(nodeTurns.canary.changePool) },
    },
  };
}

export async function runLab(options: RunLabOptions = {}): Promise<RunLab> {
  const { rules = { move: {} }, run = {}, nodes: names = ['worker-0', 'worker-1', 'worker-2'], runs = {} } = options;
  const { pools: more = [], targets = ['worker'] } = options;
  const clock = createVirtualClock(new Date('2026-03-02T10:00:00Z'));
  const openshift = await startOpenShift({ clock });
  openshift.addPool({ name: 'master', maxUnavailable: 1 });
  openshift.addPool({ name: 'worker', maxUnavailable: 1 });
  openshift.addNodes({ pool: 'master', names: ['master-0'] });
  openshift.addNodes({ pool: 'worker', names: [...names] });
  for (const { nodes: own = [], ...wanted } of more) {
    openshift.addPool(wanted);
    if (own.length > 0) openshift.addNodes({ pool: wanted.name, names: [...own] });
  }
  for (const name of new Set(['poolkeeper', 'databases', options.namespace ?? 'poolkeeper']))
    openshift.addNamespace(name);
  await clock.advance(60_000);
  const seen = watch(openshift);
  const deaths: Deaths = { at: 0, after: false, made: 0, kinds: [] };
  const connection = connectCluster({
    ...systemRuntime,
    server: openshift.url,
    ca: undefined,
    token: async () => openshift.token,
    skipTLSVerify: true,
    userAgent: 'poolkeeper',
    clock: () => clock.now(),
  });
  const lab = keepLab(options.settings);
  const upgrade = {
    cluster: 'prod',
    mode: 'turns',
    mutexRules: Object.keys(rules).map((name) => ({ name })),
    mutexTargets: [{ name: 'workers' }],
    ...run,
  };
  const written = options.section ?? {
    rules: Object.fromEntries(
      Object.entries(rules).map(([name, rule]) => [name, { jobSpec, cleanUpJobSpec: jobSpec, ...rule }]),
    ),
    targets: { workers: { machineConfigPools: targets }, ...options.more },
    runs: {
      upgrade,
      ...Object.fromEntries(Object.entries(runs).map(([name, more]) => [name, { ...upgrade, ...more }])),
    },
  };
  const configured: { nodeTurns: NodeTurns } = { nodeTurns: NodeTurns.parse(written) };
  const ports: KeepPorts = {
    ...lab.ports,
    ruleFunctions: options.ruleFunctions,
    ruleCalls: options.ruleCalls,
    get configuration() {
      const { clusters, ...sections } = lab.ports.configuration;
      const [own] = clusters;
      const others = own === undefined ? [] : (options.clusters ?? []).map((name) => ({ ...own, name }));
      return {
        ...sections,
        clusters: [...clusters, ...others].map((each) => ({ ...each, budget: options.budget })),
        ...configured,
      };
    },
    cluster: async () => mortal(connection, deaths),
    clock: () => clock.now(),
  };
  const tick = async () => {
    try {
      await keep(tickOf(clock.now()), options.watch === undefined ? ports : watchedPorts(ports, options.watch));
    } catch (cause) {
      if (!(cause instanceof Killed)) throw cause;
    }
  };
  const { records } = connection.nodeTurns;
  const load = () => records.load(options.namespace ?? 'poolkeeper', 'upgrade');
  const record = async (): Promise<RunRecord> => {
    const read = parseRunRecord((await load())?.text ?? '');
    if (read === 'unreadable') throw new Error('the record cannot be understood');
    return read;
  };
  const pool = () => openshift.registry.get(machineConfigPools, 'worker');
  const target = () => pool()?.spec.configuration?.name ?? '';
  return {
    lab,
    openshift,
    clock,
    connection,
    deaths,
    seen,
    async change(name = '99-worker-turns') {
      const before = target();
      openshift.applyMachineConfig(name, 'worker', { '/etc/turns': `${name} ${clock.now().getTime()}` });
      await clock.advanceUntil(() => target() !== before, 60_000);
      await tick();
    },
    tick,
    deliver: (event) => keep(event, ports),
    async until(reached, minutes = 240) {
      for (let looks = 0; looks < minutes; looks += 1) {
        if (await reached()) return;
        await clock.advance(60_000);
        await tick();
      }
      throw new Error(`not reached; seen: ${seen.join(', ')}; log: ${JSON.stringify((await record()).log.slice(-8))}`);
    },
    record,
    cards: () => lab.world.tables.runViews.list(),
    async ask(request) {
      const stored = await load();
      const text = runRecordText(withRunRequest(await record().catch(() => emptyRunRecord), request));
      await records.save('poolkeeper', 'upgrade', { text, resourceVersion: stored?.resourceVersion });
    },
    isPaused: () => targets.some((name) => openshift.registry.get(machineConfigPools, name)?.spec.paused === true),
    async holds() {
      const found = await connection.pools.readPool('worker');
      return found === undefined ? [] : holdsOf(found).map(({ id }) => id);
    },
    updated: () =>
      openshift.registry
        .list(nodes)
        .filter((node) => contentOf(annotationOf(node, 'currentConfig')) === contentOf(target()))
        .map(({ metadata }) => metadata.name),
    start: () => ({
      pools: openshift.registry
        .list(machineConfigPools)
        .map(({ metadata: { name, annotations = {} }, spec }) => [
          name,
          spec.paused ?? false,
          spec.nodeSelector,
          Object.keys(annotations).filter((key) => key !== holdsAnnotation),
        ]),
      nodes: openshift.registry.list(nodes).map(({ metadata }) => [metadata.name, metadata.labels]),
    }),
    said: (why) => ({ who: 'ops', why, at: clock.now().toISOString() }),
    async forget() {
      await connection.client.remove('/api/v1/namespaces/poolkeeper/configmaps/poolkeeper-run-upgrade', {}, {});
    },
    configure(change) {
      const { nodeTurns } = configured;
      configured.nodeTurns = nodeTurns && change(nodeTurns);
    },
    takeOut(what) {
      const { nodeTurns } = configured;
      configured.nodeTurns = what === 'the section' || nodeTurns === undefined ? undefined : { ...nodeTurns, runs: {} };
    },
    async stop() {
      await connection.close();
      await openshift.stop();
    },
  };
}

/** Pools give one content different names. */
function contentOf(rendered: string): string {
  return rendered.slice(rendered.lastIndexOf('-'));
}

/** `worker-0 goes`, `worker-0 is back`, `move before worker-0`, as they happen. */
function watch({ registry }: OpenShift): string[] {
  const seen: string[] = [];
  const flying = new Set<string>();
  const fly = (name: string) => {
    const node = registry.get(nodes, name);
    if (node === undefined) return;
    const isFlying = contentOf(annotationOf(node, 'desiredConfig')) !== contentOf(annotationOf(node, 'currentConfig'));
    if (isFlying === flying.has(name)) return;
    seen.push(isFlying ? `${name} goes` : `${name} is back`);
    if (isFlying) flying.add(name);
    else flying.delete(name);
  };
  registry.subscribe(({ type, kind, object: { metadata } }) => {
    if (type === nodes && kind === 'MODIFIED') fly(metadata.name);
    if (type !== jobs || kind !== 'ADDED') return;
    const of = (label: string) => metadata.labels?.[`poolkeeper.dev/${label}`];
    seen.push(`${metadata.name.replace(/-[0-9a-z]+-\d+$/, '')} ${of('part')} ${of('node')}`);
  });
  return seen;
}
