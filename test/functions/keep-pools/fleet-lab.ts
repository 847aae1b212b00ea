import { makeTick } from '../../../events/index.ts';
import type { Application } from '../../../functions/core/argocd/application.ts';
import { Budget } from '../../../functions/core/configuration/budget.ts';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { defaultPolicy } from '../../../functions/core/configuration/policy.ts';
import { Ticket } from '../../../functions/core/configuration/ticket.ts';
import { Window } from '../../../functions/core/configuration/window.ts';
import type { HealthCheck } from '../../../functions/core/openshift/health-checks.ts';
import { holdsOf } from '../../../functions/core/openshift/pool-record.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import type { KeepPorts } from '../../../functions/keep-pools/keep-ports.ts';
import type { HealthChecks } from '../../../functions/ports/cluster.ts';
import { fakePools } from '../../fakes/fake-pools.ts';
import { aCondition, aMachineConfig, aNode, anApplication, aPool } from '../../fakes/index.ts';
import type { Watch } from '../failing-calls.ts';
import { commitA, commitB, keepLab } from './keep-lab.ts';
import { watchedPorts } from './watched-ports.ts';

const role = 'machineconfiguration.openshift.io/role';
const approver = 'slack:U0123456789';

/** Clusters `prod` and `dev` of one Argo CD, in which everything that a pass does is due at once. In `prod`:
 *  - `worker` is held for a running sync,
 *  - a sync that affects `gpu` has just begun,
 *  - nothing keeps `infra` paused any more: neither gate nor budget,
 *  - `broken` has an open incident, and `stuck` gets one.
 *  In `dev` a sync that affects `worker` has just begun. */
export interface FleetLab {
  /** A minute passes, and the clock ticks for both clusters. What a tick threw is returned.
   *  @param watch is told of each call of a port, and lets it fail */
  tick(watch?: Watch): Promise<readonly Error[]>;
  /** The sync that affects `gpu` is of this MachineConfig too, which no pool renders yet. */
  addsMachineConfig(name: string): void;
  pools(): Readonly<Record<string, { readonly paused: boolean; readonly holds: readonly string[] }>>;
  /** The state of the incidents that are not over, by their keys. */
  incidents(): Readonly<Record<string, string>>;
  /** Types of the events that were published. */
  told(): readonly string[];
  alerts(): readonly string[];
  /** Lines of the log that somebody looks at, and what the page and the timeline say could not be read. */
  complaints(): Promise<readonly string[]>;
}

export function poolOf(name: string) {
  const rendered = { name: `rendered-${name}-aaa`, sources: [`00-${name}`, `99-${name}`] };
  return aPool({
    name,
    uid: `uid-pool-${name}`,
    machineConfigSelector: { matchLabels: { [role]: name } },
    nodeSelector: { matchLabels: { pool: name } },
    target: rendered,
    current: rendered,
    counts: { machines: 1, updated: 1, ready: 1, unavailable: 0, degraded: 0 },
  });
}

export function applicationOf(name: string, change: Partial<Application> = {}) {
  const { sources, resources } = anApplication();
  return anApplication({
    name,
    uid: `uid-app-${name}`,
    sources: sources.map((source) => ({ ...source, path: name })),
    resources: resources.map((each) => ({ ...each, name: `99-${name}`, status: 'OutOfSync' })),
    sync: { status: 'OutOfSync', revisions: [commitA] },
    ...change,
  });
}

function healthChecks(): HealthChecks {
  const check: HealthCheck = {
    namespace: 'openshift-machine-api',
    name: 'all',
    resourceVersion: '1',
    selector: {},
    paused: false,
    record: { kind: 'none' },
  };
  let paused = false;
  return {
    listHealthChecks: async () => ({ items: [{ ...check, paused }], unreadable: [] }),
    listMachines: async () => ({ items: [{ id: 'openshift-machine-api/infra-1', labels: {} }], unreadable: [] }),
    patchHealthCheck: async (_, { kind }) => {
      paused = kind === 'pause';
    },
  };
}

const names = ['broken', 'gpu', 'infra', 'stuck', 'worker'] as const;

export async function fleetLab(): Promise<FleetLab> {
  const lab = keepLab();
  const { clock, faults, pools, argocd, tables, work, bus, alerts, logger } = lab.world;
  const dev = fakePools({ clock: clock.now, faults });
  for (const name of ['worker-1', 'worker-2', 'worker-3']) pools.removeNode(name);
  for (const name of names) {
    pools.put(poolOf(name));
    const node = aNode({ name: `${name}-1`, machine: `openshift-machine-api/${name}-1` });
    pools.putNode({
      ...node,
      labels: { pool: name },
      currentConfig: `rendered-${name}-aaa`,
      desiredConfig: `rendered-${name}-aaa`,
    });
    pools.putMachineConfig(aMachineConfig({ name: `99-${name}`, labels: { [role]: name } }));
  }
  pools.putMachineConfig(aMachineConfig({ name: '99-elsewhere', labels: { [role]: 'elsewhere' } }));
  dev.put(poolOf('worker'));
  for (const name of ['gpu', 'infra']) argocd.put(applicationOf(name));
  argocd.change('nodes', applicationOf('nodes', { resources: applicationOf('worker').resources }));
  argocd.put(
    applicationOf('dev', {
      destination: { server: '', name: 'dev' },
      resources: applicationOf('worker').resources,
    }),
  );

  const ticket = Ticket.parse({ url: 'https://itsm.example.com/{pool}', path: 'state', equals: 'approved' });
  const window = Window.parse({
    kind: 'deny',
    calendarFrom: { url: 'https://calendar.example.com/holidays.ics' },
    description: 'bank holidays',
    pools: ['infra'],
  });
  const [prod] = lab.ports.configuration.clusters;
  const [hub] = lab.ports.configuration.argocd;
  if (prod === undefined || hub === undefined) throw new Error('the lab has a cluster and an Argo CD');
  const infra = {
    ...defaultPoolSettings,
    ticket,
    pauseMachineHealthChecks: true,
    approve: { by: [approver], needed: 1, expiresSeconds: 43_200, excludePusher: false, when: 'always' as const },
  };
  const policy = { ...defaultPolicy, sweepEverySeconds: 60 };
  const clusters = [
    { ...prod, policy, pools: { infra }, windows: [window], budget: Budget.parse({ pools: 3 }) },
    { ...prod, policy, name: 'dev' },
  ];
  const configuration = {
    ...lab.ports.configuration,
    clusters,
    argocd: [{ ...hub, destinations: [{ name: 'dev', cluster: 'dev' }] }],
  };
  const checks = healthChecks();
  const ports: KeepPorts = {
    ...lab.ports,
    configuration,
    cluster: async (name) => {
      const { reader, renderings } = lab.world;
      if (name === 'prod') return { pools, reader, renderings, healthChecks: checks };
      if (name === 'dev') return { pools: dev, reader, renderings };
      throw new Transient(`no cluster ${name}`);
    },
    tickets: { ask: async () => ({ status: 200, value: 'approved' }) },
    calendarServers: {
      read: async () => ({
        kind: 'read',
        text: 'BEGIN:VCALENDAR\nEND:VCALENDAR\n',
        etag: undefined,
        lastModified: undefined,
      }),
    },
  };

  async function tick(watch?: Watch): Promise<readonly Error[]> {
    clock.advance(60);
    work.take();
    for (const name of names) pools.observe(name);
    dev.observe('worker');
    const inTick = watch === undefined ? ports : watchedPorts(ports, watch);
    const all = await Promise.allSettled(
      ['prod', 'dev'].map((cluster) => keep(makeTick({ cluster, why: 'clock' }, clock.now()), inTick)),
    );
    return all.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  }

  pools.change('broken', 'machine-config-controller', degraded('broken'));
  lab.syncs(commitB);
  lab.syncs(commitB, {}, 'infra');
  for (let minute = 0; minute < 1; minute += 1) await tick();
  lab.ends('Succeeded', { results: ['99-infra', '99-elsewhere'].map(appliedOf) }, 'infra');
  const target = { name: 'rendered-infra-bbb', sources: ['00-infra', '99-infra'] };
  pools.change('infra', 'machine-config-controller', { target });
  await tick();
  const approval = {
    cluster: 'prod',
    pool: 'infra',
    config: target.name,
    who: approver,
    name: 'ann',
    verb: 'approve' as const,
    reason: '',
    at: clock.now().toISOString(),
  };
  await tables.approvals.save(approval);
  lab.syncs(commitB, {}, 'gpu');
  lab.syncs(commitB, {}, 'dev');
  pools.change('stuck', 'machine-config-controller', degraded('stuck'));

  return {
    tick,
    addsMachineConfig: (name) => {
      pools.putMachineConfig(aMachineConfig({ name, labels: { [role]: 'gpu' } }));
      const { resources } = argocd.get('gpu');
      argocd.change('gpu', { resources: [...resources, ...resources.map((each) => ({ ...each, name }))] });
    },
    pools: () =>
      Object.fromEntries(
        [
          ...names.map((name) => [`prod/${name}`, pools.get(name)] as const),
          ['dev/worker', dev.get('worker')] as const,
        ].map(([key, pool]) => [key, { paused: pool.paused, holds: holdsOf(pool).map(({ id }) => id) }]),
      ),
    incidents: () =>
      Object.fromEntries(
        tables.incidents
          .all()
          .filter(({ state }) => state !== 'ok')
          .map(({ key, state }) => [`${key.cluster}/${key.pool} ${key.kind}`, state]),
      ),
    told: () => bus.published.map(({ type, subject }) => `${type.replace(/^poolkeeper\.|\.v1$/g, '')} ${subject}`),
    alerts: () => alerts.sent.map(({ event }) => `${event.data.kind} ${event.data.pool}`),
    complaints: async () => {
      const lines = logger.lines.flatMap(({ level, message }) => (['warn', 'error'].includes(level) ? [message] : []));
      const gates = (await tables.views.list()).flatMap((view) => view.pools.flatMap(({ closedGates }) => closedGates));
      const said = [...gates.map(({ why }) => why), ...tables.timeline.all().map(({ text }) => text)];
      return [...lines, ...said.filter((text) => /not be read|cannot be read|not known|no answer/.test(text))];
    },
  };
}

export function degraded(name: string) {
  return {
    counts: { machines: 1, updated: 0, ready: 0, unavailable: 1, degraded: 1 },
    conditions: [
      aCondition({ type: 'Degraded', status: 'True', message: 'it is', since: '2026-03-02T09:30:00Z' }),
      aCondition({
        type: 'RenderDegraded',
        status: 'True',
        message: `spec.config of ${name}: invalid`,
        since: '2026-03-02T09:30:00Z',
      }),
    ],
  };
}

function appliedOf(name: string) {
  return {
    group: 'machineconfiguration.openshift.io',
    kind: 'MachineConfig',
    namespace: '',
    name,
    status: 'Synced',
    message: 'configured',
    hookType: '',
  };
}
