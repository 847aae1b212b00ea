import { setTimeout } from 'node:timers/promises';
import type { ClusterSettings } from '../../../functions/core/configuration/cluster.ts';
import { type RunPlan, runsOf } from '../../../functions/core/node-turns/run-plan.ts';
import {
  hasGivenWay,
  mayRetry,
  type RunRecord,
  type RunRequest,
  runRecordText,
  withRunRequest,
} from '../../../functions/core/node-turns/run-record.ts';
import { type RunView, runView } from '../../../functions/core/node-turns/run-view.ts';
import { steeredText, whyNotSteered } from '../../../functions/core/requests/steered-run.ts';
import { Misconfigured, Transient } from '../../../functions/core/text/errors.ts';
import { hasRecord, loadRunRecord } from '../../../functions/keep-pools/node-turns/load-run-record.ts';
import { failedWrite } from '../change-in-doubt.ts';
import type { ExitStatus, Surroundings } from '../command.ts';
import { readConfigurationFile } from '../configured-clusters.ts';
import { inForm, type OutputForm } from '../output.ts';
import { askDecider, type PickedCluster } from '../pick-cluster.ts';
import { noRecord, noRecordYet, pickClusterOf } from '../pick-cluster-of.ts';
import { runText } from './run-text.ts';

interface Asked {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly config: string;
  /** The name of the run, and for `retry` and `skip` of the node. */
  readonly words: readonly string[];
}

type Connection = PickedCluster['connection'];

/** Milliseconds between two looks of `--watch`. */
const watchMs = 5_000;

/** Prints the run as its record and the cluster have it. Throws Misconfigured and Transient. */
export async function showRun(
  { words, output, watch, ...values }: Asked & { readonly output: OutputForm; readonly watch: boolean },
  surroundings: Surroundings,
): Promise<ExitStatus> {
  const { plan, clusters } = await planNamed(words, values.config);
  const { connection, doubt } = await pickClusterOf({ cluster: plan.run.cluster, clusters }, values, surroundings);
  const { wait = setTimeout } = surroundings;
  try {
    if (doubt !== undefined && !(await load(plan, connection)).isKept)
      surroundings.note(noRecord(`Run ${plan.name}`, doubt));
    for (let before = ''; ; await wait(watchMs)) {
      const view = await viewOf(plan, connection, surroundings.now());
      const text = await inForm(output, { data: view, text: () => runText(view, surroundings.now()) });
      // Ages change with every look; what people look for does not.
      if (withoutAges(text) !== before) surroundings.out(before === '' ? text : `\n${text}`);
      before = withoutAges(text);
      if (!watch || view.state === 'idle' || view.state === 'aborted') return view.state === 'idle' ? 0 : 1;
    }
  } finally {
    await connection.close();
  }
}

/** Where lines are broken may change with an age, too. */
function withoutAges(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ for \d+ [a-z]+(?: \d+ min)?| About \d+ [a-z]+(?: \d+ min)? left/g, '');
}

async function viewOf(plan: RunPlan, connection: Connection, now: Date): Promise<RunView> {
  const [{ record }, pools, nodes] = await Promise.all([
    load(plan, connection),
    connection.pools.listPools(),
    connection.nodeTurns.nodes.listReadyNodes(),
  ]);
  const unread = pools.unreadable.map(({ name }) => name);
  return runView({ plan, record, pools: pools.items, unread, nodes: nodes.items, now });
}

/** Requests it for the run; what came of it is returned. Throws Misconfigured and Transient. */
export async function steerRun(
  {
    words,
    kind,
    why,
    ...values
  }: Asked & { readonly kind: 'start' | 'pause' | 'go-on' | 'abort'; readonly why: string },
  surroundings: Surroundings,
): Promise<string> {
  const named = await planNamed(words, values.config);
  let text = '';
  await ask({ ...named, values }, surroundings, (said, record) => {
    const { name } = named.plan;
    const refused = whyNotSteered(kind, record);
    if (refused !== undefined) throw new Misconfigured([`run ${name}: ${refused}`]);
    text = steeredText(name, kind, record);
    return { kind, said: { ...said, why } };
  });
  return text;
}

/** Requests it for a node. Throws Misconfigured and Transient. */
export async function steerNode(
  { words, kind, why, ...values }: Asked & { readonly kind: 'retry' | 'skip'; readonly why: string },
  surroundings: Surroundings,
): Promise<{ readonly name: string; readonly node: string }> {
  const [written, node, ...more] = words;
  const { plan, clusters } = await planNamed([written, ...more], values.config);
  if (node === undefined) throw new Misconfigured([`name a node of run ${plan.name} behind it`]);
  await ask({ plan, clusters, values }, surroundings, (said, record) => {
    const refused = whyNot(kind, { node, at: said.at }, record);
    if (refused !== undefined) throw new Misconfigured([`node ${node}: ${refused}`]);
    return { kind, node, said: { ...said, why } };
  });
  return { name: plan.name, node };
}

/** Why the request would change nothing; undefined: it would. */
function whyNot(
  kind: 'retry' | 'skip',
  { node, at }: { readonly node: string; readonly at: string },
  { turns }: RunRecord,
): string | undefined {
  const turn = Object.hasOwn(turns, node) ? turns[node] : undefined;
  if (turn === undefined) return 'its turn has not begun; the label of the run holds a node before its turn';
  if (turn.step === 'done') return 'its turn is over';
  if (kind === 'retry') return mayRetry(turn, at) ? undefined : 'nothing has failed for it';
  if (turn.step === 'skipped') return hasGivenWay(turn) ? undefined : 'it was skipped already';
  return turn.step === 'gone' || turn.step === 'cordon' ? 'it was let go, and is on its way' : undefined;
}

/** Lost races before giving up; Poolkeeper writes a record a few times a minute at most. */
const attempts = 5;

interface NamedPlan {
  readonly plan: RunPlan;
  /** Those of poolkeeper.yaml. */
  readonly clusters: readonly ClusterSettings[];
}

async function planNamed(words: readonly (string | undefined)[], config: string): Promise<NamedPlan> {
  const { nodeTurns, clusters } = await readConfigurationFile(config);
  const plans = clusters.flatMap((cluster) => runsOf(nodeTurns, cluster.name));
  const [name, ...more] = words;
  const plan = plans.find((each) => each.name === name);
  if (plan !== undefined && more.length === 0) return { plan, clusters };
  const known = plans.map((each) => each.name).join(', ');
  throw new Misconfigured([`name one run of ${config}, which has ${known === '' ? 'none' : known}`]);
}

interface Loaded {
  readonly record: RunRecord;
  readonly resourceVersion: string | undefined;
  /** There is one. */
  readonly isKept: boolean;
  /** Pools are held, and there is no record: Poolkeeper is about to write one. */
  readonly isMissed: boolean;
  /** The namespace where runs kept theirs before, and it still is: Poolkeeper has not looked by this file. Undefined:
   *  it is where this file has it. */
  readonly place: string | undefined;
}

async function load(plan: RunPlan, { nodeTurns, pools }: Connection): Promise<Loaded> {
  const loaded = await loadRunRecord(plan, (await pools.listPools()).items, nodeTurns.records);
  const { record, stored } = loaded;
  if (record === 'unreadable') throw new Misconfigured(['the record of the run cannot be understood']);
  const isMissed = loaded.missedSince !== undefined;
  return { record, resourceVersion: stored?.resourceVersion, isKept: hasRecord(stored), isMissed, place: loaded.place };
}

/** Why nothing can be asked of the run yet; undefined: it can. Written where this file has its record, what people say
 *  would count as soon as the file is deployed, which may be days later. */
function tooEarly({ name, recordNamespace }: RunPlan, { isMissed, place }: Loaded): string | undefined {
  if (isMissed) return `run ${name} has no record, though it holds its pools: ask again when Poolkeeper has looked`;
  if (place === undefined) return undefined;
  const where = `run ${name} still goes by its record in namespace ${place}, and this file has it in ${recordNamespace}`;
  return `${where}: name the file that has it there with --config, or ask again when Poolkeeper has looked by this one`;
}

/** For people: it had no record where this was written. */
function noteOf({ name, recordNamespace }: RunPlan, doubt: string | undefined): string {
  return doubt === undefined ? noRecordYet(`run ${name}`, recordNamespace) : noRecord(`Run ${name}`, doubt);
}

/** Writes the request into the record, which Poolkeeper may be writing too. Throws ChangeInDoubt if it may be
 *  written. */
async function ask(
  { plan, clusters, values }: NamedPlan & { readonly values: Parameters<typeof pickClusterOf>[1] },
  surroundings: Surroundings,
  request: (said: { readonly who: string; readonly at: string }, record: RunRecord) => RunRequest,
): Promise<void> {
  const { connection, doubt } = await pickClusterOf({ cluster: plan.run.cluster, clusters }, values, surroundings);
  try {
    const { who, now } = await askDecider(connection, surroundings);
    const said = { who, at: now().toISOString() };
    for (let attempt = 1; ; attempt += 1) {
      const loaded = await load(plan, connection);
      const { record, resourceVersion, isKept } = loaded;
      const early = tooEarly(plan, loaded);
      if (early !== undefined) throw new Misconfigured([early]);
      const text = runRecordText(withRunRequest(record, request(said, record)));
      try {
        await connection.nodeTurns.records.save(plan.recordNamespace, plan.name, { text, resourceVersion });
        if (!isKept) surroundings.note(noteOf(plan, doubt));
        return;
      } catch (cause) {
        if (!(cause instanceof Transient) || cause.kind !== 'conflict' || attempt === attempts)
          throw failedWrite(`run ${plan.name}`, cause);
        await setTimeout(50);
      }
    }
  } finally {
    await connection.close();
  }
}
