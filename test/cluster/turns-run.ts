import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { emptyRunRecord, parseRunRecord, type RunRecord } from '../../functions/core/node-turns/run-record.ts';
import { readConfigurationFile } from '../../local/cli/configured-clusters.ts';
import { differences, everythingIn } from './harness/everything.ts';
import { type JobRunner, startJobRunner } from './harness/job-runner.ts';
import type { Draft, KubeObject } from './harness/kube.ts';
import { useLab } from './harness/lab.ts';
import { machineConfig, node, pool } from './harness/objects.ts';
import { paths } from './harness/paths.ts';
import { type Outcome, startPoolObserver } from './harness/pool-observer.ts';
import { annotation } from './harness/pool-rules.ts';
import { startRolloutDrains } from './harness/rollout-drains.ts';
import { until } from './harness/until.ts';
import { type Product, type ProductOptions, readPool, startProduct } from './product.ts';
import { type CommandResult, printedAccess, runPlain } from './sequence-run.ts';

/** The laboratory of the test file that uses this. */
export const lab = useLab();
const { kube, controlPlane } = lab;

/** Where the runs keep their records, and Poolkeeper its account. */
export const home = 'poolkeeper-turns';
/** Where their Jobs run. */
export const databases = 'turns-databases';
const version: Draft = {
  apiVersion: 'config.openshift.io/v1',
  kind: 'ClusterVersion',
  metadata: { name: 'version' },
  spec: { clusterID: '3d1f9b3e-0000-4000-8000-000000000002' },
};
const versionPath = '/apis/config.openshift.io/v1/clusterversions';
/** No test waits for the MCO to take a node by itself, and no node goes that a run has not let go. */
const neverMs = 3_600_000;

/** Nothing is measured by it: a machine that is busy may take long. */
const patienceMs = 150_000;
export const testMs = { timeout: 2 * patienceMs };

/** Runs the Jobs, once {@link useTurns} has started it. */
export let runner: JobRunner;

/** What the tests of a file need for runs: namespaces, a version of the cluster, and real Jobs. */
export function useTurns(): void {
  beforeAll(async () => {
    const namespaces = [home, databases].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: databases } };
    await controlPlane.ensure(...namespaces, account);
    await kube.post(versionPath, version);
    const at = '2026-01-01T00:00:00Z';
    const history = [
      { state: 'Completed', version: '4.21.3', image: 'release', startedTime: at, completionTime: at, verified: true },
    ];
    const desired = { version: '4.21.3', image: 'release' };
    const status = { desired, history, observedGeneration: 1, versionHash: '', availableUpdates: [] };
    await kube.patch(`${versionPath}/version/status`, { status });
    runner = await startJobRunner(controlPlane, lab.toolchain, { scheduler: 'real' });
  });
  afterAll(async () => {
    await runner.stop();
    await kube.delete(`${versionPath}/version`);
    for (const each of [home, databases]) await kube.delete(`${paths.namespaces}/${each}`);
  });
}

/** A change is rendered for its pools, which are at rest, and Poolkeeper has the rights that the command prints for the
 *  run, and no others. */
interface ReadyRun {
  readonly nodes: readonly string[];
  /** What was there before Poolkeeper looked for the first time: a change is rendered, and no node has begun. */
  readonly before: ReadonlyMap<string, unknown>;
  /** Starts Poolkeeper. */
  readonly keeper: (options?: ProductOptions) => Promise<Product>;
  readonly record: () => Promise<RunRecord>;
  /** A command of a person, with the administrator's own kubeconfig. */
  readonly run: (...args: readonly string[]) => Promise<CommandResult>;
  /** `rule part node`, in the order in which their Jobs were made. */
  readonly jobs: () => Promise<readonly string[]>;
}

/** With Poolkeeper on it. */
interface Run extends ReadyRun {
  readonly product: Product;
  /** Looks until it is so. */
  readonly until: (reached: () => boolean | Promise<boolean>, what: string) => Promise<void>;
  readonly end: () => Promise<void>;
}

/** How a run lets nodes go, and over which pools. */
export interface Way {
  /** Keys of the run in poolkeeper.yaml. */
  readonly run: object;
  readonly pools: readonly Draft[];
  readonly targets: readonly string[];
  /** Roles of each node. */
  readonly nodes: readonly (readonly string[])[];
  /** How an update of a node ends; undefined: well, once it is drained. */
  readonly outcome?: (node: string) => Outcome | undefined;
}

export function namesOf(objects: readonly Draft[]): readonly string[] {
  return objects.map(({ metadata }) => metadata.name ?? '');
}

/** A pool of its own, of three nodes unless said otherwise. */
export function byTurns(
  name: string,
  { nodes: count = 3, ...run }: { readonly nodes?: number } & Readonly<Record<string, unknown>> = {},
): Way {
  const nodes = Array.from({ length: count }, () => ['worker', name]);
  return { run: { mode: 'turns', ...run }, pools: [pool({ name, roles: [name] })], targets: [name], nodes };
}

/** Poolkeeper looks at the run. */
export async function aRun(name: string, rules: Readonly<Record<string, object>>, way?: Way): Promise<Run> {
  const run = await aReadyRun(name, rules, way);
  const product = await run.keeper();
  return {
    ...run,
    product,
    until: async (reached, what) => {
      const looked = async () => {
        await product.look();
        return reached();
      };
      await until(looked, patienceMs, what).catch(async (cause: unknown) => {
        throw new Error(`${cause}; the run then:\n${(await run.run('status', name)).text}`, { cause });
      });
    },
    end: product.end,
  };
}

/** A run over these pools, with a change that waits for it. */
export async function aReadyRun(
  name: string,
  rules: Readonly<Record<string, object>>,
  way: Way = byTurns(name),
): Promise<ReadyRun> {
  const nodes = way.nodes.map((_, index) => `${name}-${index + 1}`);
  const drains = startRolloutDrains({ kube, kubectl: lab.toolchain.kubectl, address: controlPlane });
  onTestFinished(drains.stop);
  const targetDelayMs = (of: string) => (way.targets.includes(of) ? neverMs : 0);
  const outcome = (each: string, config: string) => way.outcome?.(each) ?? drains.outcome(each, config);
  const observer = await startPoolObserver(controlPlane, { targetDelayMs, outcome });
  onTestFinished(observer.stop);
  // Before its pools: a node that came up with another config would be taken from it by nobody.
  await lab.create(machineConfig(`99-${name}`, name, 'first'));
  for (const each of way.pools) await lab.create(each);
  for (const [index, each] of nodes.entries()) await addNode(node(each, ...(way.nodes[index] ?? [])));
  // A canary has no node yet, by which one would see that it is rendered.
  const isRendered = async (each: string) =>
    (await kube.get(`${paths.pools}/${each}`)).spec.configuration?.name !== undefined;
  const isAtRest = async () => {
    if (!(await Promise.all(namesOf(way.pools).map(isRendered))).every(Boolean)) return false;
    const counts = await Promise.all(way.targets.map(async (each) => (await readPool(lab, each)).status));
    return counts.reduce((sum, status) => sum + (status?.updatedMachineCount ?? 0), 0) === nodes.length;
  };
  await until(isAtRest, patienceMs, 'the pools to be at rest');
  const file = await configurationFile(name, rules, way);
  const { nodeTurns } = await readConfigurationFile(file);
  const token = await printedAccess(lab, file, { cluster: 'lab', controlPlane, home, of: '--runs' });
  await rendered(name, 'second', way);
  const before = await everythingIn(kube);

  onTestFinished(() => takeAway(name));
  const policy = { sweepEverySeconds: 0, renderSettleSeconds: 0 };
  const path = `${paths.in(home).configMaps}/poolkeeper-run-${name}`;
  const record = async () => {
    const read = parseRunRecord((await kube.find(path))?.data.record ?? '');
    return read === 'unreadable' ? emptyRunRecord : read;
  };
  return {
    nodes,
    before,
    keeper: (options) => startProduct(lab, { token, nodeTurns, policy, ...options }),
    record,
    run: (...args) => runPlain('run', ...args, '--config', file, '--kubeconfig', controlPlane.kubeconfig),
    jobs: async () => (await jobsOf(name)).map(jobText),
  };
}

/** A node that pods of Jobs run on, too, and that goes with the test. */
export async function addNode(draft: Draft): Promise<void> {
  const { name } = draft.metadata;
  await runner.addNode(draft);
  onTestFinished(async () => {
    await kube.delete(`${paths.machineConfigNodes}/${name}`);
    await kube.delete(`${paths.nodes}/${name}`);
  });
}

/** The pools have got another content, and the MCO has told so. */
export async function rendered(name: string, content: string, { pools, targets }: Way = byTurns(name)): Promise<void> {
  const path = `${paths.machineConfigs}/99-${name}`;
  const all = namesOf(pools);
  const configOf = async (each: string) => (await kube.get(`${paths.pools}/${each}`)).spec.configuration.name;
  const first = await Promise.all(all.map(configOf));
  await kube.put(path, { ...(await kube.get(path)), spec: machineConfig(`99-${name}`, name, content).spec });
  const isTold = async () => {
    const told = await Promise.all(targets.map(async (each) => (await readPool(lab, each)).status));
    const configs = await Promise.all(all.map(configOf));
    const isNew = configs.every((config, index) => config !== first[index]);
    return isNew && told.every((status) => status?.updatedMachineCount === 0);
  };
  await until(isTold, patienceMs, 'the change to be rendered');
}

async function configurationFile(name: string, rules: Readonly<Record<string, object>>, way: Way): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'poolkeeper-turns-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'poolkeeper.yaml');
  const nodeTurns = {
    recordNamespace: home,
    rules,
    targets: { nodes: { machineConfigPools: way.targets } },
    runs: {
      [name]: {
        cluster: 'lab',
        namespace: home,
        ...way.run,
        mutexRules: Object.keys(rules).map((each) => ({ name: each })),
        mutexTargets: [{ name: 'nodes' }],
      },
    },
  };
  const clusters = [{ name: 'lab', api: { server: 'https://127.0.0.1:6443', tokenSecret: 'lab' } }];
  const argocd = [{ name: 'lab', cluster: 'lab', namespaces: [lab.argocd.namespace] }];
  await writeFile(file, stringify({ clusters, argocd, nodeTurns }, { aliasDuplicateObjects: false }));
  return file;
}

/** Its Jobs run on the nodes of the pool alone, so that only their distance from the one whose turn it is decides. */
export function rule(name: string, command: string, env: readonly object[] = []): object {
  const jobSpec = {
    template: {
      spec: {
        restartPolicy: 'Never',
        nodeSelector: { [`node-role.kubernetes.io/${name}`]: '' },
        containers: [{ name: 'job', image: 'registry.example.com/job', command: ['/bin/sh', '-c', command], env }],
      },
    },
  };
  return { jobNamespace: databases, jobSpec, cleanUpJobSpec: jobSpec };
}

export const jobsIn = `/apis/batch/v1/namespaces/${databases}/jobs`;

/** In the order in which they were made: their names do not tell, and their times are whole seconds. */
export async function jobsOf(run: string): Promise<readonly KubeObject[]> {
  const jobs = await kube.list(`${jobsIn}?labelSelector=poolkeeper.dev/run=${run}`);
  const place = ({ metadata }: KubeObject) => runner.begun.indexOf(`${databases}/${metadata.name}`);
  return jobs.toSorted((a, b) => place(a) - place(b));
}

export function jobText({ metadata: { name, labels = {} } }: KubeObject): string {
  const of = (label: string) => labels[`poolkeeper.dev/${label}`];
  return `${name.replace(/-[0-9a-z]+-\d+$/, '')} ${of('part')} ${of('node')}`;
}

async function takeAway(run: string): Promise<void> {
  for (const { metadata } of await jobsOf(run))
    await kube.delete(`${jobsIn}/${metadata.name}?propagationPolicy=Background`);
  await kube.delete(`${paths.in(home).configMaps}/poolkeeper-run-${run}`);
  await until(async () => (await kube.list(paths.in(databases).pods)).length === 0, 30_000, 'its pods to be gone');
}

/** What has changed but for what the run's own Jobs and the MCO have left. */
export async function changed({ before }: Pick<ReadyRun, 'before'>): Promise<readonly string[]> {
  const own = [`+ ${jobsIn.replace(`/namespaces/${databases}`, '')} `, `+ /api/v1/pods ${databases}/`];
  const mco = [`+ ${paths.machineConfigNodes} `];
  return differences(before, await everythingIn(kube)).filter(
    (line) => ![...own, ...mco].some((begin) => line.startsWith(begin)),
  );
}

interface Settings {
  readonly spec: Readonly<Record<string, unknown>> & { readonly paused: boolean };
  readonly labels: unknown;
  readonly annotations: object;
  readonly holds: unknown;
}

/** A pool without what the MCO tells of it. What is not paused may say so; the record of its holds stays, with what
 *  was done last. */
export async function settingsOf(name: string): Promise<Settings> {
  const { spec, metadata } = await kube.get(`${paths.pools}/${name}`);
  const { 'poolkeeper.dev/holds': record, ...annotations } = metadata.annotations ?? {};
  const holds: unknown = record === undefined ? [] : JSON.parse(record).holds;
  return { spec: { ...spec, paused: spec.paused ?? false }, labels: metadata.labels, annotations, holds };
}

/** The config that each node has, and whether it is cordoned. */
export async function endsOf(nodes: readonly string[]): Promise<readonly (readonly [unknown, unknown])[]> {
  const all = await Promise.all(nodes.map((each) => kube.get(`${paths.nodes}/${each}`)));
  return all.map(({ metadata, spec }) => [metadata.annotations?.[annotation.current], spec.unschedulable]);
}

export function linesOf(name: string, nodes: readonly string[]): readonly string[] {
  return [
    `+ /api/v1/configmaps ${home}/poolkeeper-run-${name}`,
    ...nodes.map((each) => `~ /api/v1/nodes ${each}`),
    `~ ${paths.pools} ${name}`,
  ];
}
