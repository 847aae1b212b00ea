import { makeTick } from '../../../events/index.ts';
import { Sequence } from '../../../functions/core/configuration/sequence.ts';
import type { Answer, Question } from '../../../functions/core/findings/question.ts';
import { memberOf } from '../../../functions/core/openshift/member.ts';
import { parseSequenceRecord, type SequenceRecord } from '../../../functions/core/sequences/record.ts';
import { Misconfigured, Transient } from '../../../functions/core/text/errors.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import type { ClusterPorts, KeepPorts } from '../../../functions/keep-pools/keep-ports.ts';
import type { ObjectReader } from '../../../functions/ports/cluster.ts';
import type { ObjectWriter, SequenceRecords, StoredText } from '../../../functions/ports/sequences.ts';
import type { Watch } from '../failing-calls.ts';
import { type KeepLab, keepLab, type LabOptions } from './keep-lab.ts';
import { watchedPorts } from './watched-ports.ts';

type Data = Readonly<Record<string, unknown>>;

/** The objects of an API server by their paths, of the kinds that these tests use. */
export interface SequenceCluster {
  readonly objects: Map<string, unknown>;
  readonly records: Map<string, StoredText>;
  /** Paths that were read, in their order; discovery aside. */
  readonly read: string[];
  /** What the API server answers instead, by the beginning of a path. */
  readonly failing: Map<string, 'unreachable' | 'forbidden' | 500>;
  /** Groups whose server is away, and of which the API server knows no kinds from before. */
  readonly stale: Set<string>;
  /** What is at the path now was deleted and made anew by somebody. */
  remade(path: string): void;
  readonly ports: ClusterPorts;
}

const kinds = [
  ['storage.k8s.io', 'v1', 'storageclasses', 'storageclass', 'StorageClass', ['sc'], 'Cluster'],
  ['apps', 'v1', 'deployments', 'deployment', 'Deployment', ['deploy'], 'Namespaced'],
  ['operators.coreos.com', 'v1alpha1', 'subscriptions', 'subscription', 'Subscription', ['sub'], 'Namespaced'],
] as const;

function discovery(path: string, stale: ReadonlySet<string>): unknown {
  const core = [['', 'v1', 'configmaps', 'configmap', 'ConfigMap', ['cm'], 'Namespaced']] as const;
  const items = (path === '/api' ? core : kinds).map(
    ([name, version, resource, singular, kind, shortNames, scope]) => ({
      metadata: { name },
      versions: stale.has(name)
        ? [{ version, freshness: 'Stale' }]
        : [
            {
              version,
              resources: [{ resource, singularResource: singular, responseKind: { kind }, shortNames, scope }],
              freshness: 'Current',
            },
          ],
    }),
  );
  return { kind: 'APIGroupDiscoveryList', items };
}

/** As the API server does with a JSON merge patch. */
function merged(before: unknown, change: unknown): unknown {
  if (typeof change !== 'object' || change === null || Array.isArray(change)) return change;
  const known = typeof before === 'object' && before !== null ? Object.fromEntries(Object.entries(before)) : {};
  const changed = Object.entries(change).map(([key, value]) => [key, merged(known[key], value)]);
  const all = Object.entries({ ...known, ...Object.fromEntries(changed) });
  return Object.fromEntries(all.filter(([, value]) => value !== null));
}

function isDeleted(object: unknown): boolean {
  return memberOf(memberOf(object, 'metadata'), 'deletionTimestamp') !== undefined;
}

/** As the API server answers a list in pages. */
function pageOf(all: readonly unknown[], { query }: Question): Data {
  const from = Number(query['continue'] ?? 0);
  const to = from + Number(query['limit'] ?? all.length);
  return { metadata: to < all.length ? { continue: String(to) } : {}, items: all.slice(from, to) };
}

function clusterOf(lab: KeepLab): SequenceCluster {
  const objects = new Map<string, unknown>();
  const records = new Map<string, StoredText>();
  const read: string[] = [];
  const failing: SequenceCluster['failing'] = new Map();
  const stale = new Set<string>();
  let made = 0;
  const failureOf = (path: string) => [...failing].find(([beginning]) => path.startsWith(beginning))?.[1];
  const fail = (path: string) => {
    const kind = failureOf(path);
    if (kind === 500) throw new Transient(`GET ${path}: 500`, { kind: 'unreachable', isAnswered: true });
    if (kind !== undefined) throw new Transient(`GET ${path}: ${kind}`, { kind });
  };
  const uids = new Map<string, string>();
  const uidOf = (path: string) => {
    const known = uids.get(path);
    if (known !== undefined) return known;
    made += 1;
    uids.set(path, `uid-${made}`);
    return `uid-${made}`;
  };
  const remade = (path: string) => {
    uids.delete(path);
  };
  /** As the API server has it: with a uid of its own. */
  const stored = (path: string): unknown => {
    const object = objects.get(path);
    return typeof object === 'string' ? object : merged(object, { metadata: { uid: uidOf(path) } });
  };
  const reader: ObjectReader = {
    async read(question: Question): Promise<Answer> {
      const { path, form } = question;
      const readAt = lab.world.clock.now();
      if (form === 'discovery') return { kind: 'found', body: discovery(path, stale), readAt };
      read.push(path);
      const failed = failureOf(path);
      if (failed !== undefined)
        return { kind: 'failed', why: `GET ${path}: ${failed}`, readAt, isForbidden: failed === 'forbidden' };
      if (objects.has(path)) return { kind: 'found', body: stored(path), readAt };
      const below = [...objects].filter(([each]) => each.startsWith(`${path}/`)).map(([, object]) => object);
      return below.length > 0 ? { kind: 'found', body: pageOf(below, question), readAt } : { kind: 'absent', readAt };
    },
  };
  const writer: ObjectWriter = {
    async apply(path, manifest, mode) {
      fail(path);
      fail(`applying ${path}`);
      const before = objects.get(path);
      // What is being deleted stays so, whoever writes it.
      const applied = isDeleted(before) ? merged(before, manifest) : manifest;
      if (mode === 'write') objects.set(path, applied);
      return mode === 'write' ? stored(path) : applied;
    },
    async create(collection, manifest) {
      fail(collection);
      const path = `${collection}/${String(memberOf(memberOf(manifest, 'metadata'), 'name'))}`;
      if (objects.has(path)) throw new Transient(`POST ${path}: it exists`, { kind: 'conflict' });
      objects.set(path, manifest);
      return stored(path);
    },
    async patch(path, change) {
      fail(path);
      objects.set(path, merged(objects.get(path), change));
    },
    async remove(path, uid) {
      fail(path);
      if (uid !== undefined && objects.has(path) && uidOf(path) !== uid)
        throw new Transient(`DELETE ${path}: it is another one`, { kind: 'conflict' });
      const object = objects.get(path);
      if (Array.isArray(memberOf(memberOf(object, 'metadata'), 'finalizers'))) {
        const deletionTimestamp = lab.world.clock.now().toISOString();
        objects.set(path, merged(object, { metadata: { deletionTimestamp } }));
        return true;
      }
      uids.delete(path);
      return objects.delete(path);
    },
  };
  const sequenceRecords: SequenceRecords = {
    async load(namespace, sequence) {
      fail('records');
      return records.get(`${namespace}/${sequence}`);
    },
    async save(namespace, sequence, { text, resourceVersion }) {
      const key = `${namespace}/${sequence}`;
      if (records.get(key)?.resourceVersion !== resourceVersion) throw new Transient('changed', { kind: 'conflict' });
      records.set(key, { text, resourceVersion: String(Number(resourceVersion ?? 0) + 1) });
    },
    async remove(namespace, sequence, { resourceVersion }) {
      fail('deleting records');
      const key = `${namespace}/${sequence}`;
      if (records.get(key)?.resourceVersion !== resourceVersion) throw new Transient('changed', { kind: 'conflict' });
      records.delete(key);
    },
  };
  const { pools, renderings } = lab.world;
  return {
    objects,
    records,
    read,
    failing,
    stale,
    remade,
    ports: { pools, renderings, reader, writer, sequenceRecords },
  };
}

export interface SequenceLab {
  readonly lab: KeepLab;
  readonly prod: SequenceCluster;
  readonly edge: SequenceCluster;
  /** A minute passes, and the clock ticks for each configured cluster.
   *  @param watch is told of each call of a port, and lets it fail */
  tick(watch?: Watch): Promise<void>;
  /** Just these sequences are configured from now on. */
  configureAll(sequences: Readonly<Record<string, Data>>): void;
  record(): SequenceRecord;
  /** The operator is installed. */
  installs(cluster: SequenceCluster, namespace: string, name: string): void;
  /** Poolkeeper has paused pool worker for a sync that has ended. */
  resumable(): Promise<void>;
  /** The sequence is configured otherwise from now on. */
  configure(change: Data): void;
  /** Applied objects and everything else that is there, by path. */
  state(): Data;
}

export const sequenceName = 'virt';

/** Cluster `prod`, which keeps the record, and cluster `edge`. */
export function sequenceLab(steps: Data, more: Data = {}, settings: LabOptions = {}): SequenceLab {
  const lab = keepLab({ argocd: { namespaces: ['openshift-gitops', 'tenant'] }, ...settings });
  const prod = clusterOf(lab);
  const edge = clusterOf(lab);
  const clusters: Readonly<Record<string, ClusterPorts>> = { prod: prod.ports, edge: edge.ports };
  let configured: Readonly<Record<string, Sequence>> = {
    [sequenceName]: Sequence.parse({ clusters: ['prod'], steps, ...more }),
  };
  const ports: KeepPorts = {
    ...lab.ports,
    installation: 'this one',
    get configuration() {
      return { ...lab.ports.configuration, sequences: configured };
    },
    cluster: async (name) => {
      const found = clusters[name];
      if (found === undefined) throw new Misconfigured([`cluster ${name} is not configured`]);
      if (name === 'edge' && edge.failing.has('/'))
        throw new Transient(`cluster ${name} does not answer`, { kind: 'unreachable' });
      return found;
    },
  };
  return {
    lab,
    prod,
    edge,
    async tick(watch) {
      lab.world.clock.set(new Date(lab.world.clock.now().getTime() + 60_000));
      const inTick = watch === undefined ? ports : watchedPorts(ports, watch);
      for (const { name: cluster } of ports.configuration.clusters)
        await keep(makeTick({ cluster, why: 'clock' }, lab.world.clock.now()), inTick);
    },
    configureAll(sequences) {
      configured = Object.fromEntries(
        Object.entries(sequences).map(([name, each]) => [name, Sequence.parse({ clusters: ['prod'], ...each })]),
      );
    },
    record() {
      const stored = prod.records.get(`poolkeeper/${sequenceName}`);
      const record = parseSequenceRecord(stored?.text ?? '');
      if (record === 'unreadable') throw new Error('there is no record');
      return record;
    },
    installs(cluster, namespace, name) {
      const home = `/apis/operators.coreos.com/v1alpha1/namespaces/${namespace}`;
      const csv = `${name}.v1`;
      cluster.objects.set(`${home}/subscriptions/${name}`, {
        metadata: { name },
        status: { installedCSV: csv, currentCSV: csv, state: 'AtLatestKnown' },
      });
      cluster.objects.set(`${home}/clusterserviceversions/${csv}`, {
        metadata: { name: csv },
        status: { phase: 'Succeeded' },
      });
    },
    async resumable() {
      const { clock, pools } = lab.world;
      const at = clock.now().toISOString();
      const release = { since: at, finishedAt: at, machineConfigs: [], why: 'a sync has ended' };
      pools.change('worker', 'poolkeeper', {
        paused: true,
        record: { kind: 'record', record: { v: 1, pause: 'ours', pausedSince: at, holds: [], release } },
      });
    },
    configure(change) {
      configured = { [sequenceName]: Sequence.parse({ clusters: ['prod'], steps, ...more, ...change }) };
    },
    state: () => Object.fromEntries(prod.objects),
  };
}
