import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Toolchain } from '../toolchain/build-toolchain.ts';
import type { ControlPlane } from './control-plane.ts';
import { startControllerManager } from './controller-manager.ts';
import { type Draft, type Kube, type KubeObject, KubeRefusal } from './kube.ts';
import { kubeconfig } from './kubeconfig.ts';
import { endWithUs, removeFolder, temporaryFolder } from './leave-nothing.ts';
import { paths } from './paths.ts';
import { readyCondition } from './pod-status.ts';
import { until } from './until.ts';
import { startScheduler } from './workloads.ts';

/**
 * Runs Jobs: the real controllers of Jobs, and a STAND-IN for scheduler and kubelet of one node. The command of a pod
 * is a process of this machine, whatever its image: with the variables of its container, a folder of its own as /tmp,
 * and `oc`, which acts with the token of the pod's own account. Its log is there where the API server reads logs.
 */
export interface JobRunner {
  /** `<namespace>/<Job>` for each pod that was begun, in their order. */
  readonly begun: readonly string[];
  /** The node of each of them. */
  readonly placed: ReadonlyMap<string, string>;
  /** Makes a node that pods of Jobs can run on too, where a real scheduler places them. A test removes its nodes. */
  readonly addNode: (node: Draft) => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface JobRunnerOptions {
  /** `real`: a kube-scheduler places each pod. Default: all go to the one node, whatever they ask for. */
  readonly scheduler?: 'real' | 'stand-in';
}

const nodeName = 'job-runner';
const jobLabel = 'batch.kubernetes.io/job-name';
/** Characters of the end of a log that a kubelet copies into the status. */
const messageCharacters = 2_048;

interface Running {
  readonly process: ChildProcess;
  readonly ended: Promise<void>;
}

export async function startJobRunner(
  controlPlane: ControlPlane,
  toolchain: Toolchain,
  { scheduler: kind = 'stand-in' }: JobRunnerOptions = {},
): Promise<JobRunner> {
  const { kube } = controlPlane;
  const folder = await temporaryFolder('jobs');
  const logs = new Map<string, string>();
  const begun: string[] = [];
  const placed = new Map<string, string>();
  const known = new Map<string, Promise<Running | undefined>>();
  const work = new Set<Promise<void>>();
  const stopped = new AbortController();

  const kubelet = await startLogServer(controlPlane, logs);
  const controllers = await startControllerManager(
    { toolchain, folder: controlPlane.folder, kubeconfig: controlPlane.kubeconfig },
    { name: 'job-controllers', controllers: ['job-controller', 'ttl-after-finished-controller'] },
  );
  const own = new Set([nodeName]);
  await kube.post(paths.nodes, withRoom({ apiVersion: 'v1', kind: 'Node', metadata: { name: nodeName } }, kubelet));
  const scheduler = kind === 'real' ? await startScheduler(toolchain, controlPlane) : undefined;
  const bin = await makeTools(folder, toolchain);

  /** A pod that goes while it is tended is no failure. */
  function begin(job: () => Promise<unknown>): void {
    const done = job()
      .then(
        () => undefined,
        (cause: unknown) => {
          const lost = cause instanceof KubeRefusal && [404, 409].includes(cause.status);
          if (!lost && !stopped.signal.aborted) console.error('job runner:', cause);
        },
      )
      .finally(() => work.delete(done));
    work.add(done);
  }

  function tend(pod: KubeObject): void {
    const uid = pod.metadata.uid ?? '';
    if (pod.metadata.labels?.[jobLabel] === undefined || stopped.signal.aborted) return;
    if (pod.metadata['deletionTimestamp'] !== undefined) begin(() => end(pod));
    else if (isOurs(pod) && !known.has(uid)) {
      const running = run(pod);
      known.set(uid, running);
      begin(() => running);
    }
  }

  function isOurs({ spec: { nodeName: placed } }: KubeObject): boolean {
    return scheduler === undefined ? placed === undefined : own.has(placed);
  }

  async function run(pod: KubeObject): Promise<Running | undefined> {
    const { name, namespace = '', uid = '' } = pod.metadata;
    const path = `${paths.in(namespace).pods}/${name}`;
    if (scheduler === undefined) await bind(pod);
    const home = join(folder, uid);
    await mkdir(home);
    const env = await environmentOf(pod, { controlPlane, bin, home });
    const [container] = pod.spec.containers;
    const [file = '', ...args] = ((container.command ?? []) as readonly string[]).map((word) =>
      word.replaceAll('/tmp/', `${home}/`),
    );
    await report(kube, path, pod, { phase: 'Running', state: { running: { startedAt: time() } } });
    const job = `${namespace}/${pod.metadata.labels?.[jobLabel]}`;
    begun.push(job);
    placed.set(job, pod.spec.nodeName ?? nodeName);
    const key = `${namespace}/${name}`;
    logs.set(key, '');
    const child = spawn(file, args, { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    endWithUs(child);
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => logs.set(key, `${logs.get(key) ?? ''}${text}`));
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    child.once('close', (code) => {
      const exitCode = code ?? 137;
      const message = exitCode === 0 ? '' : (logs.get(key) ?? '').slice(-messageCharacters);
      const terminated = { exitCode, message, reason: exitCode === 0 ? 'Completed' : 'Error', finishedAt: time() };
      const phase = exitCode === 0 ? 'Succeeded' : 'Failed';
      begin(() => report(kube, path, pod, { phase, state: { terminated } }));
      resolve();
    });
    return { process: child, ended };
  }

  async function bind({ metadata: { name, namespace = '' } }: KubeObject): Promise<void> {
    await kube.post(`${paths.in(namespace).pods}/${name}/binding`, {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name, namespace },
      target: { apiVersion: 'v1', kind: 'Node', name: nodeName },
    });
  }

  async function end(pod: KubeObject): Promise<void> {
    const running = await known.get(pod.metadata.uid ?? '');
    await kill(running);
    await kube.delete(`${paths.in(pod.metadata.namespace ?? '').pods}/${pod.metadata.name}?gracePeriodSeconds=0`);
  }

  const watching = (async () => {
    while (!stopped.signal.aborted) {
      await kube
        .watch('/api/v1/pods', ({ type, object }) => type !== 'DELETED' && tend(object), stopped.signal)
        .catch(() => new Promise((resolve) => setTimeout(resolve, 200)));
    }
  })();

  return {
    begun,
    placed,
    addNode: async (node) => {
      await kube.post(paths.nodes, withRoom(node, kubelet));
      own.add(node.metadata.name ?? '');
    },
    stop: async () => {
      const left = async () => (await kube.list(`/api/v1/pods?labelSelector=${jobLabel}`)).length === 0;
      await until(left, 60_000, 'the pods of all Jobs to be gone: a test deletes its Jobs');
      stopped.abort();
      await watching;
      await Promise.all(work);
      for (const running of known.values()) await kill(await running.catch(() => undefined));
      await scheduler?.stop();
      await controllers.stop();
      await kube.delete(`${paths.nodes}/${nodeName}`);
      kubelet.closeAllConnections();
      await new Promise((resolve) => kubelet.close(resolve));
      await removeFolder(folder);
    },
  };
}

/** With all that it has begun. */
async function kill(running: Running | undefined): Promise<void> {
  if (running?.process.pid === undefined || running.process.exitCode !== null || running.process.signalCode !== null)
    return;
  process.kill(-running.process.pid, 'SIGKILL');
  await running.ended;
}

/** The part of a kubelet that the API server asks for logs. It does not check who answers, so the API server's own
 *  certificate does. */
async function startLogServer({ folder }: ControlPlane, logs: ReadonlyMap<string, string>): Promise<Server> {
  const certificates = join(folder, 'certificates');
  const [cert, key] = await Promise.all(
    ['apiserver.crt', 'apiserver.key'].map((name) => readFile(join(certificates, name), 'utf8')),
  );
  const server = createServer({ cert, key }, (asked, answer) => {
    const url = new URL(asked.url ?? '/', 'https://kubelet');
    const [, what, namespace, pod] = url.pathname.split('/');
    const log = what === 'containerLogs' ? logs.get(`${namespace}/${pod}`) : undefined;
    const lines = (log ?? '').split(/(?<=\n)/);
    const tail = Number(url.searchParams.get('tailLines') ?? lines.length);
    answer.writeHead(log === undefined ? 404 : 200, { 'content-type': 'text/plain' }).end(lines.slice(-tail).join(''));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** The node, ready and with room, whose logs are there too. */
function withRoom(node: Draft, kubelet: Server): unknown {
  const capacity = { cpu: '64', memory: '64Gi', pods: '1000' };
  return {
    ...node,
    status: {
      capacity,
      allocatable: capacity,
      conditions: [readyCondition(new Date())],
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: (kubelet.address() as AddressInfo).port } },
    },
  };
}

/** A folder with `oc`, which is kubectl here. */
async function makeTools(folder: string, { kubectl }: Toolchain): Promise<string> {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'oc'), `#!/bin/sh\nexec '${kubectl}' "$@"\n`);
  await chmod(join(bin, 'oc'), 0o755);
  return bin;
}

interface Place {
  readonly controlPlane: ControlPlane;
  readonly bin: string;
  readonly home: string;
}

/** What the process of a pod finds, and nothing of this machine's user besides PATH. */
async function environmentOf(pod: KubeObject, { controlPlane, bin, home }: Place): Promise<Record<string, string>> {
  const [container] = pod.spec.containers;
  const given = ((container.env ?? []) as readonly { readonly name: string; readonly value?: string }[]).map(
    ({ name, value = '' }) => [name, value] as const,
  );
  const config = join(home, 'kubeconfig');
  const token = await tokenOf(pod, controlPlane);
  await writeFile(config, kubeconfig({ server: controlPlane.server, ca: controlPlane.ca, token }), { mode: 0o600 });
  return { ...Object.fromEntries(given), HOME: home, KUBECONFIG: config, PATH: `${bin}:${process.env['PATH'] ?? ''}` };
}

/** Of the account that the pod names, which has to be there; every namespace of a real cluster has `default`. */
async function tokenOf({ metadata, spec }: KubeObject, { kube, ensure }: ControlPlane): Promise<string> {
  const { namespace = '' } = metadata;
  const name: string = spec.serviceAccountName ?? 'default';
  if (name === 'default') await ensure({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } });
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } };
  const answer = await kube.post(`${paths.in(namespace).serviceAccounts}/${name}/token`, request);
  return answer.status.token as string;
}

interface ContainerReport {
  readonly phase: 'Running' | 'Succeeded' | 'Failed';
  readonly state: unknown;
}

async function report(kube: Kube, path: string, pod: KubeObject, { phase, state }: ContainerReport): Promise<void> {
  const [container] = pod.spec.containers;
  const isRunning = phase === 'Running';
  const containerStatuses = [
    { name: container.name, image: container.image, imageID: '', ready: isRunning, restartCount: 0, state },
  ];
  await kube.patch(
    `${path}/status`,
    { status: { phase, startTime: time(), containerStatuses } },
    { type: 'strategic', fieldManager: 'kubelet' },
  );
}

function time(): string {
  return `${new Date().toISOString().slice(0, 19)}Z`;
}
