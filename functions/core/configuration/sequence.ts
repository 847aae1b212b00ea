import * as z from 'zod';
import {
  count,
  hour,
  listOf,
  mapping,
  matching,
  minute,
  name,
  objectName,
  oneOf,
  seconds,
  type Values,
  yesOrNo,
} from './fields.ts';
import { checkGate, checkWaitFor } from './gate-problems.ts';
import { Ticket } from './ticket.ts';

/** Steps of all sequences together. A pass judges every step, and the record of a sequence must fit an object of the
 *  API server (1 MiB for a ConfigMap). */
export const stepsAtMost = 10_000;

/** Waves as Argo CD reads them, within what anybody writes. */
function wave() {
  return count(-100_000, 100_000);
}

function wholeText(what: string, most: number) {
  const must = `must be ${what}, of 1 to ${most} characters`;
  return z.string({ error: must }).min(1, { error: must }).max(most, { error: must });
}

const value = wholeText('text, in quotes', 200);

/** What a gate is asked about: `sc`, `StorageClass`, `storageclusters.ocs.openshift.io`. */
const resourceType = matching(
  /^[A-Za-z][A-Za-z0-9]{0,62}(?:\.[a-z0-9-]{1,63}){0,8}$/,
  'must be a kind of the API server as oc knows it: sc, storageclass, storageclusters.ocs.openshift.io',
);

const image = matching(
  /^[\w.-]{1,253}(?::\d{1,5})?(?:\/[\w.-]{1,128}){1,8}(?::[\w.-]{1,128})?(?:@sha256:[0-9a-f]{64})?$/,
  'must be an image, like registry.example.com/team/check@sha256:...',
);

/** What is waited for usually, in the words of those who wait. */
const presetNames = [
  'bound',
  'ready',
  'available',
  'csv-succeeded',
  'storage-cluster-ready',
  'default-storage-class',
  'default-virtualization-class',
  'webhook-endpoints',
] as const;

const Condition = mapping({
  type: matching(/^[A-Za-z][\w./-]{0,315}$/, 'must be the type of a condition, like Available').describe(
    'The type of the condition.',
  ),
  status: oneOf('True', 'False', 'Unknown').default('True').describe('The status that it must have, in quotes.'),
  reason: value.optional().describe('The reason that it must have.'),
});

/** Objects that one gate counts: so many are read. */
const countedAtMost = 5_000;

const Count = mapping({
  atLeast: count(0, countedAtMost).default(1).describe('So many must be there at least.'),
  atMost: count(0, countedAtMost).optional().describe('So many may be there at most.'),
});

const Version = mapping({
  path: fieldPath().default('status.version').describe('Where the version stands: keys and indexes with dots.'),
  atLeast: matching(
    /^v?\d{1,9}(?:\.\d{1,9}){0,3}(?:[-+][\w.+-]{1,100})?$/,
    'must be a version in quotes, like "4.17.2"',
  ).describe('The version that it must have at least, in quotes.'),
});

function fieldPath() {
  return matching(
    /^[\w\\/-][\w\\./-]{0,300}$/,
    'must be the place of a value in the object, like status.phase or status.conditions.0.status',
  );
}

const gateShape = {
  resourceType: resourceType.optional().describe('The kind that is waited for, by any name that oc takes.'),
  resourceName: wholeText('the name of an object', 253)
    .regex(/^[A-Za-z0-9](?:[\w.:-]*[A-Za-z0-9])?$/, { error: 'must be the name of an object' })
    .optional()
    .describe('The name of the object. Without it, at least one of the kind.'),
  resourceNamespace: objectName()
    .optional()
    .describe(
      'Its namespace. Without it: cluster-scoped, or any namespace for a kind that has namespaces. Of a Job, the namespace that it runs in.',
    ),
  selector: z
    .record(z.string(), z.string({ error: 'must be the text of a label' }), {
      error: 'must be a mapping of labels to their values',
    })
    .optional()
    .describe('Instead of resourceName: objects that have all of these labels.'),
  condition: Condition.optional().describe('A condition that each object must have.'),
  path: fieldPath().optional().describe('Where a value stands in each object, as status.phase.'),
  equals: value.optional().describe('With path: the value there.'),
  oneOf: listOf(value, 'must be a list of values').default([]).describe('With path: the values of which one is there.'),
  cel: wholeText('an expression in CEL', 2_000)
    .optional()
    .describe('An expression in CEL that must be true of each object, which is called `object`.'),
  count: Count.optional().describe('How many objects must fulfil the rest. Without it: at least one.'),
  version: Version.optional().describe('The version that each object must have at least.'),
  health: oneOf('Healthy', 'Progressing', 'Suspended', 'Degraded', 'Missing')
    .optional()
    .describe('For resourceType application: the health that Argo CD reports.'),
  preset: oneOf(...presetNames)
    .optional()
    .describe('What many wait for, by a name.'),
  image: image
    .optional()
    .describe(
      'Instead of resourceType: the image of a Job whose exit status decides. Beside it: the image of the hook that `poolkeeper sequence render` prints.',
    ),
  command: listOf(z.string({ error: 'must be a list of texts' }).max(8_000), 'must be a list of texts')
    .max(100, { error: 'must be a list of at most 100 texts' })
    .optional()
    .describe('With image: the command of the Job and its arguments.'),
  serviceAccount: objectName()
    .optional()
    .describe('With image: the service account of the Job. Without it, `default`.'),
  http: Ticket.optional().describe('Instead of resourceType: an address that must answer, as the ticket of a pool.'),
  syncWave: wave()
    .optional()
    .describe('The wave that it closes: higher ones wait for it. Without it, that of its step.'),
  hookType: oneOf('PreSync', 'Sync', 'PostSync', 'SyncFail')
    .default('Sync')
    .describe(
      'PreSync: it is waited for before its step begins. Sync, PostSync: after it. SyncFail gates nothing. The phase of the hook that `poolkeeper sequence render` prints.',
    ),
  disabled: yesOrNo('It is left out.', false),
  timeoutSeconds: seconds(minute, 168 * hour)
    .default(4 * hour)
    .describe('How long it may stay closed before onTimeout applies.'),
  intervalSeconds: seconds(minute, hour).default(minute).describe('How often it is asked while it is waited for.'),
  onTimeout: oneOf('wait', 'alert', 'proceed', 'abort')
    .default('alert')
    .describe(
      'wait: it goes on waiting. alert: so it does, and an alert is sent. proceed: it no longer counts. abort: the sequence ends; a run lets its pools go, without Jobs.',
    ),
};

/** One thing that is waited for. Every key of `sequenceJob` of the clusterGroup chart is one of its keys. */
export const SequenceGate = mapping(gateShape).superRefine(checkGate);
export type SequenceGate = Values<typeof SequenceGate>;

const Gates = listOf(SequenceGate, 'must be a list of gates')
  .max(100, { error: 'must be a list of at most 100 gates' })
  .optional();

/** One gate, or many. */
export const WaitFor = mapping({
  ...gateShape,
  all: Gates.describe('All of these must be open.'),
  any: Gates.describe('One of these must be open.'),
}).superRefine(checkWaitFor);
export type WaitFor = Values<typeof WaitFor>;

const stepShape = {
  wave: wave()
    .optional()
    .describe(
      'Steps of a higher wave begin when all of lower ones are healthy; equal ones begin together. Without it: the annotation argocd.argoproj.io/sync-wave of the object, or 0; a pool is of wave 0.',
    ),
  clusters: listOf(name(), 'must be a list of cluster names')
    .default([])
    .describe('The clusters that it is taken on. Empty: those of the sequence.'),
  disabled: yesOrNo('It is left out.', false),
  waitFor: WaitFor.optional().describe('What must be there before the step counts as healthy.'),
};

export const SequenceStep = z.discriminatedUnion(
  'kind',
  [
    mapping({
      kind: z.literal('application'),
      name: matching(
        /^[a-z0-9{](?:[a-z0-9.{}-]{0,251}[a-z0-9}])?$/,
        'must be the name of an Application; {cluster} may stand in it',
      )
        .refine((text) => /^[a-z0-9.-]+$/.test(text.replaceAll('{cluster}', 'x')), {
          error: 'must be the name of an Application; {cluster} may stand in it',
        })
        .describe('Name of the Application. {cluster} stands for the name of each cluster.'),
      argocd: name().optional().describe('Its Argo CD instance. May be left out where there is only one.'),
      namespace: objectName().default('openshift-gitops').describe('Its namespace.'),
      project: objectName()
        .optional()
        .describe(
          'Its AppProject, in which it is held back before it is there. Once it is, the one that it says counts.',
        ),
      ...stepShape,
    }),
    mapping({
      kind: z.literal('subscription'),
      name: objectName().describe('Name of the Subscription, or of the ClusterExtension.'),
      namespace: objectName().default('openshift-operators').describe('Its namespace.'),
      csv: objectName()
        .optional()
        .describe('The ClusterServiceVersion that must be installed, as `odf-operator.v4.17.2`.'),
      olm: oneOf('v0', 'v1').default('v0').describe('v0: a Subscription. v1: a ClusterExtension.'),
      ...stepShape,
    }),
    mapping({
      kind: z.literal('pool'),
      name: objectName().describe('Name of the MachineConfigPool.'),
      ...stepShape,
    }),
    mapping({
      kind: z.literal('object'),
      object: name().describe('Its key in extraObjects.'),
      ...stepShape,
    }),
    mapping({ kind: z.literal('check'), ...stepShape }),
  ],
  {
    error: ({ code }) =>
      code === 'invalid_union'
        ? 'must be one of application, subscription, pool, object, check'
        : 'must be a mapping of keys to values',
  },
);
export type SequenceStep = Values<typeof SequenceStep>;

/** One order over steps, which may be on several clusters. */
export const Sequence = mapping({
  description: wholeText('text', 200).optional().describe('What it is for; shown on the status page.'),
  disabled: yesOrNo('It is left out: it orders and holds back nothing.', false),
  clusters: listOf(name(), 'must be a list of cluster names')
    .min(1, { error: 'must be a list of at least one cluster' })
    .describe('The clusters of its steps. The first one keeps its record.'),
  namespace: objectName()
    .default('poolkeeper')
    .describe('The namespace on its first cluster that its record is kept in, and in which its Jobs run.'),
  canary: listOf(name(), 'must be a list of cluster names')
    .default([])
    .describe('In each wave, the steps on these clusters begin first; the others when they are healthy.'),
  atOnce: count(1, 10_000).optional().describe('In each wave, at most so many clusters at once. Without it: all.'),
  after: listOf(name(), 'must be a list of names of sequences')
    .default([])
    .describe('Sequences that must be done before it begins.'),
  extraObjects: z
    .record(name(), z.record(z.string(), z.unknown(), { error: 'must be a manifest' }), {
      error: 'must be a mapping of names to manifests',
    })
    .default({})
    .describe('Manifests that steps of kind object apply. With `disabled: true` one is left out.'),
  onAbort: oneOf('restore', 'keep')
    .default('restore')
    .describe(
      'What happens to the objects that it applied when it is aborted. restore: they are deleted. keep: they stay.',
    ),
  steps: z
    .record(name(), SequenceStep, { error: 'must be a mapping of names to steps' })
    .describe('Its steps, by name.'),
});
export type Sequence = Values<typeof Sequence>;

export const Sequences = z
  .record(name(), Sequence, { error: 'must be a mapping of names to sequences' })
  .optional()
  .describe('Orders over Applications, operators, pools and objects.');
export type Sequences = Values<typeof Sequences>;
