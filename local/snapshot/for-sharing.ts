import * as z from 'zod';
import { isAppliedPause, lastApplied } from '../../functions/adapters/kubernetes/pool-of.ts';
import { redact } from '../../functions/core/text/safe-text.ts';
import { resourcePath } from './resource-path.ts';

/** The parts of each kind's `spec` that may leave the cluster: what the rules read, and nothing that holds user content
 *  (environment, commands, files, certificates). Kinds not listed keep metadata and status only. */
const specs: Readonly<Record<string, readonly string[] | 'all'>> = {
  machineconfigpools: [
    'paused',
    'machineConfigSelector',
    'nodeSelector',
    'maxUnavailable',
    'configuration',
    'osImageStream',
  ],
  nodes: ['unschedulable', 'taints', 'providerID'],
  pods: [
    'nodeName',
    'nodeSelector',
    'affinity',
    'tolerations',
    'topologySpreadConstraints',
    'schedulerName',
    'schedulingGates',
    'priorityClassName',
    'terminationGracePeriodSeconds',
    'hostNetwork',
  ],
  poddisruptionbudgets: 'all',
  machineconfignodes: 'all',
  kubeletconfigs: ['machineConfigPoolSelector'],
  containerruntimeconfigs: ['machineConfigPoolSelector'],
  // A public key and the name that it is for.
  certificatesigningrequests: ['signerName', 'username', 'request'],
  replicasets: ['replicas'],
  statefulsets: ['replicas'],
  deployments: ['replicas'],
  persistentvolumeclaims: ['accessModes', 'storageClassName', 'volumeName', 'volumeMode'],
};

/** Parts outside spec and status that some kinds have. */
const parts: Readonly<Record<string, readonly string[]>> = {
  events: [
    'involvedObject',
    'reason',
    'message',
    'type',
    'count',
    'firstTimestamp',
    'lastTimestamp',
    'eventTime',
    'series',
    'source',
    'reportingComponent',
  ],
  endpointslices: ['addressType', 'endpoints', 'ports'],
  validatingwebhookconfigurations: ['webhooks'],
  mutatingwebhookconfigurations: ['webhooks'],
};

/** Annotations that an explanation reads or quotes. Others may contain anything: `kubectl apply` stores whole objects
 *  in one. */
const annotations =
  /^(?:machineconfiguration\.openshift\.io\/|poolkeeper\.dev\/|argocd\.argoproj\.io\/|machine\.openshift\.io\/|meta\.helm\.sh\/|kubernetes\.io\/config\.(?:mirror|source)$)/;

/** Kinds whose whole status is read, without the parts that are no state or far too large. Of other kinds a few fields
 *  are kept. */
const wholeStatus: Readonly<Record<string, { readonly without: readonly string[] }>> = {
  machineconfigpools: { without: [] },
  machineconfignodes: { without: [] },
  nodes: { without: ['images', 'volumesAttached', 'volumesInUse', 'config'] },
  pods: { without: [] },
  poddisruptionbudgets: { without: [] },
};
const wordsOfStatus = [
  'conditions',
  'observedGeneration',
  'phase',
  'replicas',
  'readyReplicas',
  'availableReplicas',
  'desiredNumberScheduled',
  'numberReady',
  'nodeRef',
  'errorReason',
  'errorMessage',
  'lastUpdated',
];
/** Further ones of some kinds: versions and images of releases; a certificate, which is as public as its request. */
const moreOfStatus: Readonly<Record<string, readonly string[]>> = {
  clusterversions: ['desired', 'history'],
  clusteroperators: ['versions'],
  certificatesigningrequests: ['certificate'],
};

const Fields = z.record(z.string(), z.unknown());
const Items = z.looseObject({ items: z.array(z.unknown()) });

/** A body that may be shared: limited to what an explanation reads, without secrets. */
export function forSharing(path: string, body: unknown): unknown {
  const resource = resourcePath(path);
  const kind = resource?.collection.split('/').at(-1) ?? '';
  const list = resource?.name === undefined ? Items.safeParse(body).data : undefined;
  return list === undefined
    ? object(kind, body)
    : { ...pick(list, ['kind', 'apiVersion', 'metadata']), items: list.items.map((item) => object(kind, item)) };
}

function object(kind: string, body: unknown): unknown {
  const fields = Fields.safeParse(body).data;
  if (fields === undefined) return undefined;
  const { metadata, spec, status } = fields;
  return redacted({
    ...pick(fields, ['apiVersion', 'kind']),
    ...(metadata === undefined ? {} : { metadata: metadataOf(kind, metadata) }),
    ...(spec === undefined ? {} : specOf(kind, spec)),
    ...(status === undefined ? {} : { status: statusOf(kind, status) }),
    ...pick(fields, parts[kind] ?? []),
  });
}

function specOf(kind: string, spec: unknown): { readonly spec?: unknown } {
  if (kind === 'machinesets') return { spec: ofMachineSet(spec) };
  const kept = specs[kind];
  const fields = Fields.safeParse(spec).data;
  if (kept === undefined || fields === undefined) return {};
  if (kept === 'all') return { spec: fields };
  return { spec: { ...pick(fields, kept), ...(kind === 'pods' ? insideOfPod(fields) : {}) } };
}

const Containers = z.array(Fields).catch([]);

/** Of a container its name and requests; of a volume its name and kind. */
function insideOfPod(spec: z.infer<typeof Fields>): Readonly<Record<string, unknown>> {
  return {
    containers: Containers.parse(spec['containers']).map((each) => pick(each, ['name', 'resources', 'ports'])),
    volumes: Containers.parse(spec['volumes']).map((each) => pick(each, ['name', 'emptyDir', 'persistentVolumeClaim'])),
  };
}

const MachineSetSpec = z.object({
  replicas: z.unknown(),
  template: z.object({
    spec: z.object({ metadata: z.object({ labels: z.unknown() }).optional(), taints: z.unknown() }),
  }),
});

/** Replicas, and labels and taints of its nodes; never the provider spec. */
function ofMachineSet(spec: unknown): unknown {
  return MachineSetSpec.safeParse(spec).data;
}

function metadataOf(kind: string, metadata: unknown): unknown {
  const fields = Fields.safeParse(metadata).data ?? {};
  const said = Fields.safeParse(fields['annotations']).data ?? {};
  return {
    ...fields,
    ...('annotations' in fields
      ? {
          annotations: {
            ...Object.fromEntries(Object.entries(said).filter(([key]) => annotations.test(key))),
            ...(kind === 'machineconfigpools' && isAppliedPause(said[lastApplied]) ? appliedPause : {}),
          },
        }
      : {}),
    ...('managedFields' in fields ? { managedFields: writers(fields['managedFields']) } : {}),
  };
}

/** Of all that was applied to a pool: that it is paused, which says whose pause it is. */
const appliedPause = { [lastApplied]: JSON.stringify({ spec: { paused: true } }) };

/** Field managers, without those that write every few seconds. */
function writers(entries: unknown): unknown {
  return Array.isArray(entries)
    ? entries.filter((entry) => Fields.safeParse(entry).data?.['subresource'] !== 'status')
    : entries;
}

function pick(fields: Readonly<Record<string, unknown>>, keys: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => keys.includes(key)));
}

function statusOf(kind: string, status: unknown): unknown {
  const fields = Fields.safeParse(status).data ?? {};
  const whole = wholeStatus[kind];
  return whole === undefined
    ? pick(fields, [...wordsOfStatus, ...(moreOfStatus[kind] ?? [])])
    : pick(
        fields,
        Object.keys(fields).filter((key) => !whole.without.includes(key)),
      );
}

/** Credentials are removed from every text of every object; certificates are no secrets, but no evidence either. What a
 *  container said at its end is the end of its log, with `terminationMessagePolicy: FallbackToLogsOnError`. */
export function redacted(value: unknown): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map(redacted);
  const fields = Fields.safeParse(value).data;
  if (fields === undefined) return value;
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, inner]) => {
      if (key === 'caBundle') return [];
      return [[key, redacted(key === 'terminated' ? withoutMessage(inner) : inner)]];
    }),
  );
}

function withoutMessage(terminated: unknown): unknown {
  const { message: _log, ...fields } = Fields.safeParse(terminated).data ?? {};
  return fields;
}
