import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Toolchain } from '../toolchain/build-toolchain.ts';
import { readManifest } from '../toolchain/part.ts';
import { argocdFiles, openshiftFiles } from '../toolchain/parts.ts';
import { type ControllerManager, startControllerManager } from './controller-manager.ts';
import { freePorts } from './free-ports.ts';
import { untilGranted } from './in-force.ts';
import { connectKube, type Draft, type Kube, type KubeObject, KubeRefusal } from './kube.ts';
import { kubeconfig } from './kubeconfig.ts';
import { removeFolder, temporaryFolder } from './leave-nothing.ts';
import { collectionOf, paths } from './paths.ts';
import { ProgramEnded, type RunningProgram, startProgram } from './process.ts';
import { until, untilGone } from './until.ts';
import { startTokenReviewer, type TokenReviewer, type User, userToken } from './users.ts';

/** What another process needs to reach a running control plane. Plain data, so that it passes from vitest to its
 *  workers. */
export interface ControlPlaneAddress {
  readonly server: string;
  readonly caFile: string;
  readonly ca: string;
  /** Of an administrator, member of `system:masters`. */
  readonly token: string;
  /** Kubeconfig file of the same administrator. */
  readonly kubeconfig: string;
  /** Everything the control plane wrote lies here, `*.log` among it. */
  readonly folder: string;
  readonly userSecret: string;
}

export interface ControlPlane extends ControlPlaneAddress {
  /** The administrator's access. */
  readonly kube: Kube;
  /** A token for a user of any name and groups; nothing has to be registered first. */
  readonly tokenFor: (user: User) => string;
  /** A token as a workload has it, from the API server itself; the account, its namespace and its rights are made
   *  when missing. */
  readonly serviceAccountToken: (account: ServiceAccount) => Promise<string>;
  readonly kubeAs: (token: string) => Kube;
  /** Writes a kubeconfig file and says where. */
  readonly writeKubeconfig: (name: string, token: string, namespace?: string) => Promise<string>;
  /** Creates the objects that are not there yet. */
  readonly ensure: (...objects: readonly Draft[]) => Promise<void>;
}

export interface StartedControlPlane extends ControlPlane {
  readonly stop: () => Promise<void>;
}

export interface ServiceAccount {
  readonly namespace: string;
  readonly name: string;
  /** Rules of a ClusterRole for this account alone. */
  readonly rules?: readonly unknown[];
  /** Life of the token, seconds; the API server gives at least 600. */
  readonly seconds?: number;
}

/** How long the API server may take to answer /readyz, milliseconds: 3 s on a quiet machine, much more on a busy
 *  one. */
const readyWithinMs = 90_000;

/** How often a start is tried with other ports when one was taken between asking for it and using it. */
const startAttempts = 3;

/**
 * Starts etcd and a kube-apiserver on free loopback ports, with OpenShift's and Argo CD's definitions served, and the
 * few controllers of {@link controllers}. There is no scheduler and no kubelet: pods and nodes are what tests say they
 * are, until a test starts them (`workloads.ts`).
 */
export async function startControlPlane(toolchain: Toolchain): Promise<StartedControlPlane> {
  for (let attempt = 1; ; attempt += 1) {
    const folder = await temporaryFolder('control-plane');
    const stops: (() => Promise<void>)[] = [];
    const stop = () => stopAll(stops, folder);
    try {
      const address = await startPrograms(toolchain, folder, stops);
      const controlPlane = openControlPlane(address);
      stops.push(async () => controlPlane.kube.close());
      await installDefinitions(toolchain, controlPlane.kube);
      // After the definitions, so that the garbage collector knows every kind from its first look. Nobody waits for
      // them.
      stops.push((await startControllerManager({ ...address, toolchain }, controllers)).stop);
      await controlPlane.ensure(namespace('openshift-machine-config-operator'), namespace('openshift-config'));
      return { ...controlPlane, stop };
    } catch (cause) {
      await stop();
      const portTaken = cause instanceof ProgramEnded && cause.message.includes('address already in use');
      if (!portTaken || attempt >= startAttempts) throw cause;
    }
  }
}

async function stopAll(stops: (() => Promise<void>)[], folder: string): Promise<void> {
  for (const stop of stops.splice(0).reverse()) await stop();
  await removeFolder(folder);
}

async function startPrograms(
  toolchain: Toolchain,
  folder: string,
  stops: (() => Promise<void>)[],
): Promise<ControlPlaneAddress> {
  const [etcdPort = 0, etcdPeerPort = 0, port = 0] = await freePorts(3);
  const userSecret = randomBytes(32).toString('hex');
  const token = randomBytes(24).toString('hex');

  const reviewer = await startTokenReviewer(userSecret);
  stops.push(reviewer.stop);
  const etcdUrl = `http://127.0.0.1:${etcdPort}`;
  const etcd = await startEtcd({ toolchain, folder, etcdUrl, peerUrl: `http://127.0.0.1:${etcdPeerPort}` });
  stops.push(etcd.stop);
  const apiserver = await startApiserver({ toolchain, folder, etcdUrl, port, token, reviewer });
  stops.push(apiserver.stop);

  const server = `https://127.0.0.1:${port}`;
  const caFile = join(folder, 'certificates', 'apiserver.crt');
  await waitUntilReady({ server, caFile, token, programs: [etcd, apiserver] });
  const ca = await readFile(caFile, 'utf8');
  const file = join(folder, 'admin.kubeconfig');
  await writeFile(file, kubeconfig({ server, ca, token }), { mode: 0o600 });
  return { server, caFile, ca, token, kubeconfig: file, folder, userSecret };
}

interface EtcdStart {
  readonly toolchain: Toolchain;
  readonly folder: string;
  readonly etcdUrl: string;
  readonly peerUrl: string;
}

function startEtcd({ toolchain, folder, etcdUrl, peerUrl }: EtcdStart): Promise<RunningProgram> {
  const args = [
    '--name=lab',
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${etcdUrl}`,
    `--advertise-client-urls=${etcdUrl}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=lab=${peerUrl}`,
    // The data is thrown away with the laboratory; waiting for the disk would only make tests slower.
    '--unsafe-no-fsync',
    '--log-level=warn',
  ];
  return startProgram({ name: 'etcd', file: toolchain.etcd, args, folder, logFile: join(folder, 'etcd.log') });
}

interface ApiserverStart {
  readonly toolchain: Toolchain;
  readonly folder: string;
  readonly etcdUrl: string;
  readonly port: number;
  readonly token: string;
  readonly reviewer: TokenReviewer;
}

async function startApiserver({
  toolchain,
  folder,
  etcdUrl,
  port,
  token,
  reviewer,
}: ApiserverStart): Promise<RunningProgram> {
  const certificates = join(folder, 'certificates');
  await mkdir(certificates);
  const keyFile = join(folder, 'service-account.key');
  const tokensFile = join(folder, 'tokens.csv');
  const reviewerFile = join(folder, 'reviewer.kubeconfig');
  await writeFile(keyFile, signingKey(), { mode: 0o600 });
  await writeFile(tokensFile, `${token},admin,admin,"system:masters"\n`, { mode: 0o600 });
  await writeFile(reviewerFile, kubeconfig({ server: reviewer.url, ca: '', token: '' }), { mode: 0o600 });
  const args = [
    `--etcd-servers=${etcdUrl}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${certificates}`,
    `--service-account-key-file=${keyFile}`,
    `--service-account-signing-key-file=${keyFile}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    '--authorization-mode=RBAC',
    `--token-auth-file=${tokensFile}`,
    `--authentication-token-webhook-config-file=${reviewerFile}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    // The first needs a controller that makes accounts, the second one that takes taints off.
    '--disable-admission-plugins=ServiceAccount,TaintNodesByCondition',
    '--endpoint-reconciler-type=none',
  ];
  return startProgram({
    name: 'kube-apiserver',
    file: toolchain.kubeApiserver,
    args,
    folder,
    logFile: join(folder, 'kube-apiserver.log'),
  });
}

/**
 * Controllers that run: the garbage collector, without which nothing that Argo CD prunes would ever go (it deletes in
 * the foreground); the one that empties deleted namespaces; the one that counts for PodDisruptionBudgets. Each by its
 * own account, as on OpenShift: policies know them by their names.
 */
const controllers: ControllerManager = {
  name: 'kube-controller-manager',
  controllers: ['garbage-collector-controller', 'namespace-controller', 'disruption-controller'],
  args: ['--use-service-account-credentials=true'],
};

function signingKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  return privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
}

interface Readiness {
  readonly server: string;
  readonly caFile: string;
  readonly token: string;
  readonly programs: readonly RunningProgram[];
}

async function waitUntilReady({ server, caFile, token, programs }: Readiness): Promise<void> {
  let dead: unknown;
  await until(
    async () => {
      for (const program of programs) await program.check().catch((cause: unknown) => (dead = cause));
      if (dead !== undefined) return true;
      if (!existsSync(caFile)) return false;
      const kube = connectKube({ server, ca: await readFile(caFile, 'utf8'), token });
      return kube.get('/readyz').finally(kube.close);
    },
    readyWithinMs,
    'the API server to be ready',
  );
  if (dead !== undefined) throw dead;
}

/** How long the API server may take to serve all definitions, milliseconds. */
const servedWithinMs = 60_000;

async function installDefinitions(toolchain: Toolchain, kube: Kube): Promise<void> {
  const openshift = await readManifest<KubeObject[]>(toolchain.openshiftDefinitions, openshiftFiles.definitions);
  const argocd = await readManifest<KubeObject[]>(toolchain.argocdManifests, argocdFiles.definitions);
  const definitions = [...openshift, ...argocd];
  await Promise.all(definitions.map((definition) => kube.post(paths.definitions, definition)));
  await until(
    async () => (await kube.list(paths.definitions)).filter(isEstablished).length >= definitions.length,
    servedWithinMs,
    `all ${definitions.length} definitions to be established`,
  );
  // Established says that the API server accepted a definition; the answer to a list says that it serves it.
  await Promise.all(
    definitions.map((definition) =>
      until(() => kube.list(servedAt(definition)), servedWithinMs, definition.metadata.name),
    ),
  );
}

function isEstablished(definition: KubeObject): boolean {
  const conditions = (definition.status?.conditions ?? []) as { type: string; status: string }[];
  return conditions.some(({ type, status }) => type === 'Established' && status === 'True');
}

function servedAt(definition: KubeObject): string {
  const { group, names, versions } = definition.spec as {
    group: string;
    names: { plural: string };
    versions: { name: string; served: boolean }[];
  };
  return `/apis/${group}/${versions.find(({ served }) => served)?.name}/${names.plural}`;
}

function namespace(name: string): Draft {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

/** Access to a control plane that runs elsewhere, from its address. */
export function openControlPlane(address: ControlPlaneAddress): ControlPlane {
  const kubeAs = (token: string) => connectKube({ server: address.server, ca: address.ca, token });
  const kube = kubeAs(address.token);

  async function ensure(...objects: readonly Draft[]): Promise<void> {
    for (const object of objects) await ensureOne(kube, object);
  }

  async function serviceAccountToken({
    namespace: home,
    name,
    rules = [],
    seconds = 3_600,
  }: ServiceAccount): Promise<string> {
    const fullName = `${home}-${name}`;
    await ensure(namespace(home), { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: home } });
    const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: fullName } };
    const granted: readonly Draft[] =
      rules.length === 0
        ? []
        : [
            { ...rbac, kind: 'ClusterRole', rules },
            {
              ...rbac,
              kind: 'ClusterRoleBinding',
              subjects: [{ kind: 'ServiceAccount', name, namespace: home }],
              roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: fullName },
            },
          ];
    await ensure(...granted);
    const request = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: seconds },
    };
    const answer = await kube.post(`${paths.in(home).serviceAccounts}/${name}/token`, request);
    const token = answer.status.token as string;
    const ours = kubeAs(token);
    await untilGranted(ours, { namespace: home, name }, granted).finally(ours.close);
    return token;
  }

  return {
    ...address,
    kube,
    kubeAs,
    ensure,
    serviceAccountToken,
    tokenFor: (user) => userToken(user, address.userSecret),
    writeKubeconfig: async (name, token, home) => {
      const file = join(address.folder, `${name}.kubeconfig`);
      const content = {
        server: address.server,
        ca: address.ca,
        token,
        ...(home === undefined ? {} : { namespace: home }),
      };
      await writeFile(file, kubeconfig(content), { mode: 0o600 });
      return file;
    },
  };
}

/** Whatever an earlier file left and is being deleted gives way first. */
async function ensureOne(kube: Kube, object: Draft): Promise<void> {
  const collection = collectionOf(object);
  const path = `${collection}/${object.metadata.name}`;
  for (;;) {
    const refusal = await kube.post(collection, object).then(() => undefined, alreadyThere);
    if (refusal === undefined) return;
    const there = await kube.find(path);
    if (there !== undefined && there.metadata['deletionTimestamp'] === undefined) return;
    await untilGone(kube, path);
  }
}

function alreadyThere(cause: unknown): KubeRefusal {
  if (cause instanceof KubeRefusal && cause.reason === 'AlreadyExists') return cause;
  throw cause;
}
