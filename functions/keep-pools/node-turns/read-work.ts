import type { WorkSeen } from '../../core/node-turns/judge-turn.ts';
import { ruleEvent } from '../../core/node-turns/rule-call.ts';
import { judgeInvocation } from '../../core/node-turns/rule-invocation.ts';
import {
  formerRule,
  jobPlaceOf,
  type PlannedRule,
  type RunPlan,
  ruleWorkedOn,
} from '../../core/node-turns/run-plan.ts';
import { isOver, type RunRecord, type Turn } from '../../core/node-turns/run-record.ts';
import { isTurnJob, type TurnJobId, turnJobName } from '../../core/node-turns/turn-job.ts';
import { jobState } from '../../core/openshift/job.ts';
import { clipped, quoted } from '../../core/text/phrases.ts';
import type { ClusterPorts, KeepPorts } from '../keep-ports.ts';
import { readJobPods, readLogEnd } from '../read/read-job-pods.ts';
import { readGate } from '../sequences/read-gate.ts';
import type { SequencePorts } from '../sequences/sequence-ports.ts';
import { type CallPorts, callRule, heardOf } from './call-rule.ts';

/** What a turn works on. */
interface TurnWork {
  readonly plan: RunPlan;
  readonly node: string;
  readonly turn: Turn;
}

interface Work extends TurnWork {
  /** The run was aborted. */
  readonly isAborted: boolean;
}

type WorkPorts = SequencePorts & CallPorts & Pick<KeepPorts, 'ruleFunctions'>;

/** How what each turn works on stands, by node: one read each, and the log of what has ended. */
export async function readWork(
  plan: RunPlan,
  record: RunRecord,
  cluster: ClusterPorts,
  ports: WorkPorts,
): Promise<ReadonlyMap<string, WorkSeen>> {
  const isAborted = record.aborted !== undefined;
  const active = Object.entries(record.turns).filter(([, turn]) => !isOver(turn));
  const seen = await Promise.all(
    active.map(async ([node, turn]) => [node, await readOne({ plan, node, turn, isAborted }, cluster, ports)] as const),
  );
  return new Map(seen);
}

async function readOne(work: Work, cluster: ClusterPorts, ports: WorkPorts): Promise<WorkSeen> {
  const { plan, turn } = work;
  const part = turn.step === 'after' ? 'after' : 'before';
  const rule = ruleWorkedOn(plan, turn);
  if (rule === undefined || (turn.step !== 'before' && turn.step !== 'after')) return { kind: 'absent' };
  // Neither told nor looked at again: its Job may have reached the end of its time to live. A gate may close again.
  if (turn.succeeded === true && rule.rule.type !== 'gate') return { kind: 'complete', said: '' };
  const seen = await readAsked(work, rule, jobIdOf(work, rule, part), { cluster, ports });
  const refused = part === 'after' ? formerRule(plan, rule.id)?.refused : undefined;
  // It may run already.
  const isThere = seen.kind !== 'absent' && seen.kind !== 'unseen';
  return refused === undefined || isThere ? seen : { kind: 'refused', why: refused };
}

async function readAsked(
  work: Work,
  rule: PlannedRule,
  id: TurnJobId,
  { cluster, ports }: { readonly cluster: ClusterPorts; readonly ports: WorkPorts },
): Promise<WorkSeen> {
  switch (rule.rule.type) {
    case 'kubernetes':
      return readJob(rule, id, cluster);
    case 'gate':
      return readRuleGate(work, rule, cluster, ports);
    case 'http':
    case 'lambda':
      return tellOrHear(work, rule, id, ports);
    default:
      return rule.rule.type satisfies never;
  }
}

async function tellOrHear(work: Work, rule: PlannedRule, id: TurnJobId, ports: WorkPorts): Promise<WorkSeen> {
  if (!mayTell(work, rule)) return heardOf(work, rule, id, ports);
  if (isAtRest(work.turn, ports)) return { kind: 'running' };
  return rule.rule.type === 'http' ? callRule(work, rule, id, ports) : invokeRule(work, rule, id, ports);
}

/** Nothing is begun for a turn that ends, nor of a rule that was taken out: whoever was not told before is not told any
 *  more. Its clean-up comes all the same, because a pass may have told it and died before that was stored. */
function mayTell({ plan, turn, isAborted }: Work, { id }: PlannedRule): boolean {
  const isEnding = isAborted || turn.skip !== undefined || formerRule(plan, id) !== undefined;
  return turn.step === 'after' || turn.seen === true || !isEnding;
}

/** To look at it is to do it once more: not after it has failed for good, and not before its next try is due. */
function isAtRest({ failed, retryAt }: Turn, { clock }: Pick<WorkPorts, 'clock'>): boolean {
  return failed !== undefined || (retryAt !== undefined && Date.parse(retryAt) > clock().getTime());
}

async function invokeRule(
  { plan, turn }: Work,
  { rule: { lambda } }: PlannedRule,
  id: TurnJobId,
  { ruleFunctions }: WorkPorts,
): Promise<WorkSeen> {
  const name = id.part === 'before' ? lambda?.functionName : lambda?.cleanUpFunctionName;
  if (lambda === undefined || name === undefined) return { kind: 'refused', why: 'it invokes nothing' };
  if (ruleFunctions === undefined)
    return {
      kind: 'refused',
      why: 'rules of type lambda need Poolkeeper on AWS: on one machine it has no role that may invoke a function',
    };
  const event = ruleEvent(id, { cluster: plan.run.cluster, pool: turn.pool, targetConfig: turn.target });
  return judgeInvocation(await ruleFunctions.invoke(name, lambda.timeoutSeconds, event));
}

/** Which Job a turn works on. */
export function jobIdOf({ plan, node, turn }: TurnWork, rule: PlannedRule, part: 'before' | 'after'): TurnJobId {
  return { run: plan.name, round: turn.round, node, rule: rule.id, part, attempt: turn.attempt };
}

async function readJob(rule: PlannedRule, id: TurnJobId, { reader }: ClusterPorts): Promise<WorkSeen> {
  const { jobName, jobNamespace } = jobPlaceOf(rule);
  const name = turnJobName(jobName, id);
  const path = `/apis/batch/v1/namespaces/${encodeURIComponent(jobNamespace)}/jobs/${encodeURIComponent(name)}`;
  const found = await reader.read({ path, query: {} });
  if (found.kind === 'failed') return { kind: 'unseen', why: found.why, isRefused: found.isForbidden };
  if (found.kind === 'absent') return { kind: 'absent' };
  if (!isTurnJob(found.body, id))
    return { kind: 'refused', why: `Job ${jobNamespace}/${name} is there, and the run did not make it` };
  const state = jobState(found.body);
  const { log, tail, exitCode } = await outputOf(jobNamespace, name, reader);
  if (state.kind === 'running') return { kind: 'running', note: state.note, tail };
  if (state.kind === 'complete') return { kind: 'complete', said: log };
  const how = [exitCode === undefined ? '' : `exit code ${exitCode}`, state.reason, state.message].filter(Boolean);
  return { kind: 'failed', why: [`Job ${jobNamespace}/${name}`, ...how, log].filter(Boolean).join(': ') };
}

/** Lines of a log that are kept with the run. */
const logLines = 5;
/** Lines of a Job that runs that are shown. */
const tailLines = 3;

async function outputOf(
  namespace: string,
  job: string,
  reader: ClusterPorts['reader'],
): Promise<{ readonly log: string; readonly tail: readonly string[]; readonly exitCode: number | undefined }> {
  const pod = (await readJobPods(namespace, job, reader)).at(-1);
  if (pod === undefined) return { log: '', tail: [], exitCode: undefined };
  const log = await readLogEnd(namespace, pod.name, { reader, lines: logLines });
  return { log: quoted(log, 300), tail: tailOf(log), exitCode: pod.exitCode };
}

/** Its last lines. */
function tailOf(log: string): readonly string[] {
  return log
    .split('\n')
    .flatMap((line) => (line.trim() === '' ? [] : [clipped(line, 200)]))
    .slice(-tailLines);
}

async function readRuleGate(
  { plan, turn }: Work,
  { id, rule }: PlannedRule,
  cluster: ClusterPorts,
  ports: SequencePorts,
): Promise<WorkSeen> {
  if (rule.gate === undefined) return { kind: 'refused', why: 'it waits for nothing' };
  const { timeoutSeconds, intervalSeconds, onTimeout } = rule.gate;
  const gate = {
    id: `${id}/${turn.round}`,
    of: id,
    cluster: plan.run.cluster,
    wave: undefined,
    isBefore: true,
    anyOf: [rule.gate],
    timing: { timeoutSeconds, intervalSeconds, onTimeout },
  };
  const look = {
    gate,
    sequence: plan.name,
    namespace: plan.run.namespace,
    wasOpen: false,
    runs: undefined,
    attempt: 1,
    mayRun: false,
  };
  const reading = await readGate(look, cluster, ports);
  switch (reading.kind) {
    case 'healthy':
      return { kind: 'complete', said: reading.value };
    case 'unhealthy':
      return { kind: 'running', note: reading.value };
    case 'unseen':
      return { kind: 'unseen', why: reading.value };
    case 'refused':
      // It is asked again at each look: whoever owns what it asks for may have mended that.
      return { kind: 'unseen', why: reading.value, isRefused: true };
    default:
      return reading.kind satisfies never;
  }
}
