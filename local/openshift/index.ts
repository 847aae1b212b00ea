import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { type ApiServer, startApiServer } from './api-server/api-server.ts';
import type { Faults } from './api-server/faults.ts';
import type { Registry } from './api-server/registry.ts';
import { selfSigned } from './api-server/self-signed.ts';
import { type ArgoCd, type ArgoCdOptions, startArgoCd } from './argocd/argocd.ts';
import { createGitHost, type GitHost } from './argocd/git-host.ts';
import { type Clock, realClock } from './clock.ts';
import type { ConfigDaemons } from './machine-config/config-daemon.ts';
import { machineConfigLog } from './machine-config/daemon-log.ts';
import type { Timings } from './machine-config/timings.ts';
import { createPace, type Pace } from './pace.ts';
import { startCluster } from './simulated-cluster.ts';
import type { Kubelets } from './workloads/kubelet.ts';
import type { ClusterBuilder } from './world/cluster-builder.ts';
import { type Kubeconfig, kubeconfigFor } from './world/kubeconfig.ts';
import { release } from './world/platform.ts';

export interface OpenShiftOptions {
  /** Default: the machine's own time. */
  readonly clock?: Clock;
  /** How many times faster than a real cluster. Default 1. */
  readonly speed?: number;
  /** Port of the API server on loopback; 0, the default, takes a free one. */
  readonly port?: number;
  /** Equal seeds make equal names and ids. Default 1. */
  readonly seed?: number;
  /** Of the cluster, user and context in its kubeconfig. Default `simulated`. */
  readonly name?: string;
  /** The API server speaks TLS: kubectl and oc send their token over nothing else. Default: plain HTTP. */
  readonly secure?: boolean;
  /** Bearer token; random by default. */
  readonly token?: string;
  /** Overrides of the measured delays of the machine config parts. */
  readonly timings?: Partial<Timings>;
  readonly argocd?: ArgoCdOptions;
  /** Origin of the Git host's URLs. */
  readonly gitOrigin?: string;
}

/** A simulated OpenShift cluster with Argo CD and a Git host: the world outside Poolkeeper. */
export interface OpenShift extends ClusterBuilder {
  readonly url: string;
  readonly token: string;
  /** What signed the certificate of its API server, PEM; undefined: it speaks plain HTTP. */
  readonly ca: string | undefined;
  readonly kubeconfig: Kubeconfig;
  /** Writes the kubeconfig as JSON, which is also YAML. */
  writeKubeconfig(path: string): Promise<void>;
  readonly clock: Clock;
  /** The cluster's time; Argo CD may have another speed. */
  readonly pace: Pace;
  /** The cluster's objects, without HTTP. */
  readonly registry: Registry;
  readonly apiServer: ApiServer;
  /** Faults between a client and the API server. */
  readonly faults: Faults;
  /** Faults of nodes: reboots, lost contact, pods. */
  readonly kubelets: Kubelets;
  /** Faults of a node's configuration. */
  readonly daemons: ConfigDaemons;
  readonly git: GitHost;
  readonly argocd: ArgoCd;
  createApplication: ArgoCd['createApplication'];
  stop(): Promise<void>;
}

export async function startOpenShift(options: OpenShiftOptions = {}): Promise<OpenShift> {
  const {
    clock = realClock(),
    speed = 1,
    port = 0,
    seed = 1,
    token = randomBytes(24).toString('base64url'),
    timings,
    name = 'simulated',
    secure = false,
  } = options;
  const cluster = startCluster({ clock, speed, seed, ...(timings && { timings }) });
  const { registry, pace, random, builder, kubelets, daemons } = cluster;
  const git = createGitHost({ origin: options.gitOrigin ?? 'https://git.example.com', now: () => clock.now() });
  const argoPace = createPace(clock, options.argocd?.speed ?? speed);
  const argocd = startArgoCd({ registry, pace: argoPace, random, git }, options.argocd);
  // Clients compare its dates with their own clock.
  const identity = secure ? selfSigned(new Date()) : undefined;
  const apiServer = await startApiServer({
    registry,
    clock,
    token,
    port,
    gitVersion: release.kubernetes,
    identity,
    podLog: (namespace, name) => kubelets.logOf(namespace, name) ?? machineConfigLog(registry, namespace, name),
  });
  const { url, faults } = apiServer;
  const ca = identity?.certificate;
  const kubeconfig = kubeconfigFor({ name, url, token, ca });
  return {
    ...builder,
    url,
    token,
    ca,
    kubeconfig,
    writeKubeconfig: (path) => writeFile(path, `${JSON.stringify(kubeconfig, null, 2)}\n`, { mode: 0o600 }),
    clock,
    pace,
    registry,
    apiServer,
    faults,
    kubelets,
    daemons,
    git,
    argocd,
    createApplication: (plan) => argocd.createApplication(plan),
    async stop() {
      cluster.stop();
      argoPace.stop();
      await apiServer.stop();
    },
  };
}
