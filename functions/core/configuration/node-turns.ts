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
import { SequenceGate } from './sequence.ts';
import { TurnHttp } from './turn-http.ts';
import { TurnJobs } from './turn-jobs.ts';
import { TurnLambda } from './turn-lambda.ts';
import { checkRule, checkRun } from './turn-problems.ts';

/** Rules and targets of all runs together: every pass over a cluster with a run reads them. */
export const turnPartsAtMost = 500;

/** Rules and targets are called as in the reference: by name, and by namespace where two have one name. */
function partName() {
  return matching(
    /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\/)?[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/,
    'must be a Kubernetes name, or a namespace and a name with a slash between them',
  );
}

function labelKey() {
  return matching(
    /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?$/,
    'must be the key of a label',
  );
}

const labels = z.record(
  labelKey(),
  matching(/^(?:[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?)?$/, 'must be the value of a label, in quotes'),
  { error: 'must be a mapping of labels to their values' },
);

function manifestPart() {
  return z.record(z.string(), z.unknown(), { error: 'must be the spec of a Job, as batch/v1 has it' });
}

/** What is done for a node before it goes, or after it is back: the names of the reference's MutexRule, and more. */
export const TurnRule = mapping({
  type: oneOf('kubernetes', 'gate', 'http', 'lambda')
    .default('kubernetes')
    .describe(
      'kubernetes: a Job is run. gate: something is waited for. http: somebody is told, and must agree. lambda: a Lambda function of AWS is invoked, and must agree.',
    ),
  namespace: objectName()
    .optional()
    .describe('The namespace that it is called by, and that stands in its label. Without it, that of the run.'),
  jobName: objectName().optional().describe('How the names of its Jobs begin. Without it, as the rule.'),
  jobNamespace: objectName().optional().describe('Where its Jobs run. Without it, in the namespace of the rule.'),
  jobSpec: manifestPart().optional().describe('The spec of the Job that runs before the node may go, as batch/v1.'),
  cleanUpJobSpec: manifestPart()
    .optional()
    .describe('The spec of the Job that runs after the node is back, as batch/v1. Without it, none.'),
  fromCluster: yesOrNo(
    'Its Jobs are those of the MutexRule of its name and namespace on the cluster of the run, read at each look. Whoever may write that object has these Jobs run.',
    false,
  ),
  gate: SequenceGate.optional().describe(
    'With type gate: what is waited for, with the keys of waitFor of a sequence, but for those of the waiting: timeout and onFailure of the rule count.',
  ),
  http: TurnHttp.optional().describe('With type http: who is told.'),
  lambda: TurnLambda.optional().describe('With type lambda: what is invoked. Only where Poolkeeper runs on AWS.'),
  timeoutSeconds: seconds(10, 168 * hour)
    .default(hour)
    .describe('How long one attempt may take.'),
  retries: count(0, 20).default(0).describe('How often it is tried again after it failed.'),
  backOffSeconds: seconds(0, 24 * hour)
    .default(minute)
    .describe('How long to wait before it is tried again.'),
  onFailure: oneOf('stop', 'skip', 'ignore')
    .default('stop')
    .describe(
      'When it failed and is not tried again. stop: the run is blocked. skip: this node is left as it is, and the next one has its turn. ignore: the turn goes on.',
    ),
  cordonsNode: yesOrNo(
    'Its Job cordons the node: the run takes it nevertheless. Otherwise whoever cordons a node in its turn keeps it.',
    false,
  ),
  onTargetNode: yesOrNo('Its Jobs run on the node itself. Otherwise never there.', false),
  nodeSelector: labels.default({}).describe('Only for nodes with all of these labels.'),
}).superRefine(checkRule);
export type TurnRule = Values<typeof TurnRule>;

/** The names of the reference's MutexTarget. */
const TurnTarget = mapping({
  namespace: objectName().optional().describe('The namespace that it is called by. Without it, that of the run.'),
  machineConfigPools: listOf(objectName(), 'must be a list of names of pools')
    .min(1, { error: 'must be a list of at least one pool' })
    .max(100, { error: 'must be a list of at most 100 pools' })
    .describe('Its pools. Their nodes have turns in the order of this list.'),
});

const Reference = mapping({
  name: objectName().describe('Its name.'),
  namespace: objectName().optional().describe('Its namespace. Without it, that of the run.'),
});

/** Nodes have turns: jobs before, the update, jobs after. The names of the reference's MutexRunConfig, and more. */
export const TurnRun = mapping({
  cluster: name().describe('The cluster of its pools.'),
  namespace: objectName()
    .default('poolkeeper')
    .describe('The namespace of rules and targets that name none, and of gates.'),
  mode: oneOf('turns', 'canary').describe(
    'How one node is let go. turns: its pool stays paused, and its desiredConfig is set. canary: it moves to the pool canary.name by a label. There is no default.',
  ),
  canary: mapping({
    name: objectName().describe('With mode canary: the pool that a node moves to for its update.'),
    exclude: yesOrNo(
      'The canary takes nodes that have no label of a rule, as in the reference. Otherwise nodes that have its own label.',
      false,
    ),
    label: labelKey()
      .default('isCanary')
      .describe(
        'The label that the canary asks for, and the only one that a node gets; without exclude. Another one that it asks for is refused.',
      ),
  })
    .optional()
    .describe('The pool that nodes move to in mode canary.'),
  mutexRules: listOf(Reference, 'must be a list of rules')
    .max(50, { error: 'must be a list of at most 50 rules' })
    .default([])
    .describe('Its rules. Their Jobs run in the order of this list.'),
  mutexTargets: listOf(Reference, 'must be a list of targets')
    .min(1, { error: 'must be a list of at least one target' })
    .max(50, { error: 'must be a list of at most 50 targets' })
    .describe('Its targets. The nodes of the first have their turns first.'),
  skipTLSVerify: z
    .literal(false, { error: 'must be false; clusters[].api.skipTLSVerify says so for the cluster' })
    .default(false)
    .describe('As in the reference. Only false is allowed.'),
  disabled: yesOrNo('It is left out: its pools are not held, and roll without it.', false),
  atOnce: count(1, 100).default(1).describe('So many nodes have their turn at once.'),
  perZone: count(1, 100).optional().describe('At most so many of them in one zone. Without it: any number.'),
  unavailableAtMost: count(1, 1000)
    .optional()
    .describe(
      'No turn begins while so many nodes of its pools are unavailable: not ready, cordoned, or not done. Without it, as atOnce.',
    ),
  order: listOf(objectName(), 'must be a list of names of nodes')
    .max(2000, { error: 'must be a list of at most 2000 nodes' })
    .default([])
    .describe('These nodes first, in this order.'),
  priorityLabel: labelKey()
    .default('poolkeeper.dev/turn-priority')
    .describe('A label of nodes with a whole number: higher ones go first.'),
  holdLabel: labelKey()
    .default('poolkeeper.dev/hold')
    .describe('A node with this label is left alone until the label is gone.'),
  canaryNodes: listOf(objectName(), 'must be a list of names of nodes')
    .max(100, { error: 'must be a list of at most 100 nodes' })
    .default([])
    .describe('These nodes go before all others, which wait until they are done and soak is over.'),
  soakSeconds: seconds(0, 168 * hour)
    .default(0)
    .describe('With canaryNodes: how long they must have been done and well before others begin.'),
  /** As the reference: 100 tries of 60 s. */
  nodeTimeoutSeconds: seconds(minute, 168 * hour)
    .default(100 * minute)
    .describe('How long a node may take from when it is let go until it is back.'),
  onMovedTarget: oneOf('follow', 'stop')
    .default('follow')
    .describe(
      'When a pool is rendered anew during the run. follow: the nodes that had their turn have another. stop: the run is blocked.',
    ),
  tellProgress: yesOrNo(
    'Every alert target is told how far the run is, by one message of severity info that is edited with each node.',
    false,
  ),
  cordoned: oneOf('hold', 'take')
    .default('hold')
    .describe(
      'A node that somebody cordoned. hold: it is left alone until it is schedulable. take: it has its turn, and is cordoned again after it.',
    ),
  gates: listOf(SequenceGate, 'must be a list of gates')
    .max(20, { error: 'must be a list of at most 20 gates' })
    .default([])
    .describe('What must be open before each node begins, with the keys of waitFor of a sequence.'),
  triedOn: listOf(
    matching(/^\d{1,2}\.\d{1,3}$/, 'must be a release in quotes, like "4.18"'),
    'must be a list of releases',
  )
    .default([])
    .describe(
      'With mode turns: releases of OpenShift, like "4.18", that you tried it on, besides those it is known of.',
    ),
}).superRefine(checkRun);
export type TurnRun = Values<typeof TurnRun>;

const parts = <Part extends z.ZodType>(part: Part, what: string) =>
  z.record(partName(), part, { error: `must be a mapping of names to ${what}` }).default({});

export const NodeTurns = mapping({
  files: listOf(
    z.string({ error: 'must be the path of a file' }).min(1, { error: 'must be the path of a file' }),
    'must be a list of files',
  )
    .default([])
    .describe('Files with MutexRule, MutexTarget and MutexRunConfig of the reference, relative to this file.'),
  recordNamespace: objectName()
    .default('poolkeeper')
    .describe(
      'The namespace of each cluster that the records of its runs are kept in: whoever may write ConfigMaps there steers runs, and may let nodes go without their Jobs.',
    ),
  jobs: TurnJobs.optional().describe('What the Jobs of rules may do.'),
  rules: parts(TurnRule, 'rules').describe('What is done for a node, by name.'),
  targets: parts(TurnTarget, 'targets').describe('Pools whose nodes have turns, by name.'),
  runs: z
    .record(name(), TurnRun, { error: 'must be a mapping of names to runs' })
    .default({})
    .describe('Which rules for which targets, by name.'),
})
  .optional()
  .describe('One node at a time: jobs before, the update, jobs after.');
export type NodeTurns = Values<typeof NodeTurns>;
