import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { emptyRunRecord, parseRunRecord, type RunRecord } from '../../functions/core/node-turns/run-record.ts';
import { readConfigurationFile } from '../../local/cli/configured-clusters.ts';
import { differences, everythingIn } from './harness/everything.ts';
import { type JobRunner, startJobRunner } from './harness/job-runner.ts';
import type { Draft, KubeObject } from './harness/kube.ts';
import { useLab } from './harness/lab.ts';
import { machineConfig, node, pool } from './harness/objects.ts';
import { paths } from './harness/paths.ts';
import { startPoolObserver } from './harness/pool-observer.ts';
import { annotation } from './harness/pool-rules.ts';
import { startRolloutDrains } from './harness/rollout-drains.ts';
import { until } from './harness/until.ts';
import { readPool, startProduct } from './product.ts';
import { type CommandResult, printedAccess, runPlain } from './sequence-run.ts';

const lab = useLab();
const { kube, controlPlane } = lab;

/** Where the runs keep their records, and Poolkeeper its account; where their Jobs run. */
const [home, databases] = ['poolkeeper-turns', 'turns-databases'];
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
const testMs = { timeout: 2 * patienceMs };

let runner: JobRunner;

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

interface Run {
  readonly nodes: readonly string[];
  /** What was there before Poolkeeper looked for the first time: a change is rendered, and no node has begun. */
  readonly before: ReadonlyMap<string, unknown>;
  /** Looks until it is so. */
  readonly until: (reached: () => boolean | Promise<boolean>, what: string) => Promise<void>;
  readonly record: () => Promise<RunRecord>;
  /** A command of a person, with the administrator's own kubeconfig. */
  readonly run: (...args: readonly string[]) => Promise<CommandResult>;
  /** `rule part node`, in the order in which their Jobs were made. */
  readonly jobs: () => Promise<readonly string[]>;
  readonly end: () => Promise<void>;
}

/** How a run lets nodes go, and over which pools. */
interface Way {
  /** Keys of the run in poolkeeper.yaml. */
  readonly run: object;
  readonly pools: readonly Draft[];
  readonly targets: readonly string[];
  /** Roles of each node. */
  readonly nodes: readonly (readonly string[])[];
}

function namesOf(objects: readonly Draft[]): readonly string[] {
  return objects.map(({ metadata }) => metadata.name ?? '');
}

/** A pool of its own, of three nodes unless said otherwise. */
function byTurns(
  name: string,
  { nodes: count = 3, ...run }: { readonly nodes?: number; readonly atOnce?: number } = {},
): Way {
  const nodes = Array.from({ length: count }, () => ['worker', name]);
  return { run: { mode: 'turns', ...run }, pools: [pool({ name, roles: [name] })], targets: [name], nodes };
}

/** A run over these pools, with a change that waits for it; Poolkeeper has the rights that the command prints for it,
 *  and no others. */
async function aRun(name: string, rules: Readonly<Record<string, object>>, way: Way = byTurns(name)): Promise<Run> {
  const nodes = way.nodes.map((_, index) => `${name}-${index + 1}`);
  const drains = startRolloutDrains({ kube, kubectl: lab.toolchain.kubectl, address: controlPlane });
  onTestFinished(drains.stop);
  const targetDelayMs = (of: string) => (way.targets.includes(of) ? neverMs : 0);
  const observer = await startPoolObserver(controlPlane, { targetDelayMs, outcome: drains.outcome });
  onTestFinished(observer.stop);
  // Before its pools: a node that came up with another config would be taken from it by nobody.
  await lab.create(machineConfig(`99-${name}`, name, 'first'));
  for (const each of way.pools) await lab.create(each);
  for (const [index, each] of nodes.entries()) {
    await runner.addNode(node(each, ...(way.nodes[index] ?? [])));
    onTestFinished(async () => {
      await kube.delete(`${paths.machineConfigNodes}/${each}`);
      await kube.delete(`${paths.nodes}/${each}`);
    });
  }
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
  const product = await startProduct(lab, { token, nodeTurns, policy });
  const path = `${paths.in(home).configMaps}/poolkeeper-run-${name}`;
  const record = async () => {
    const read = parseRunRecord((await kube.find(path))?.data.record ?? '');
    return read === 'unreadable' ? emptyRunRecord : read;
  };
  return {
    nodes,
    before,
    until: async (reached, what) => {
      const looked = async () => {
        await product.look();
        return reached();
      };
      await until(looked, patienceMs, what);
    },
    record,
    run: (...args) => runPlain('run', ...args, '--config', file, '--kubeconfig', controlPlane.kubeconfig),
    jobs: async () => (await jobsOf(name)).map(jobText),
    end: product.end,
  };
}

/** The pools have got another content, and the MCO has told so. */
async function rendered(name: string, content: string, { pools, targets }: Way = byTurns(name)): Promise<void> {
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
function rule(name: string, command: string, env: readonly object[] = []): object {
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

const jobsIn = `/apis/batch/v1/namespaces/${databases}/jobs`;

/** In the order in which they were made: their names do not tell, and their times are whole seconds. */
async function jobsOf(run: string): Promise<readonly KubeObject[]> {
  const jobs = await kube.list(`${jobsIn}?labelSelector=poolkeeper.dev/run=${run}`);
  const place = ({ metadata }: KubeObject) => runner.begun.indexOf(`${databases}/${metadata.name}`);
  return jobs.toSorted((a, b) => place(a) - place(b));
}

function jobText({ metadata: { name, labels = {} } }: KubeObject): string {
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
async function changed({ before }: Run): Promise<readonly string[]> {
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
async function settingsOf(name: string): Promise<Settings> {
  const { spec, metadata } = await kube.get(`${paths.pools}/${name}`);
  const { 'poolkeeper.dev/holds': record, ...annotations } = metadata.annotations ?? {};
  const holds: unknown = record === undefined ? [] : JSON.parse(record).holds;
  return { spec: { ...spec, paused: spec.paused ?? false }, labels: metadata.labels, annotations, holds };
}

function linesOf(name: string, nodes: readonly string[]): readonly string[] {
  return [
    `+ /api/v1/configmaps ${home}/poolkeeper-run-${name}`,
    ...nodes.map((each) => `~ /api/v1/nodes ${each}`),
    `~ ${paths.pools} ${name}`,
  ];
}

/** Fails for one node, once. */
const move = `
if [ "$NODE_NAME/$POOLKEEPER_PART/$POOLKEEPER_ATTEMPT" = turns-whole-2/before/1 ]; then echo "primary not found"; exit 3; fi
echo "moved away from $NODE_NAME"`;

describe('a run in mode turns, on a real API server with its Jobs and its scheduler', () => {
  test(
    '[S4-10] [S4-11] [S4-12] [S4-17] [S4-20] [N-22] each node has its Jobs, its update and its clean-ups; one that fails blocks, a retry goes on, and nothing else has changed after it',
    testMs,
    async () => {
      const name = 'turns-whole';
      const run = await aRun(name, { move: rule(name, move), silence: rule(name, 'echo "silenced $NODE_NAME"') });
      const [first = '', second = '', third = ''] = run.nodes;
      const pristine = await settingsOf(name);

      const hasFailed = async () => (await run.record()).turns[second]?.failed !== undefined;
      await run.until(hasFailed, 'a Job to have failed');
      const blocked = await run.record();
      const shown = await run.run('status', name);
      await run.run('retry', name, second, '--reason', 'the primary is there again');
      const isDone = async () => (await readPool(lab, name)).record?.holds.length === 0;
      await run.until(isDone, 'the run to be done');
      await run.end();

      expect(blocked.turns[second]?.failed).toMatch(
        new RegExp(`^${home}/move failed: Job ${databases}/move-\\w+-1: exit code 3: .*primary not found$`),
      );
      expect([shown.status, shown.text]).toEqual([
        1,
        expect.stringContaining(`npx poolkeeper run retry ${name} ${second}`),
      ]);
      const whole = (node: string) =>
        ['before', 'after'].flatMap((part) => [`move ${part} ${node}`, `silence ${part} ${node}`]);
      expect(await run.jobs()).toEqual([...whole(first), `move before ${second}`, ...whole(second), ...whole(third)]);
      for (const { metadata } of await jobsOf(name))
        expect(runner.placed.get(`${databases}/${metadata.name}`)).toSatisfy(
          (placed) => run.nodes.includes(placed) && placed !== metadata.labels?.['poolkeeper.dev/node'],
        );
      const { turns, log } = await run.record();
      expect(Object.values(turns).map(({ step }) => step)).toEqual(['done', 'done', 'done']);
      expect(log.map(({ what }) => what)).toContain(`${home}/move succeeded: moved away from ${third}`);
      const config = (await kube.get(`${paths.pools}/${name}`)).spec.configuration.name;
      for (const each of run.nodes) {
        const { metadata, spec } = await kube.get(`${paths.nodes}/${each}`);
        expect([metadata.annotations?.[annotation.current], spec.unschedulable]).toEqual([config, undefined]);
      }
      expect(await settingsOf(name)).toEqual(pristine);
      expect(await changed(run)).toEqual(linesOf(name, run.nodes));
    },
  );

  test(
    '[S4-10] [S4-11] [S4-12] [S4-38] three of four nodes at once: never more, each with its Jobs before and after its update',
    testMs,
    async () => {
      const name = 'turns-three';
      const way = byTurns(name, { nodes: 4, atOnce: 3 });
      const run = await aRun(name, { move: rule(name, 'echo "moved away from $NODE_NAME"') }, way);
      const pristine = await settingsOf(name);

      const together: number[] = [];
      const isDone = async () => {
        const { turns } = await run.record();
        together.push(Object.values(turns).filter(({ step }) => step !== 'done').length);
        return together.some((count) => count > 0) && (await readPool(lab, name)).record?.holds.length === 0;
      };
      await run.until(isDone, 'the run to be done');
      await run.end();

      expect(Math.max(...together)).toBe(3);
      const jobs = await run.jobs();
      expect(jobs.toSorted()).toEqual(
        run.nodes.flatMap((each) => [`move after ${each}`, `move before ${each}`]).toSorted(),
      );
      for (const each of run.nodes)
        expect(jobs.filter((job) => job.endsWith(each))).toEqual([`move before ${each}`, `move after ${each}`]);
      expect(await settingsOf(name)).toEqual(pristine);
      expect(await changed(run)).toEqual(linesOf(name, run.nodes));
    },
  );

  test(
    '[S4-21] [N-22] aborted while a Job runs: it ends, its clean-up runs, and all is as it was but for the node that was done',
    testMs,
    async () => {
      const name = 'turns-aborted';
      const folder = await mkdtemp(join(tmpdir(), 'poolkeeper-turns-'));
      onTestFinished(() => rm(folder, { recursive: true }));
      const go = join(folder, 'go');
      const waits = `[ "$NODE_NAME/$POOLKEEPER_PART" != ${name}-2/before ] || until [ -e "$GO" ]; do sleep 0.1; done`;
      const run = await aRun(name, { move: rule(name, waits, [{ name: 'GO', value: go }]) });
      const [first = '', second = ''] = run.nodes;
      const pristine = await settingsOf(name);

      const isRunning = async () => (await run.jobs()).at(-1) === `move before ${second}`;
      await run.until(isRunning, 'the Job of the second node to run');
      await run.run('abort', name, '--reason', 'wrong night');
      await run.until(async () => (await run.record()).aborted !== undefined, 'a look after the abort');
      const meanwhile = await run.jobs();
      await writeFile(go, '');
      const isLetGo = async () => (await readPool(lab, name)).record?.holds.length === 0;
      await run.until(isLetGo, 'the run to have ended');
      await run.end();

      expect(await run.jobs()).toEqual([
        `move before ${first}`,
        `move after ${first}`,
        `move before ${second}`,
        `move after ${second}`,
      ]);
      expect(meanwhile).toHaveLength(3);
      expect((await run.record()).endedAt).toBeDefined();
      expect(await settingsOf(name)).toEqual(pristine);
      expect(await changed(run)).toEqual(linesOf(name, [first]));
    },
  );
});

const workerRole = 'node-role.kubernetes.io/worker';

/** Two nodes of a custom pool and a plain worker have turns; the canary asks for a label that none has. */
function byCanary(name: string, canary: object = {}): Way {
  const [own, of] = [pool({ name, roles: [name] }), `${name}-canary`];
  const nodeSelector = {
    matchLabels: { [workerRole]: '' },
    matchExpressions: [{ key: 'isCanary', operator: 'Exists' }],
  };
  const quarantine = { key: 'quarantine', operator: 'NotIn', values: ['yes'] };
  return {
    run: { mode: 'canary', canary: { name: of, ...canary } },
    pools: [
      { ...own, spec: { ...own.spec, nodeSelector: { ...own.spec.nodeSelector, matchExpressions: [quarantine] } } },
      pool({ name: 'worker', roles: [name] }),
      { ...pool({ name: of, roles: [name] }), spec: { ...pool({ name: of, roles: [name] }).spec, nodeSelector } },
    ],
    targets: [name, 'worker'],
    nodes: [['worker', name], ['worker', name], ['worker']],
  };
}

/** What a run in mode canary may change and has to put back: labels of nodes, and pools as far as people set them. */
async function startOf({ pools }: Way, nodes: readonly string[]): Promise<unknown> {
  const settings = await Promise.all(
    namesOf(pools).map(async (name) => {
      const { spec, ...others } = await settingsOf(name);
      return { ...others, paused: spec.paused, nodeSelector: JSON.stringify(spec['nodeSelector']) };
    }),
  );
  const labels = nodes.map(async (each) => JSON.stringify((await kube.get(`${paths.nodes}/${each}`)).metadata.labels));
  return { settings, labels: await Promise.all(labels) };
}

/** Whether we ever wrote the selector of the pool. */
async function isSelectorOurs(name: string): Promise<boolean> {
  const { managedFields } = await readPool(lab, name);
  return managedFields.some(
    ({ manager, fieldsV1 }) => manager === 'poolkeeper' && JSON.stringify(fieldsV1).includes('"f:nodeSelector"'),
  );
}

describe('a run in mode canary, on a real API server with its Jobs and its scheduler', () => {
  test.each([
    ['turns-canary', 'a label that the canary asks for', {}, [true, false, false]],
    ['turns-exclude', 'labels of rules that it excludes', { exclude: true }, [true, false, true]],
  ] as const)(
    '[S4-8] [S4-11] [S4-12] [S4-34] [S4-36] %s, by %s: each node has its Jobs and its update, and then labels and selectors are as they were',
    testMs,
    async (name, _, canary, written) => {
      const way = byCanary(name, canary);
      const run = await aRun(name, { move: rule(name, 'echo "moved away from $NODE_NAME"') }, way);
      const pristine = await startOf(way, run.nodes);

      const isDone = async () => {
        const { turns } = await run.record();
        const pools = await Promise.all(way.targets.map((each) => readPool(lab, each)));
        return Object.keys(turns).length > 0 && pools.every(({ record }) => record?.holds.length === 0);
      };
      await run.until(isDone, 'the run to be done');
      await run.end();

      expect(await run.jobs()).toEqual(run.nodes.flatMap((each) => [`move before ${each}`, `move after ${each}`]));
      const config: string = (await kube.get(`${paths.pools}/${name}-canary`)).spec.configuration.name;
      for (const each of run.nodes) {
        const { metadata, spec } = await kube.get(`${paths.nodes}/${each}`);
        expect([metadata.annotations?.[annotation.current], spec.unschedulable]).toEqual([config, undefined]);
      }
      expect(await startOf(way, run.nodes)).toEqual(pristine);
      expect(await Promise.all(namesOf(way.pools).map(isSelectorOurs))).toEqual(written);
      expect(await changed(run)).toEqual([
        `+ /api/v1/configmaps ${home}/poolkeeper-run-${name}`,
        ...run.nodes.map((each) => `~ /api/v1/nodes ${each}`),
        ...namesOf(way.pools)
          .map((each) => `~ ${paths.pools} ${each}`)
          .toSorted(),
      ]);
    },
  );

  test(
    '[S4-21] [N-22] aborted at each of its steps: labels, selectors, notes and pauses are as they were, and the next run begins anew',
    testMs,
    async () => {
      const name = 'turns-steps';
      // Two nodes of a custom pool and labels of rules: every kind of write.
      const both = byCanary(name, { exclude: true });
      const way = { ...both, pools: both.pools.toSpliced(1, 1), targets: [name], nodes: both.nodes.slice(0, 2) };
      const run = await aRun(name, { move: rule(name, 'echo "moved away from $NODE_NAME"') }, way);
      const pristine = await startOf(way, run.nodes);
      const label = `rule.poolkeeper.dev/move.${home}`;
      /** How many nodes have it. */
      const labelled = async () => {
        const all = await Promise.all(run.nodes.map((each) => kube.get(`${paths.nodes}/${each}`)));
        return all.filter(({ metadata }) => metadata.labels?.[label] !== undefined).length;
      };
      const asksForIt = async (each: string) =>
        JSON.stringify((await kube.get(`${paths.pools}/${each}`)).spec.nodeSelector).includes(label);
      const hasTold = async (part: string) => (await run.jobs()).at(-1)?.startsWith(`move ${part}`) === true;
      const steps: Readonly<Record<string, () => boolean | Promise<boolean>>> = {
        'its pool is held': async () => (await readPool(lab, name)).record?.holds.length === 1,
        'it is noted': async () => 'poolkeeper.dev/canary' in (await settingsOf(name)).annotations,
        'its nodes are labelled': async () => (await labelled()) === 2,
        'the pool asks for labels': () => asksForIt(name),
        'the canary excludes them': () => asksForIt(`${name}-canary`),
        'a Job has begun': () => hasTold('before'),
        'a node is in the canary': async () => (await asksForIt(name)) && (await labelled()) === 1,
      };

      for (const [step, isReached] of Object.entries(steps)) {
        await run.until(isReached, step);
        await run.run('abort', name, '--reason', step);
        const isOver = async () => {
          const { endedAt } = await run.record();
          return endedAt !== undefined && (await readPool(lab, name)).record?.holds.length === 0;
        };
        await run.until(isOver, `the run to have ended, aborted when ${step}`);

        expect([step, await startOf(way, run.nodes)]).toEqual([step, pristine]);
        await run.run('start', name, '--reason', 'again');
      }
      await run.end();

      const cleaned = (await run.jobs()).filter((each) => each.startsWith('move after'));
      expect(cleaned.length).toBeGreaterThan(0);
      const moved = await Promise.all(
        run.nodes.map(async (each) => (await kube.get(`${paths.nodes}/${each}`)).metadata),
      );
      const configs = moved.map(({ annotations }) => annotations?.[annotation.current]?.replace(/-[0-9a-f]+$/, ''));
      // Who was let go before an abort ended its turn.
      expect(configs).toContain(`rendered-${name}-canary`);
    },
  );
});
