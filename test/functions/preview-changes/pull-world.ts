import { manifestReader } from '../../../functions/adapters/yaml/read-manifests.ts';
import type { Application } from '../../../functions/core/argocd/application.ts';
import type { ClusterSettings } from '../../../functions/core/configuration/cluster.ts';
import type { PreviewSettings } from '../../../functions/core/configuration/github.ts';
import type { UnreadableItem } from '../../../functions/core/findings/listed.ts';
import type { DisruptionPolicy } from '../../../functions/core/machine-config/disruption-policy.ts';
import type { MachineConfigContent } from '../../../functions/core/machine-config/machine-config.ts';
import { noRollouts } from '../../../functions/core/node-rollouts/follow.ts';
import { noPace } from '../../../functions/core/node-rollouts/pace.ts';
import type { Pool } from '../../../functions/core/openshift/pool.ts';
import { commentText, deservesComment } from '../../../functions/core/preview/comment.ts';
import type { Pull } from '../../../functions/core/preview/pull.ts';
import { statusText } from '../../../functions/core/preview/status-text.ts';
import type { ChangedPaths, FilesRead } from '../../../functions/core/routing/changed-file.ts';
import type { SetRoute } from '../../../functions/core/routing/route.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { seen } from '../../../functions/core/text/observed.ts';
import type { KeptCalendar } from '../../../functions/core/windows/kept-calendars.ts';
import type { ChangeQuestion } from '../../../functions/ports/repositories.ts';
import type { KnownName } from '../../../functions/ports/tables.ts';
import type { PredictPorts } from '../../../functions/preview-changes/predict-ports.ts';
import { predictPull } from '../../../functions/preview-changes/predict-pull.ts';
import { aHold, anApplication, aPool, aRecord, fakeLogger } from '../../fakes/index.ts';

const role = 'machineconfiguration.openshift.io/role';
export const cluster = 'prod-secret-site';

const pull: Pull = {
  repository: 'acme/platform',
  number: 12,
  isOpen: true,
  isDraft: false,
  isFork: false,
  head: 'c'.repeat(40),
  base: { ref: 'main' },
  htmlUrl: 'https://github.com/acme/platform',
  defaultBranch: 'main',
};

export function chrony(text: string, name = '99-worker-chrony'): string {
  return manifestOf(name, filesOf([{ path: '/etc/chrony.conf', text }]));
}

/** A MachineConfig of pool worker, as Git has it. */
export function manifestOf(name: string, spec: object): string {
  return JSON.stringify({
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfig',
    metadata: { name, labels: { [role]: 'worker' } },
    spec,
  });
}

export function live(name: string, text: string): MachineConfigContent {
  return {
    name,
    labels: { [role]: 'worker' },
    annotations: {},
    resourceVersion: '1',
    owners: [],
    spec: filesOf([{ path: '/etc/chrony.conf', text }]),
  };
}

interface NodeFile {
  readonly path: string;
  readonly text: string;
}

export function filesOf(files: readonly NodeFile[]) {
  const sources = files.map(({ path, text }) => ({
    path,
    contents: { source: `data:,${encodeURIComponent(text)}` },
  }));
  return { config: { ignition: { version: '3.4.0' }, storage: { files: sources } } };
}

/** A new MachineConfig of pool worker. */
export function adding(name: string, files: readonly NodeFile[]): FilesRead {
  const after = { kind: 'text' as const, text: manifestOf(name, filesOf(files)) };
  return {
    files: [{ path: `nodes/${name}.json`, before: { kind: 'absent' }, after }],
    tools: [],
    incomplete: undefined,
  };
}

/** A MachineConfig of the cluster, each of whose files says the same. */
export function liveConfig(name: string, paths: readonly string[], text: string): MachineConfigContent {
  return { ...live(name, ''), spec: filesOf(paths.map((path) => ({ path, text }))) };
}

export function changing(before: string, after: string): FilesRead {
  const observed = (text: string) => (text === '' ? ({ kind: 'absent' } as const) : ({ kind: 'text', text } as const));
  return {
    files: [{ path: 'nodes/chrony.json', before: observed(before), after: observed(after) }],
    tools: [],
    incomplete: undefined,
  };
}

export const nodesApplication = anApplication({
  namespace: 'openshift-gitops',
  name: 'nodes-of-site',
  annotations: {},
  destination: { server: 'https://kubernetes.default.svc', name: '' },
  sources: [{ repoURL: 'https://github.com/acme/platform', path: 'nodes', targetRevision: 'main', chart: '' }],
});

const secondArgoCd = {
  name: 'second',
  cluster: 'second',
  namespaces: ['openshift-gitops'],
  controllerNamespace: 'openshift-gitops',
  destinations: [],
};

const silentArgoCd = {
  name: 'far-secret-hub',
  cluster: 'far',
  namespaces: ['openshift-gitops'],
  controllerNamespace: 'openshift-gitops',
  destinations: [],
};

interface World {
  readonly files?: FilesRead | ((question: ChangeQuestion) => FilesRead);
  readonly settings?: Partial<PreviewSettings>;
  readonly applications?: readonly Application[];
  readonly machineConfigs?: readonly MachineConfigContent[];
  readonly isSilent?: boolean;
  /** What GitHub calls these repositories now. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** Of which of them the answer is at hand. */
  readonly keptNames?: readonly string[];
  /** What keep-pools has stored. */
  readonly storedNames?: readonly KnownName[];
  /** Why it says nothing of these. */
  readonly unlearnt?: Readonly<Record<string, Error>>;
  /** Of the configuration. */
  readonly clusters?: readonly ClusterSettings[];
  /** Seconds that the last reboots of pool worker took. */
  readonly reboots?: readonly number[];
  readonly kept?: readonly KeptCalendar[];
  readonly isTableDown?: boolean;
  readonly sets?: readonly SetRoute[];
  /** Of pool worker. */
  readonly pool?: Partial<Pool>;
  readonly policy?: DisruptionPolicy;
  /** MachineOSConfigs may not be listed. */
  readonly areLayersUnread?: boolean;
  /** Applications of a second Argo CD, in a cluster that is not configured. */
  readonly second?: readonly Application[];
  /** A second Argo CD, which does not answer. */
  readonly hasSilentArgoCd?: boolean;
  /** Applications and pools that cannot be parsed; the latter beside, or if `hasNoPool` instead of, pool worker. */
  readonly broken?: {
    readonly applications?: readonly string[];
    readonly sets?: readonly string[];
    readonly pools?: readonly string[];
  };
  /** Why the ApplicationSets cannot be listed. */
  readonly unlistedSets?: Transient;
  readonly hasNoPool?: boolean;
  /** Why nobody has merged it with its base, which has gone on. */
  readonly unmerged?: string;
  /** What that has changed since; undefined: in the folder of the change. */
  readonly base?: ChangedPaths;
  readonly yieldToEventLoop?: () => Promise<void>;
}

function unreadable(kind: string, namespace: string, names: readonly string[] = []): readonly UnreadableItem[] {
  return names.map((name) => ({ kind, namespace, name, why: 'cannot be parsed at spec' }));
}

/** What the pull request would do in this world: Applications, pools and files are real, the ports are stand-ins. */
export async function predict(world: World = {}) {
  const pool = aPool({
    name: 'worker',
    labels: {},
    machineConfigSelector: { matchLabels: { [role]: 'worker' } },
    maxUnavailable: '1',
    counts: { machines: 3, updated: 3, ready: 3, unavailable: 0, degraded: 0 },
    record: { kind: 'record', record: aRecord({ holds: [aHold({ who: 'openshift-gitops/private-app' })] }) },
    ...world.pool,
  });
  const ports = {
    configuration: {
      clusters: world.clusters ?? [],
      argocd: [
        {
          name: 'hub',
          cluster,
          namespaces: ['openshift-gitops'],
          controllerNamespace: 'openshift-gitops',
          destinations: [],
        },
        ...(world.second === undefined ? [] : [secondArgoCd]),
        ...(world.hasSilentArgoCd ? [silentArgoCd] : []),
      ],
      alerts: { targets: [], statusUrl: undefined },
    },
    settings: { clusterNames: 'hide', forks: 'status', ...world.settings },
    repositories: {
      readChange: async (question: ChangeQuestion) => {
        const { files = changing(chrony('pool old\n'), chrony('pool new\n')) } = world;
        return typeof files === 'function' ? files(question) : files;
      },
      readPaths: async ({ after }: ChangeQuestion): Promise<ChangedPaths> => {
        if (after !== 'f'.repeat(40)) throw new Error('of its base');
        return world.base ?? { paths: ['nodes/other.yaml', 'old/other.yaml'], vanished: [], incomplete: undefined };
      },
    },
    repositoryNames: {
      isAsked: (name: string) => name.startsWith('github.com/'),
      isKept: (name: string) => world.keptNames?.includes(name) ?? false,
      nameNow: async (name: string) => {
        if (world.unlearnt?.[name] !== undefined) throw world.unlearnt[name];
        return world.renamed?.[name] ?? name;
      },
    },
    manifestReader,
    clock: () => new Date('2026-11-22T10:00:00Z'),
    yieldToEventLoop: world.yieldToEventLoop ?? (async () => {}),
    argocd: async (name: string) => ({
      listApplicationSets: async () => {
        if (world.unlistedSets !== undefined) throw world.unlistedSets;
        return {
          items: world.sets ?? [],
          unreadable: unreadable('ApplicationSet', 'openshift-gitops', world.broken?.sets),
        };
      },
      listApplications: async () => {
        if (name === secondArgoCd.name) return { items: world.second ?? [], unreadable: [] };
        if (name === silentArgoCd.name) throw new Transient('connect 10.1.2.3:6443');
        return {
          items: world.applications ?? [nodesApplication],
          unreadable: unreadable('Application', 'openshift-gitops', world.broken?.applications),
        };
      },
    }),
    cluster: async () => ({
      pools: {
        listPools: async () => {
          if (world.isSilent) throw new Transient('connect 10.1.2.3:6443');
          const broken = unreadable('MachineConfigPool', '', world.broken?.pools);
          return { items: world.hasNoPool ? [] : [pool], unreadable: broken };
        },
      },
      renderings: {
        readRenderSources: async () => ({
          machineConfigs: world.machineConfigs ?? [live('99-worker-chrony', 'pool old\n')],
          policy: world.policy,
          choosers: seen([]),
          isSingleNode: false,
          layeredPools: world.areLayersUnread ? undefined : [],
        }),
      },
    }),
    nodeRollouts: {
      load: async () => {
        if (world.isTableDown) throw new Transient('DynamoDB GetItem: throttled');
        return { ...noRollouts(cluster), paces: { worker: { ...noPace, reboot: world.reboots ?? [] } } };
      },
    },
    routes: {
      load: async () => {
        if (world.isTableDown) throw new Transient('DynamoDB GetItem: throttled');
        return { names: world.storedNames };
      },
    },
    keptCalendars: {
      load: async (id: string) => {
        if (world.isTableDown) throw new Transient('DynamoDB GetItem: throttled');
        return world.kept?.find((each) => each.id === id);
      },
    },
    logger: fakeLogger(),
  } as unknown as PredictPorts;
  const { unmerged: why } = world;
  const since = why === undefined ? undefined : { tip: 'f'.repeat(40), why };
  const compared = { before: 'b'.repeat(40), after: pull.head, since };
  const preview = await predictPull(pull, compared, ports);
  const isCommented = deservesComment(preview);
  return { preview, comment: commentText(preview), isCommented, status: statusText(preview) };
}
