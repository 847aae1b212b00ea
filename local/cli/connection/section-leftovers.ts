import * as z from 'zod';
import type { KubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { unpacked } from '../../../functions/adapters/kubernetes/packed-text.ts';
import { isUnserved } from '../../../functions/adapters/kubernetes/refusal.ts';
import { isOver, parseRunRecord, type RunRecord } from '../../../functions/core/node-turns/run-record.ts';
import { runLabel } from '../../../functions/core/node-turns/turn-job.ts';
import { managedByLabel, sequenceLabel } from '../../../functions/core/sequences/own-object.ts';
import { objectsIn, parseSequenceRecord, type SequenceRecord } from '../../../functions/core/sequences/record.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { asWord, clipped, listed } from '../../../functions/core/text/phrases.ts';
import { unique } from '../../../functions/core/text/unique.ts';
import type { KubeObject } from '../../manifests/kube-object.ts';
import { divided, type Shares } from './whose.ts';

/** What sections of the configuration (`sequences`, `runs`) have left on a cluster. */
export interface SectionLeftovers {
  /** Jobs and records. */
  readonly objects: readonly KubeObject[];
  /** Lines about what stays: a sequence takes its objects back when it is aborted. */
  readonly stays: readonly string[];
  /** Lines about Jobs and records that may be another installation's. */
  readonly undecided: readonly string[];
}

const Named = z.object({
  metadata: z.object({ name: z.string(), namespace: z.string().optional() }),
  data: z.object({ record: z.string() }).optional().catch(undefined),
  /** Of a Job. Source: Kubernetes' batch/v1, JobStatus. */
  status: z
    .object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })).nullish() })
    .optional()
    .catch(undefined),
});
type Named = z.infer<typeof Named>;

/** Reads what is left. Of Jobs and records, those in namespaces in which this installation alone has rights go: the
 *  names of sequences and runs do not tell two installations apart. Throws Transient.
 *  @param cluster what this one is called: its windows go with its AppProjects */
export async function sectionLeftovers(
  client: Pick<KubeClient, 'list'>,
  shares: Shares,
  cluster = '',
): Promise<SectionLeftovers> {
  const unread: string[] = [];
  const found = (path: string, labels: string) => listedBy(client, { path, labels, unread });
  const ofSequences = `${labelsOf(managedByLabel)},${sequenceLabel}`;
  const ofRuns = `${labelsOf(managedByLabel)},${runLabel}`;
  const whoseAre = (kind: string, all: readonly Named[]) =>
    divided(all, {
      whoseIs: ({ metadata }) => shares.inNamespace(metadata.namespace ?? '', ['sequences', 'runs']),
      said: ({ metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`,
      shares,
    });
  const jobs = whoseAre(
    'Job',
    (await found('/apis/batch/v1/jobs', ofSequences)).filter(({ metadata }) =>
      metadata.name.startsWith('poolkeeper-check-'),
    ),
  );
  // By whatever names its rules have given them.
  const turnJobs = whoseAre('Job', await found('/apis/batch/v1/jobs', ofRuns));
  const [records, runs] = await Promise.all(
    [
      { labels: ofSequences, prefix: recordPrefix },
      { labels: ofRuns, prefix: runPrefix },
    ].map(async ({ labels, prefix }) =>
      whoseAre(
        'ConfigMap',
        (await found('/api/v1/configmaps', labels)).filter(({ metadata }) => metadata.name.startsWith(prefix)),
      ),
    ),
  );
  const all = [jobs, turnJobs, records, runs];
  return {
    objects: [
      ...[...jobs.ours, ...turnJobs.ours.filter(isFinished)].map(({ metadata }) => ({
        ...{ apiVersion: 'batch/v1', kind: 'Job' },
        metadata: placeOf(metadata),
      })),
      ...[...(records?.ours ?? []), ...(runs?.ours ?? [])].map(({ metadata }) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: placeOf(metadata),
      })),
    ],
    stays: [
      ...new Set(unread),
      ...(records?.ours ?? []).flatMap(objectsOf),
      ...(records?.ours ?? []).flatMap((record) => windowsOf(record, cluster)),
      ...(runs?.ours ?? []).flatMap(openTurnsOf),
      ...runningText(turnJobs.ours.filter((job) => !isFinished(job))),
      ...all.flatMap((each) => each?.theirs ?? []),
    ],
    undecided: all.flatMap((each) => each?.stays ?? []),
  };
}

const recordPrefix = 'poolkeeper-sequence-';
const runPrefix = 'poolkeeper-run-';

function labelsOf(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

interface Look {
  readonly path: string;
  readonly labels: string;
  /** What could not be looked at, in words. */
  readonly unread: string[];
}

/** A kind that is not served has no objects. Who may not list one can disconnect all the same, and is told. */
async function listedBy(client: Pick<KubeClient, 'list'>, { path, labels, unread }: Look): Promise<readonly Named[]> {
  try {
    return z.array(Named).parse(await client.list(path, { query: { labelSelector: labels }, pageSize: 100 }));
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    if (cause.kind === 'forbidden') unread.push(`what sequences and runs have left there stays: ${cause.message}`);
    else if (!isUnserved(cause)) throw cause;
    return [];
  }
}

function placeOf({ name, namespace }: Named['metadata']): KubeObject['metadata'] {
  return namespace === undefined ? { name } : { name, namespace };
}

/** Objects of one sequence that are named. */
const namedAtMost = 20;

/** By their names only: whoever may write a ConfigMap could name anything in it. */
function objectsOf({ metadata: { name }, data }: Named): readonly string[] {
  const sequence = `sequence ${name.slice(recordPrefix.length)}`;
  const record = recordIn(data?.record ?? '');
  if (record === 'unreadable') return [`${sequence}: its record cannot be understood; what it applied stays`];
  if (record === undefined || record.done !== undefined || record.cleanedAt !== undefined) return [];
  const made = [...objectsIn(record.items), ...(record.former ?? [])];
  const stays = (what: string) => `${sequence} was neither done nor aborted: ${what} stays`;
  const more = made.length - namedAtMost;
  return [
    ...made
      .slice(0, namedAtMost)
      .map(({ path, cluster }) => stays(`${clipped(path, 300)} of cluster ${asWord(clipped(cluster, 63))}`)),
    ...(more > 0 ? [stays(`${more} more of what it applied`)] : []),
    ...(record.paused === undefined
      ? []
      : [`${sequence}: ${asWord(record.paused.who)} has paused it, which is forgotten with its record`]),
  ];
}

/** Windows of one sequence on other clusters, which only its record names. */
function windowsOf({ metadata: { name }, data }: Named, own: string): readonly string[] {
  const record = recordIn(data?.record ?? '');
  if (record === 'unreadable' || record?.held === undefined) return [];
  const elsewhere = Object.values(record.held).filter(({ cluster }) => cluster !== own);
  const places = unique(
    elsewhere.map(
      ({ cluster, namespace, project }) =>
        `${asWord(clipped(`${namespace}/${project}`, 300))} of cluster ${asWord(clipped(cluster, 63))}`,
    ),
  );
  if (places.length === 0) return [];
  return [
    `sequence ${name.slice(recordPrefix.length)} holds back Applications by windows in AppProject ${listed(places, namedAtMost)}: Poolkeeper takes them away half an hour after this cluster is taken out of poolkeeper.yaml, disconnect from there does at once`,
  ];
}

/** Nodes in their turn, whose clean-ups nobody runs any more. */
function openTurnsOf({ metadata: { name }, data }: Named): readonly string[] {
  const run = `run ${name.slice(runPrefix.length)}`;
  const record = runRecordIn(data?.record ?? '');
  if (record === 'unreadable')
    return [`${run}: its record cannot be understood; nodes in their turn stay without their clean-ups`];
  const open = Object.entries(record.turns).filter(([, turn]) => !isOver(turn));
  if (open.length === 0) return [];
  const nodes = open.map(([node]) => clipped(node, 253));
  const [is, its] = open.length === 1 ? ['is', 'its'] : ['are', 'their'];
  return [
    `${run}: ${listed(nodes, namedAtMost)} ${is} in ${its} turn, and ${its} clean-ups do not run: abort a run before`,
  ];
}

function isFinished({ status }: Named): boolean {
  return (
    status?.conditions?.some(({ type, status: is }) => ['Complete', 'Failed'].includes(type) && is === 'True') === true
  );
}

/** What is halfway through on a node is not cut off. */
function runningText(jobs: readonly Named[]): readonly string[] {
  if (jobs.length === 0) return [];
  const names = jobs.map(({ metadata: { name, namespace } }) => clipped(`${namespace}/${name}`, 253));
  const [what, goes] =
    jobs.length === 1
      ? ['Job', 'has not ended, and stays until a day after it has']
      : ['Jobs', 'have not ended, and stay until a day after they have'];
  return [`${what} of runs, ${listed(names, namedAtMost)}: ${goes}`];
}

function runRecordIn(stored: string): RunRecord | 'unreadable' {
  try {
    return parseRunRecord(stored === '' ? '' : unpacked(stored));
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    return 'unreadable';
  }
}

/** Undefined: nothing is kept in it. */
function recordIn(stored: string): SequenceRecord | 'unreadable' | undefined {
  if (stored === '') return undefined;
  try {
    return parseSequenceRecord(unpacked(stored));
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    return 'unreadable';
  }
}
