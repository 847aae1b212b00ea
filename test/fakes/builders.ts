import type { Delivery, Incident } from '../../functions/core/alerts/incident.ts';
import type { Application, ApplicationRef, Operation } from '../../functions/core/argocd/application.ts';
import { namedPools, poolsAnnotation } from '../../functions/core/argocd/pools-annotation.ts';
import type { Trouble } from '../../functions/core/findings/trouble.ts';
import type { ClosedGate, Gate, GateTimeout } from '../../functions/core/gates/gate.ts';
import type { GateView } from '../../functions/core/gates/gate-view.ts';
import type { AppProject } from '../../functions/core/guard/app-project.ts';
import type { ClusterRollouts } from '../../functions/core/node-rollouts/follow.ts';
import type { Hold } from '../../functions/core/openshift/hold.ts';
import type { ImageBuild, ImageConfig } from '../../functions/core/openshift/image-build.ts';
import type { Node } from '../../functions/core/openshift/node.ts';
import type { NodeRollout } from '../../functions/core/openshift/node-rollout.ts';
import type { Pool, PoolCondition } from '../../functions/core/openshift/pool.ts';
import type { PoolRecord } from '../../functions/core/openshift/pool-record.ts';
import type { Race } from '../../functions/core/races/race.ts';
import type { Route } from '../../functions/core/routing/route.ts';
import { seen } from '../../functions/core/text/observed.ts';
import type { ClusterView, PoolView, TimelineEntry } from '../../functions/core/timeline/view.ts';
import type { MachineConfigHead } from '../../functions/ports/cluster.ts';
import type { Checkpoint } from '../../functions/ports/tables.ts';

/** One complete valid object each, at rest; a test overrides by spread what it is about. */

/** A worker pool of three nodes, updated, not paused, without a record. */
export function aPool(change: Partial<Pool> = {}): Pool {
  const target = { name: 'rendered-worker-aaa', sources: ['00-worker', '99-worker-ssh'] };
  return {
    name: 'worker',
    uid: 'uid-pool-worker',
    resourceVersion: '100',
    generation: 3,
    observedGeneration: 3,
    labels: { 'machineconfiguration.openshift.io/mco-built-in': '' },
    annotations: {},
    paused: false,
    pausedBy: undefined,
    record: { kind: 'none' },
    machineConfigSelector: { matchLabels: { 'machineconfiguration.openshift.io/role': 'worker' } },
    nodeSelector: { matchLabels: { 'node-role.kubernetes.io/worker': '' } },
    maxUnavailable: undefined,
    target,
    current: target,
    counts: { machines: 3, updated: 3, ready: 3, unavailable: 0, degraded: 0 },
    conditions: [
      aCondition({
        type: 'Updated',
        status: 'True',
        message: `All nodes are updated with MachineConfig ${target.name}`,
      }),
      aCondition({ type: 'Updating' }),
      aCondition({ type: 'NodeDegraded' }),
      aCondition({ type: 'RenderDegraded' }),
      aCondition({ type: 'Degraded' }),
    ],
    ...change,
  };
}

/** False, without reason and message. */
export function aCondition(change: Partial<PoolCondition> = {}): PoolCondition {
  return { type: 'Updated', status: 'False', reason: '', message: '', since: '2026-03-01T00:00:00Z', ...change };
}

/** A worker node that is done with its config. */
export function aNode(change: Partial<Node> = {}): Node {
  const name = change.name ?? 'worker-1';
  return {
    name,
    uid: `uid-node-${name}`,
    labels: { 'node-role.kubernetes.io/worker': '', 'kubernetes.io/hostname': name },
    currentConfig: 'rendered-worker-aaa',
    desiredConfig: 'rendered-worker-aaa',
    state: 'Done',
    reason: '',
    desiredDrain: 'uncordon-rendered-worker-aaa',
    lastAppliedDrain: 'uncordon-rendered-worker-aaa',
    postConfigAction: '',
    targetedAt: undefined,
    ...change,
  };
}

/** An automated application that manages one MachineConfig of the worker pool, in sync, nothing running. */
export function anApplication(change: Partial<Application> = {}): Application {
  return {
    argocd: 'hub',
    namespace: 'openshift-gitops',
    name: 'nodes',
    uid: 'uid-app-nodes',
    annotations: {},
    destination: { server: 'https://kubernetes.default.svc', name: '' },
    sources: [{ repoURL: 'https://github.com/acme/platform.git', path: 'nodes', targetRevision: 'HEAD', chart: '' }],
    automated: true,
    retryLimit: 0,
    sync: { status: 'Synced', revisions: ['aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'] },
    health: 'Healthy',
    resources: [
      {
        group: 'machineconfiguration.openshift.io',
        kind: 'MachineConfig',
        namespace: '',
        name: '99-worker-ssh',
        status: 'Synced',
      },
    ],
    operationQueued: false,
    operation: undefined,
    ...change,
  };
}

/** An annotation that names pools, and what the configuration lets it do: everything, unless said otherwise. */
export function naming(
  pools: string,
  may: { readonly mayAdd?: boolean; readonly mayRemove?: boolean } = {},
): Pick<Application, 'annotations' | 'named'> {
  const annotations = { [poolsAnnotation]: pools };
  const { mayAdd = true, mayRemove = true } = may;
  const home = { namespaces: ['openshift-gitops'], projects: [] };
  const named = namedPools(
    { namespace: 'openshift-gitops', project: 'default', annotations },
    {
      controllerNamespace: 'openshift-gitops',
      poolsAnnotation: { ...(mayAdd ? { mayAdd: home } : {}), ...(mayRemove ? { mayRemove: home } : {}) },
    },
  );
  return { annotations, named };
}

/** The route of `anApplication`, or of one with another name. */
export function aRoute({
  argocd = 'hub',
  name = 'nodes',
  ...change
}: Partial<Route> & Partial<ApplicationRef> = {}): Route {
  const { namespace, sources } = anApplication();
  return {
    ref: { argocd, namespace, name },
    uid: `uid-app-${name}`,
    cluster: 'prod',
    sources,
    generatePaths: undefined,
    automated: true,
    renders: true,
    children: [],
    ...change,
  };
}

/** An operation that succeeded. */
export function anOperation(change: Partial<Operation> = {}): Operation {
  return {
    phase: 'Succeeded',
    message: 'successfully synced (all tasks run)',
    startedAt: '2026-03-02T10:00:05Z',
    finishedAt: '2026-03-02T10:00:08Z',
    retryCount: 0,
    dryRun: false,
    revisions: ['bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb'],
    partial: false,
    results: [
      {
        group: 'machineconfiguration.openshift.io',
        kind: 'MachineConfig',
        namespace: '',
        name: '99-worker-ssh',
        status: 'Synced',
        message: 'machineconfig.machineconfiguration.openshift.io/99-worker-ssh configured',
        hookType: '',
      },
    ],
    ...change,
  };
}

/** A sync hold that a push asked for and whose sync has not begun. */
export function aHold(change: Partial<Hold> = {}): Hold {
  return {
    id: 'sync/hub/openshift-gitops/nodes',
    kind: 'sync',
    who: 'openshift-gitops/nodes',
    why: 'push of bbbbbbb to acme/platform',
    since: '2026-03-02T10:00:00.000Z',
    until: '2026-03-02T10:15:00.000Z',
    phase: 'expected',
    pushedAt: '2026-03-02T10:00:00.000Z',
    revision: 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb',
    uid: 'uid-app-nodes',
    ...change,
  };
}

/** A record of a pause that Poolkeeper made for one hold. */
export function aRecord(change: Partial<PoolRecord> = {}): PoolRecord {
  return {
    v: 1,
    pause: 'ours',
    pausedSince: '2026-03-02T10:00:00.000Z',
    holds: [aHold()],
    ...change,
  };
}

/** A MachineConfig that the worker pool selects. */
export function aMachineConfig(change: Partial<MachineConfigHead> = {}): MachineConfigHead {
  return {
    name: '99-worker-ssh',
    labels: { 'machineconfiguration.openshift.io/role': 'worker' },
    changedAt: '2026-03-01T00:00:00Z',
    ...change,
  };
}

/** Of pool worker, with a build that is current. */
export function anImageConfig(change: Partial<ImageConfig> = {}): ImageConfig {
  return {
    name: 'worker',
    pool: 'worker',
    image: undefined,
    currentBuild: 'worker-1f2e',
    asked: undefined,
    ...change,
  };
}

/** A cluster in which no images are built for pools. */
export const noImages = seen({ kind: 'listed' as const, configs: [], builds: [], unreadable: [], isServed: true });

/** The image of pool worker, built days ago. */
export function anImageBuild(change: Partial<ImageBuild> = {}): ImageBuild {
  return {
    name: 'worker-1f2e',
    of: 'worker',
    config: 'rendered-worker-aaa',
    image: undefined,
    state: 'succeeded',
    createdAt: '2026-02-27T10:00:00Z',
    endedAt: '2026-02-27T10:12:00Z',
    ...change,
  };
}

/** An update that is done: drained, staged, rebooted, uncordoned in nine minutes. */
export function aNodeRollout(change: Partial<NodeRollout> = {}): NodeRollout {
  const told = (time: string) => ({ at: `2026-03-02T${time}Z`, told: true });
  return {
    cluster: 'prod',
    pool: 'worker',
    node: 'worker-1',
    uid: 'uid-node-worker-1',
    from: 'rendered-worker-aaa',
    to: 'rendered-worker-bbb',
    begun: told('10:00:10'),
    step: 'uncordon',
    steps: {
      pickup: { begun: told('10:00:10'), ended: told('10:00:12') },
      cordon: { ended: told('10:00:20') },
      drain: { begun: told('10:00:12'), ended: told('10:03:12') },
      stage: { begun: told('10:03:12'), ended: told('10:04:12') },
      reboot: { begun: told('10:04:12'), ended: told('10:08:40') },
      uncordon: { begun: told('10:08:40'), ended: told('10:08:50') },
    },
    progressedAt: '2026-03-02T10:09:00Z',
    boots: ['boot-1', 'boot-2'],
    ready: { is: true, since: '2026-03-02T10:08:10Z' },
    machine: '2026-03-02T10:09:00Z',
    causes: [],
    rebooted: true,
    ended: { how: 'done', at: told('10:09:00') },
    ...change,
  };
}

export function someRollouts(change: Partial<ClusterRollouts> = {}): ClusterRollouts {
  return {
    cluster: 'prod',
    version: 0,
    open: [aNodeRollout({ step: 'drain', ended: undefined, rebooted: undefined })],
    paces: { worker: { pickup: [2], drain: [180, 200], stage: [60], reboot: [268], uncordon: [10] } },
    ...change,
  };
}

/** A race that is decided: in time. */
export function aRace(change: Partial<Race> = {}): Race {
  return {
    cluster: 'prod',
    pool: 'worker',
    hold: 'sync/hub/openshift-gitops/nodes',
    since: '2026-03-02T10:00:00.000Z',
    pushedAt: '2026-03-02T10:00:00.000Z',
    pausedAt: '2026-03-02T10:00:00.400Z',
    pauseGeneration: 4,
    confirmedAt: '2026-03-02T10:00:03.000Z',
    appliedAt: '2026-03-02T10:00:01.000Z',
    firstTargetedAt: undefined,
    missedNodes: [],
    verdict: 'in time',
    ...change,
  };
}

export function aMemory(change: Partial<Checkpoint> = {}): Checkpoint {
  return {
    cluster: 'prod',
    version: 0,
    sweptAt: '2026-03-02T10:00:00.000Z',
    lastGoodReadAt: '2026-03-02T10:00:00.000Z',
    misses: 0,
    firstSeen: {},
    told: {},
    toldIncidents: {},
    pushes: [],
    ...change,
  };
}

export function aPoolView(change: Partial<PoolView> = {}): PoolView {
  return {
    name: 'worker',
    managed: true,
    protection: 'react',
    paused: false,
    pauseOf: '',
    pausedSince: undefined,
    pausedBy: '',
    confirmed: true,
    currentConfig: 'rendered-worker-aaa',
    targetConfig: 'rendered-worker-aaa',
    pending: false,
    updated: true,
    updating: false,
    degraded: false,
    counts: { machines: 3, updated: 3, ready: 3, unavailable: 0, degraded: 0 },
    message: '',
    holds: [],
    closedGates: [],
    races: [],
    ...change,
  };
}

/** The gate `window`, closed since 09:50. */
export function aGateView(change: Partial<GateView> = {}): GateView {
  return {
    gate: 'window',
    why: 'no allow window is open',
    value: 'no allow window open',
    threshold: 'an allow window open',
    since: '2026-03-02T09:50:00.000Z',
    opens: 'when its window does',
    who: 'whoever may change windows in poolkeeper.yaml',
    ...change,
  };
}

/** A gate that is always closed, and about which no alert is sent. */
export function aClosedGate(name: string, change: Partial<ClosedGate> = {}, timeout?: GateTimeout): Gate {
  const { gate: _, since: _since, timeout: _timeout, unread: _unread, overdue: _overdue, ...said } = aGateView();
  return {
    name,
    inEmergency: 'asked',
    ask: () => ({ open: false, ...said, ...change }),
    timeout: () => timeout ?? { afterSeconds: 0, action: 'wait' },
  };
}

export function aView(change: Partial<ClusterView> = {}): ClusterView {
  return {
    cluster: 'prod',
    readAt: '2026-03-02T10:00:00.000Z',
    blind: undefined,
    pools: [aPoolView()],
    ...change,
  };
}

export function aTimelineEntry(change: Partial<TimelineEntry> = {}): TimelineEntry {
  return {
    id: 'prod/worker/paused/4',
    at: '2026-03-02T10:00:00.000Z',
    cluster: 'prod',
    pool: 'worker',
    type: 'poolkeeper.pool.paused.v1',
    text: 'worker paused for openshift-gitops/nodes',
    correlation: 'delivery-1',
    ...change,
  };
}

/** A drain that a PodDisruptionBudget blocks, without findings. */
export function aTrouble(change: Partial<Trouble> = {}): Trouble {
  return {
    key: { cluster: 'prod', pool: 'worker', kind: 'drain-blocked' },
    severity: 'high',
    class: 'structural',
    headline: 'drain of worker-2 blocked by PDB shop/web',
    since: '2026-03-02T10:20:00.000Z',
    findings: [],
    facts: [{ label: 'Node', value: 'worker-2' }],
    digest: 'worker-2|P1|shop/web|high',
    ...change,
  };
}

/** An incident that is firing and never stored. */
export function anIncident(change: Partial<Incident> = {}): Incident {
  return {
    key: { cluster: 'prod', pool: 'worker', kind: 'drain-blocked' },
    version: 0,
    state: 'firing',
    number: 7,
    since: '2026-03-02T10:20:00.000Z',
    openedAt: '2026-03-02T10:20:30.000Z',
    resolvedAt: undefined,
    goneSince: undefined,
    goodReadsGone: 0,
    outcome: undefined,
    endedBy: undefined,
    trouble: aTrouble(),
    staleSince: undefined,
    staleWhy: undefined,
    inhibitedBy: undefined,
    flapping: false,
    transitions: ['2026-03-02T10:20:30.000Z'],
    reopened: 0,
    seq: 1,
    remindersSent: 0,
    nextReminderAt: '2026-03-02T14:20:30.000Z',
    lastEditAt: undefined,
    notes: [{ seq: 1, at: '2026-03-02T10:20:30.000Z', kind: 'opened', text: 'opened' }],
    deliveries: {},
    ...change,
  };
}

/** A target that is owed the first message. */
export function aDelivery(change: Partial<Delivery> = {}): Delivery {
  return {
    wantedSeq: 1,
    deliveredSeq: 0,
    threadSeq: 0,
    announced: false,
    claim: undefined,
    remote: undefined,
    doubtful: undefined,
    attempts: 0,
    retryAt: undefined,
    lastError: undefined,
    dead: false,
    ...change,
  };
}

/** The project `default` without windows. */
export function anAppProject(change: Partial<AppProject> = {}): AppProject {
  return {
    argocd: 'hub',
    namespace: 'openshift-gitops',
    name: 'default',
    resourceVersion: 'p1',
    sourceNamespaces: [],
    windows: [],
    record: { kind: 'guards', guards: [] },
    ...change,
  };
}
