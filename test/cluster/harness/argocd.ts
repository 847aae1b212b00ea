import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Toolchain } from '../toolchain/build-toolchain.ts';
import { readManifest } from '../toolchain/part.ts';
import { argocdFiles } from '../toolchain/parts.ts';
import { type Application, type ApplicationDraft, createApplication } from './application.ts';
import type { ControlPlane } from './control-plane.ts';
import { freePorts } from './free-ports.ts';
import type { Draft } from './kube.ts';
import { removeFolder, temporaryFolder } from './leave-nothing.ts';
import { paths } from './paths.ts';
import { ProgramEnded, type RunningProgram, startProgram } from './process.ts';
import { until } from './until.ts';

/** Plain data: a worker of vitest makes an {@link ArgoCD} of it. */
export interface ArgoCDAddress {
  /** Base of argocd-server; its API asks for no login. */
  readonly url: string;
  readonly webhookUrl: string;
  readonly namespace: string;
  readonly folder: string;
  /** Component -> its log. */
  readonly logFiles: Readonly<Record<Component | 'redis', string>>;
}

export interface ArgoCD extends ArgoCDAddress {
  readonly createApplication: (draft: ApplicationDraft) => Promise<Application>;
  /** Replaces the configuration of the notifications controller, which takes it up within moments. */
  readonly configureNotifications: (configuration: Notifications) => Promise<void>;
}

export interface StartedArgoCD extends ArgoCD {
  readonly stop: () => Promise<void>;
}

export interface Notifications {
  /** Data of argocd-notifications-cm. */
  readonly config: Readonly<Record<string, string>>;
  /** Data of argocd-notifications-secret, in the clear. */
  readonly secrets?: Readonly<Record<string, string>>;
}

const components = [
  'argocd-repo-server',
  'argocd-application-controller',
  'argocd-server',
  'argocd-notifications',
] as const;
export type Component = (typeof components)[number];

export interface ArgoCDOptions {
  readonly namespace?: string;
  /** Secret of argocd-server's webhook for GitHub; without one it believes everybody. */
  readonly webhookSecret?: string;
  /** Environment of every component besides its own: a proxy, certificates to trust. */
  readonly env?: Readonly<Record<string, string>>;
  /** What is started beside redis; all of them unless said otherwise. */
  readonly only?: readonly Component[];
}

/** How long a component may take to answer its health check, milliseconds. */
const healthyWithinMs = 90_000;
const startAttempts = 3;

/** Starts Argo CD against the control plane, as the one cluster it manages, on free loopback ports. */
export async function startArgoCD(
  toolchain: Toolchain,
  controlPlane: ControlPlane,
  options: ArgoCDOptions = {},
): Promise<StartedArgoCD> {
  const namespace = options.namespace ?? 'argocd';
  await installConfiguration(toolchain, controlPlane, { ...options, namespace });
  for (let attempt = 1; ; attempt += 1) {
    const folder = await temporaryFolder('argocd');
    const programs: RunningProgram[] = [];
    const stop = async () => {
      await Promise.all(programs.splice(0).map((program) => program.stop()));
      await removeFolder(folder);
    };
    try {
      const address = await startComponents({
        toolchain,
        controlPlane,
        namespace,
        folder,
        programs,
        env: options.env ?? {},
        only: options.only ?? components,
      });
      return { ...openArgoCD(address, controlPlane), stop };
    } catch (cause) {
      await stop();
      const portTaken = cause instanceof ProgramEnded && /address already in use/i.test(cause.message);
      if (!portTaken || attempt >= startAttempts) throw cause;
    }
  }
}

/** Access to an Argo CD that runs elsewhere, from its address. */
export function openArgoCD(address: ArgoCDAddress, controlPlane: ControlPlane): ArgoCD {
  const { configMaps, secrets: secretsPath } = paths.in(address.namespace);
  return {
    ...address,
    createApplication: (draft) => createApplication({ controlPlane, address, draft }),
    configureNotifications: async ({ config, secrets = {} }) => {
      const { kube } = controlPlane;
      const replace = (field: string, value: unknown) => [{ op: 'add', path: `/${field}`, value }];
      const encoded = Object.entries(secrets).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
      await kube.patch(`${secretsPath}/argocd-notifications-secret`, replace('data', Object.fromEntries(encoded)), {
        type: 'json',
      });
      await kube.patch(`${configMaps}/argocd-notifications-cm`, replace('data', config), { type: 'json' });
    },
  };
}

interface Configuration extends ArgoCDOptions {
  readonly namespace: string;
}

async function installConfiguration(
  toolchain: Toolchain,
  controlPlane: ControlPlane,
  { namespace, webhookSecret }: Configuration,
): Promise<void> {
  const shipped = await readManifest<Draft[]>(toolchain.argocdManifests, argocdFiles.configuration);
  const partOf = { 'app.kubernetes.io/part-of': 'argocd' };
  const own: Draft[] = [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'argocd-notifications-cm', labels: partOf } },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'Opaque',
      metadata: { name: 'argocd-notifications-secret', labels: partOf },
    },
    {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AppProject',
      metadata: { name: 'default' },
      spec: {
        sourceRepos: ['*'],
        destinations: [{ server: '*', namespace: '*' }],
        clusterResourceWhitelist: [{ group: '*', kind: '*' }],
      },
    },
  ];
  const objects = [...shipped, ...own].map((object) => ({ ...object, metadata: { ...object.metadata, namespace } }));
  await controlPlane.ensure({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, ...objects);
  if (webhookSecret === undefined) return;
  await controlPlane.kube.patch(`${paths.in(namespace).secrets}/argocd-secret`, {
    stringData: { 'webhook.github.secret': webhookSecret },
  });
}

interface Start {
  readonly toolchain: Toolchain;
  readonly controlPlane: ControlPlane;
  readonly namespace: string;
  readonly folder: string;
  /** What was started, so that the caller can end it whatever happens. */
  readonly programs: RunningProgram[];
  readonly env: Readonly<Record<string, string>>;
  readonly only: readonly Component[];
}

async function startComponents({
  toolchain,
  controlPlane,
  namespace,
  folder,
  programs,
  env: more,
  only,
}: Start): Promise<ArgoCDAddress> {
  const [
    redisPort = 0,
    repoPort = 0,
    repoMetrics = 0,
    controllerMetrics = 0,
    serverPort = 0,
    serverMetrics = 0,
    notificationsMetrics = 0,
  ] = await freePorts(7);
  const folders = await makeFolders(folder);
  const redis = `127.0.0.1:${redisPort}`;
  const repoServer = `127.0.0.1:${repoPort}`;
  const logFile = (name: string) => join(folder, `${name}.log`);

  const redisArgs = ['--port', String(redisPort), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  programs.push(
    await startProgram({
      name: 'redis',
      file: toolchain.redisServer,
      args: redisArgs,
      folder,
      logFile: logFile('redis'),
    }),
  );

  const args: Readonly<Record<Component, readonly string[]>> = {
    'argocd-repo-server': [
      '--address',
      '127.0.0.1',
      '--port',
      String(repoPort),
      '--metrics-address',
      '127.0.0.1',
      '--metrics-port',
      String(repoMetrics),
      '--disable-tls',
      '--redis',
      redis,
    ],
    'argocd-application-controller': [
      '--metrics-port',
      String(controllerMetrics),
      '--repo-server',
      repoServer,
      '--repo-server-plaintext',
      '--redis',
      redis,
    ],
    'argocd-server': [
      '--address',
      '127.0.0.1',
      '--port',
      String(serverPort),
      '--metrics-port',
      String(serverMetrics),
      '--disable-auth',
      '--insecure',
      '--repo-server',
      repoServer,
      '--repo-server-plaintext',
      '--redis',
      redis,
    ],
    'argocd-notifications': [
      '--metrics-port',
      String(notificationsMetrics),
      '--argocd-repo-server',
      repoServer,
      '--argocd-repo-server-plaintext',
    ],
  };
  for (const component of only) {
    // Each component has the user it would have in a pod, so that admission and audit see the real names.
    const account = `system:serviceaccount:${namespace}:${component}`;
    const token = controlPlane.tokenFor({
      name: account,
      groups: ['system:masters', 'system:serviceaccounts', `system:serviceaccounts:${namespace}`],
    });
    const kubeconfig = await controlPlane.writeKubeconfig(`${namespace}-${component}`, token, namespace);
    const env = {
      ...more,
      ...folders,
      KUBECONFIG: kubeconfig,
      ARGOCD_BINARY_NAME: component,
      HOSTNAME: `${component}-0`,
    };
    const logArgs = ['--logformat', 'text', '--loglevel', 'info'];
    programs.push(
      await startProgram({
        name: component,
        file: toolchain.argocd,
        args: [...args[component], ...logArgs],
        env,
        folder,
        logFile: logFile(component),
      }),
    );
  }

  const healthChecks: Readonly<Record<Component, string>> = {
    'argocd-repo-server': `http://127.0.0.1:${repoMetrics}/healthz?full=true`,
    'argocd-application-controller': `http://127.0.0.1:${controllerMetrics}/healthz`,
    'argocd-server': `http://127.0.0.1:${serverPort}/healthz`,
    'argocd-notifications': `http://127.0.0.1:${notificationsMetrics}/metrics`,
  };
  await Promise.all(only.map((component) => untilHealthy(healthChecks[component], programs)));
  const url = `http://127.0.0.1:${serverPort}`;
  const names = ['redis', ...components] as const;
  const logFiles = Object.fromEntries(names.map((name) => [name, logFile(name)])) as ArgoCDAddress['logFiles'];
  return { url, webhookUrl: `${url}/api/webhook`, namespace, folder, logFiles };
}

/** The folders a pod of Argo CD would have mounted, and the environment variables that name them. */
async function makeFolders(folder: string): Promise<Record<string, string>> {
  const names = ['home', 'tmp', 'tls', 'ssh', 'gpg-source', 'gpg-keys', 'plugins'] as const;
  for (const name of names) await mkdir(join(folder, name), { mode: 0o700 });
  return {
    HOME: join(folder, 'home'),
    TMPDIR: join(folder, 'tmp'),
    ARGOCD_TLS_DATA_PATH: join(folder, 'tls'),
    ARGOCD_SSH_DATA_PATH: join(folder, 'ssh'),
    ARGOCD_GPG_DATA_PATH: join(folder, 'gpg-source'),
    ARGOCD_GNUPGHOME: join(folder, 'gpg-keys'),
    ARGOCD_PLUGINSOCKFILEPATH: join(folder, 'plugins'),
    ARGOCD_GPG_ENABLED: 'false',
    // Takes the API server of the kubeconfig for the cluster Argo CD runs in.
    ARGOCD_FAKE_IN_CLUSTER: 'true',
    GIT_CONFIG_NOSYSTEM: '1',
  };
}

async function untilHealthy(url: string, programs: readonly RunningProgram[]): Promise<void> {
  let dead: unknown;
  await until(
    async () => {
      for (const program of programs) await program.check().catch((cause: unknown) => (dead = cause));
      return dead !== undefined || (await fetch(url)).ok;
    },
    healthyWithinMs,
    `Argo CD at ${url}`,
  );
  if (dead !== undefined) throw dead;
}
