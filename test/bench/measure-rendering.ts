import type { ImpactCluster, ImpactPool } from '../../functions/core/impact/impact-cluster.ts';
import { predictImpact } from '../../functions/core/impact/predict-impact.ts';
import type { MachineConfigContent } from '../../functions/core/machine-config/machine-config.ts';
import type { Change, Manifest } from '../../functions/core/openshift/manifest.ts';
import { renderPool } from '../functions/core/machine-config/render-pool.ts';
import type { Goal } from './goal.ts';

const roleKey = 'machineconfiguration.openshift.io/role';

/** A fleet of one size. Nothing is shared between its clusters: each has MachineConfigs of its own, as if just read. */
export interface FleetSize {
  readonly clusters: number;
  readonly pools: number;
  readonly machineConfigs: number;
}

/** Milliseconds. */
export interface RenderingFigures extends FleetSize {
  /** What one commit does to every pool of every cluster: class, reasons, diff, warnings. */
  readonly predictMs: number;
  /** The same, as time of the processor that this thread took: what other programs take does not count. */
  readonly processorMs: number;
  /** Pools that the commit reaches, to show that something was done. */
  readonly pools: number;
  readonly reached: number;
  /** The whole rendered config of every pool of one cluster. */
  readonly renderOneClusterMs: number;
}

/** The most that a commit may take over the largest fleet. Milliseconds. */
const predictAtMostMs = 1_000;

/** Fleets that are made anew to see the noise. */
const rounds = 5;

/** The size that the goal is about. */
const largestFleet: FleetSize = { clusters: 1_000, pools: 20, machineConfigs: 500 };

/** It, and smaller ones that show how the time grows. */
export const fleetSizes: readonly FleetSize[] = [
  { clusters: 10, pools: 20, machineConfigs: 500 },
  { clusters: 100, pools: 20, machineConfigs: 500 },
  { clusters: 1_000, pools: 20, machineConfigs: 50 },
  largestFleet,
];

/** What a commit may take over the largest fleet, and what it takes. */
export function renderingGoal(): Goal {
  return {
    what: 'Processor time for the largest fleet',
    atMost: predictAtMostMs,
    unit: 'ms',
    rounds: Array.from({ length: rounds }, () => measureRendering(largestFleet).processorMs),
  };
}

/** Predicts a commit of one changed file of role worker, which every pool but the control plane's selects. */
export function measureRendering(size: FleetSize): RenderingFigures {
  const fleet = Array.from({ length: size.clusters }, (_, index) => clusterOf(index, size));
  // A first cluster that is not counted, so that the compiler has seen the code.
  for (let round = 0; round < 20; round += 1) predict(clusterOf(-1 - round, size));

  const start = performance.now();
  const used = process.threadCpuUsage();
  let reached = 0;
  for (const cluster of fleet) reached += predict(cluster).pools.length;
  const predictMs = performance.now() - start;
  const { user, system } = process.threadCpuUsage(used);

  const [first] = fleet;
  const renderStart = performance.now();
  for (const pool of first?.pools ?? []) renderPool(pool, first?.machineConfigs ?? []);
  return {
    ...size,
    predictMs,
    processorMs: (user + system) / 1_000,
    reached,
    renderOneClusterMs: performance.now() - renderStart,
  };
}

function predict(cluster: ImpactCluster) {
  return predictImpact({ cluster, applications: ['nodes'], change: commit });
}

function clusterOf(index: number, { pools, machineConfigs }: FleetSize): ImpactCluster {
  const roles = Array.from({ length: pools }, (_, role) => ['master', 'worker'][role] ?? `pool-${role}`);
  return {
    name: `cluster-${index}`,
    pools: roles.map(poolOf),
    machineConfigs: Array.from({ length: machineConfigs }, (_, number) => configOf(number, roles)),
  };
}

function poolOf(role: string): ImpactPool {
  const values = ['master', 'worker'].includes(role) ? [role] : ['worker', role];
  return {
    name: role,
    labels: {},
    machineConfigSelector: { matchExpressions: [{ key: roleKey, operator: 'In', values }] },
    nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${role}`]: '' } },
    maxUnavailable: undefined,
    counts: { machines: 5, updated: 5, ready: 5, unavailable: 0, degraded: 0 },
  };
}

/** Every second one is for all workers; each has a file of its own and one of fifty that others set too. */
function configOf(number: number, roles: readonly string[]): MachineConfigContent {
  const role = number % 2 === 0 ? 'worker' : (roles[number % roles.length] ?? 'worker');
  return {
    name: `50-config-${number}`,
    labels: { [roleKey]: role },
    annotations: {},
    resourceVersion: String(number),
    owners: [],
    spec: {
      config: {
        ignition: { version: '3.4.0' },
        storage: {
          files: [fileOf(`/etc/own/${number}.conf`, 'own'), fileOf(`/etc/shared/${number % 50}.conf`, 'shared')],
        },
      },
    },
  };
}

/** Objects of its own; the text of twenty lines is one for all, or a fleet would not fit into memory. */
function fileOf(path: string, text: string) {
  return { path, mode: 0o644, overwrite: true, contents: { source: sources[text] } };
}

const sources: Readonly<Record<string, string>> = Object.fromEntries(
  ['own', 'shared', 'changed'].map((text) => {
    const lines = Array.from({ length: 20 }, (_, line) => `${text} ${line}`).join('\n');
    return [text, `data:,${encodeURIComponent(lines)}`];
  }),
);

const [before, after] = ['own', 'changed'].map(
  (text): Manifest => ({
    group: 'machineconfiguration.openshift.io',
    kind: 'MachineConfig',
    namespace: '',
    name: '50-config-0',
    labels: { [roleKey]: 'worker' },
    annotations: {},
    body: {
      spec: {
        config: {
          ignition: { version: '3.4.0' },
          storage: { files: [fileOf('/etc/own/0.conf', text), fileOf('/etc/shared/0.conf', 'shared')] },
        },
      },
    },
  }),
);

const commit: Change = { manifests: [{ before, after, files: ['config-0.yaml'] }], unknown: [] };
