import { Sequence } from '../../../functions/core/configuration/sequence.ts';
import { judgeSequence } from '../../../functions/core/sequences/judge-sequence.ts';
import { planOf } from '../../../functions/core/sequences/plan.ts';
import { emptySequenceRecord, type SequenceRecord } from '../../../functions/core/sequences/record.ts';
import type { ItemReading } from '../../../functions/core/sequences/sequence-question.ts';
import { sequenceView } from '../../../functions/core/sequences/sequence-view.ts';
import { type ShownSequence, shownSequence } from '../../../functions/core/sequences/shown-sequence.ts';

type Data = Readonly<Record<string, unknown>>;

/** What a look found, by the id of the item. */
export interface Look {
  readonly at: Date;
  readonly found: Readonly<Record<string, readonly [ItemReading['kind'], string]>>;
}

export interface Played {
  readonly name: string;
  readonly configuration: Data;
  readonly looks: readonly Look[];
  /** What somebody asked for before the last look. */
  readonly asked?: (record: SequenceRecord) => SequenceRecord;
}

/** A sequence as the page shows it after these looks, each of which tells what it found and keeps its record. */
export function played({ name, configuration, looks, asked = (record) => record }: Played): ShownSequence {
  const sequence = Sequence.parse(configuration);
  const plan = planOf(name, sequence);
  const question = { plan, rules: sequence, waitsForSequences: [], fingerprint: 'one' };
  let record = emptySequenceRecord;
  let problems: ReturnType<typeof judgeSequence>['problems'] = [];
  for (const [index, { at, found }] of looks.entries()) {
    if (index === looks.length - 1) record = asked(record);
    const readings = new Map(
      Object.entries(found).map(([id, [kind, value]]): readonly [string, ItemReading] => [id, { kind, value }]),
    );
    const judged = judgeSequence({ ...question, record, readings, now: at });
    ({ record, problems } = judged);
  }
  const now = looks.at(-1)?.at ?? new Date(0);
  const view = sequenceView({ ...question, record, readings: new Map(), now });
  const { description, clusters } = sequence;
  return shownSequence(view, { description, cluster: clusters[0] ?? '', problems, now });
}

export const storageClass = 'ocs-storagecluster-ceph-rbd';

/** The reference's own case: storage with a gate on its class, then virtualization. */
export const virtualization: Data = {
  description: 'Storage first, then OpenShift Virtualization',
  clusters: ['prod-eu-1'],
  steps: {
    workers: { kind: 'pool', name: 'worker', wave: 0 },
    storage: {
      kind: 'subscription',
      name: 'odf-operator',
      namespace: 'openshift-storage',
      wave: 5,
      waitFor: { all: [{ resourceType: 'sc', resourceName: storageClass }, { preset: 'storage-cluster-ready' }] },
    },
    logging: { kind: 'application', name: 'logging', wave: 5 },
    virtualization: {
      kind: 'subscription',
      name: 'kubevirt-hyperconverged',
      namespace: 'openshift-cnv',
      wave: 10,
    },
    machines: { kind: 'application', name: 'virtual-machines', wave: 15 },
  },
};

/** Waves 5 and above after the first has ended: `ago` gives an instant so many seconds before the page. */
export function waitingForClass(ago: (seconds: number) => string): ShownSequence {
  const at = (seconds: number) => new Date(ago(seconds));
  const begun = {
    'workers@prod-eu-1': ['healthy', 'updated'],
    'storage@prod-eu-1': ['healthy', 'odf-operator.v4.17.2 has succeeded'],
    'logging@prod-eu-1': ['healthy', 'Synced and Healthy'],
    'storage@prod-eu-1/all/0': ['unhealthy', `sc ${storageClass} is not there`],
    'storage@prod-eu-1/all/1': ['unhealthy', 'ocs-storagecluster: status.phase is Progressing'],
  } as const;
  return played({
    name: 'virtualization',
    configuration: virtualization,
    looks: [
      { at: at(1460), found: { 'workers@prod-eu-1': ['healthy', 'updated'] } },
      { at: at(1400), found: { ...begun, 'storage@prod-eu-1': ['unhealthy', 'OLM has not resolved it yet'] } },
      { at: at(800), found: begun },
      { at: at(20), found: begun },
    ],
  });
}

/** A class that is deleted after virtualization began. */
export function classIsGone(ago: (seconds: number) => string): ShownSequence {
  const at = (seconds: number) => new Date(ago(seconds));
  const clusters = ['test', 'prod-eu-1', 'prod-us-1'];
  const steps = {
    operator: { kind: 'subscription', name: 'odf-operator', namespace: 'openshift-storage', wave: -1 },
    storage: {
      kind: 'check',
      wave: 0,
      waitFor: { resourceType: 'sc', resourceName: storageClass, timeoutSeconds: 3600 },
    },
    database: { kind: 'application', name: 'database-{cluster}', wave: 5 },
  };
  const found = (value: Look['found'], on = clusters): Look['found'] =>
    Object.fromEntries(
      on.flatMap((cluster) => Object.entries(value).map(([id, each]) => [id.replace('@', `@${cluster}`), each])),
    );
  const below = found({ 'operator@': ['healthy', 'odf-operator.v4.17.2 has succeeded'], 'storage@': ['healthy', ''] });
  const open = found({ 'storage@/waitFor': ['healthy', `${storageClass} is there`] });
  const database = found({ 'database@': ['unhealthy', 'Synced, Progressing'] });
  return played({
    name: 'databases',
    configuration: { description: 'Databases on storage', clusters, canary: ['test'], atOnce: 1, steps },
    looks: [
      { at: at(9000), found: below },
      { at: at(8900), found: { ...below, ...open } },
      { at: at(8800), found: { ...below, ...open, ...database } },
      {
        at: at(300),
        found: {
          ...below,
          ...open,
          ...database,
          'storage@prod-eu-1/waitFor': ['unhealthy', `sc ${storageClass} is not there`],
          'operator@prod-us-1': ['unseen', 'connect ETIMEDOUT to the API server'],
        },
      },
      {
        at: at(30),
        found: {
          ...below,
          ...open,
          ...database,
          'storage@prod-eu-1/waitFor': ['unhealthy', `sc ${storageClass} is not there`],
          'operator@prod-us-1': ['unseen', 'connect ETIMEDOUT to the API server'],
        },
      },
    ],
  });
}

/** Nothing is left to do. */
export function allDone(ago: (seconds: number) => string): ShownSequence {
  return played({
    name: 'monitoring',
    configuration: {
      clusters: ['test'],
      steps: {
        operator: { kind: 'subscription', name: 'cluster-observability-operator', wave: 0 },
        dashboards: { kind: 'application', name: 'dashboards', wave: 1 },
      },
    },
    looks: [
      { at: new Date(ago(90_000)), found: { 'operator@test': ['healthy', 'v1.2.0 has succeeded'] } },
      {
        at: new Date(ago(120)),
        found: {
          'operator@test': ['healthy', 'v1.2.0 has succeeded'],
          'dashboards@test': ['healthy', 'Synced and Healthy'],
        },
      },
    ],
  });
}
