import { counted } from '../text/phrases.ts';
import { openPool } from './open-pool.ts';
import type { RunPlan } from './run-plan.ts';
import type { RunJudgement, RunQuestion } from './run-question.ts';
import { hasGivenWay, isOver, type RunCondition, type Turn } from './run-record.ts';

type Said = Omit<RunCondition, 'at'>;

/** The conditions of the reference, by their names and reasons, as they are now: none of them stays from an earlier
 *  look. `at` moves when status, reason or message do. */
export function conditionsOf(
  plan: RunPlan,
  judged: RunJudgement,
  { pools, nodes, now, record: before }: RunQuestion,
): readonly RunCondition[] {
  const known = new Map((before.conditions ?? []).map((each) => [each.type, each]));
  return saidOf(plan, judged, { pools, nodes }).map((said) => {
    const was = known.get(said.type);
    const isSame = was?.status === said.status && was.reason === said.reason && was.message === said.message;
    return { ...said, at: isSame ? was.at : now.toISOString() };
  });
}

interface Looked {
  readonly plan: RunPlan;
  readonly judged: RunJudgement;
  readonly pools: RunQuestion['pools'];
  readonly nodes: RunQuestion['nodes'];
  /** Nodes are left that are not at the target of their pool. */
  readonly isLeft: boolean;
}

function saidOf(plan: RunPlan, judged: RunJudgement, seen: Pick<RunQuestion, 'pools' | 'nodes'>): readonly Said[] {
  const { problems, total, done } = judged;
  const looked = { plan, judged, ...seen, isLeft: done < total };
  const refused = problems.find(({ kind }) => kind === 'refused');
  return [
    said(
      'ConfigValidated',
      refused === undefined,
      ['FetchSucceeded', 'FetchFailed'],
      refused?.why ?? 'Rules, targets and pools were found.',
    ),
    said('UpgradeChecked', true, ['CheckSucceeded', 'CheckFailed'], 'Nodes and pools were read.'),
    said(
      'UpgradeAvailable',
      looked.isLeft,
      ['UpgradeAvailable', 'UpgradeUnavailable'],
      `${done} of ${total} nodes are at the target of their pool.`,
    ),
    ready(looked),
    paused(looked),
    applied(looked),
    said('MCPUpdated', true, ['UpdateSucceeded', 'UpdateFailed'], selectorsText(plan)),
    jobRun(looked),
    nodeUpgrade(looked),
  ];
}

function ready({ judged: { next }, isLeft }: Looked): Said {
  const isReady = isLeft && next.why === undefined;
  const message = next.waiting.length === 0 ? 'No node waits for its turn.' : 'A node may begin.';
  return said('UpgradeReady', isReady, ['UpgradeReady', 'UpgradeNotReady'], next.why ?? message);
}

function paused({ pools, isLeft }: Looked): Said {
  const open = pools.find((pool) => !pool.isPaused);
  const isPaused = pools.length > 0 && open === undefined;
  const unpaused = isLeft ? whyOpen(open) : 'No target pool is paused by this run any more: nothing is left to do.';
  const message = isPaused ? 'All target Machine Config Pools are paused.' : unpaused;
  return said('TargetPoolsPaused', isPaused, ['Paused', 'NotPaused'], message);
}

function whyOpen(pool: RunQuestion['pools'][number] | undefined): string {
  return pool === undefined ? 'There is no target pool.' : `Pool ${pool.name}: ${pool.closed ?? 'it is not paused'}.`;
}

/** A pool that rolls takes its nodes without rules. */
function applied({ plan, judged: { record }, pools, nodes, isLeft }: Looked): Said {
  const reasons = ['ApplySucceeded', 'ApplyFailed'] as const;
  const is = (isTrue: boolean, message: string) => said('MutexRulesApplied', isTrue, reasons, message);
  if (!isLeft) return is(false, 'No node is left to which rules would apply.');
  if (record.aborted !== undefined)
    return is(false, 'The run was aborted: nodes that are left are taken without rules.');
  const open = openPool(pools, nodes);
  if (open !== undefined) return is(false, whyOpen(open));
  const some = plan.rules.filter(({ rule }) => Object.keys(rule.nodeSelector).length > 0).length;
  const which = some === 0 ? '' : `, ${some} of them only for nodes with certain labels`;
  return is(true, `${counted(plan.rules.length, 'rule')} for each node${which}.`);
}

/** As the reference: of the node that had its turn last. Neither true nor false while its Jobs run. */
function jobRun({ judged }: Looked): Said {
  const { problems, record, waits, done, total } = judged;
  const reasons = ['JobRunSucceeded', 'JobRunFailed'] as const;
  const problem = problems.find(({ kind }) => kind === 'job');
  if (problem !== undefined) return said('JobRun', false, reasons, problem.why);
  const turns = Object.entries(record.turns);
  const active = turns.find(([, turn]) => isAtJobs(turn));
  const place = `Node is ${Math.min(done + 1, total)} of ${total}`;
  if (active !== undefined)
    return unknown('JobRun', 'JobRunning', `Jobs for ${active[0]}: ${waits.get(active[0]) ?? 'under way'}. ${place}`);
  const [last, turn] = turns.toSorted(([, a], [, b]) => (a.since < b.since ? 1 : -1))[0] ?? [];
  if (turn === undefined) return unknown('JobRun', 'JobNotRun', 'No Job has run.');
  if (hasGivenWay(turn)) return unknown('JobRun', 'JobNotRun', `Node ${last} has another turn: ${turn.skip ?? ''}`);
  if (turn.step === 'skipped') return said('JobRun', false, reasons, `Node ${last} was not taken: ${turn.skip ?? ''}`);
  return said(
    'JobRun',
    true,
    reasons,
    `Jobs for ${last} have run successfully. Node is ${Math.min(done + (isOver(turn) ? 0 : 1), total)} of ${total}`,
  );
}

function isAtJobs({ step, cleaned }: Turn): boolean {
  return step === 'before' || (step === 'after' && cleaned.length > 0);
}

function nodeUpgrade({ judged, isLeft }: Looked): Said {
  const { problems, record, waits, done, total } = judged;
  const reasons = ['NodeUpgradeSucceeded', 'NodeUpgradeFailed'] as const;
  const problem = problems.find(({ kind }) => kind === 'node');
  if (problem !== undefined) return said('NodeUpgrade', false, reasons, `Node ${problem.node}: ${problem.why}`);
  const gone = Object.entries(record.turns).find(([, { step }]) => step === 'gone');
  const sum = `${done} of ${total} nodes are done.`;
  if (gone !== undefined)
    return unknown('NodeUpgrade', 'NodeUpgrading', `Node ${gone[0]}: ${waits.get(gone[0]) ?? 'on its way'}. ${sum}`);
  const isNone = total === 0 || (isLeft && done === 0);
  return isNone ? unknown('NodeUpgrade', 'NodeNotUpgraded', sum) : said('NodeUpgrade', true, reasons, sum);
}

function selectorsText({ run }: RunPlan): string {
  return run.canary === undefined
    ? 'No selector of a pool is changed in mode turns.'
    : `Nodes move to pool ${run.canary.name}; labels and selectors are put back before the run ends.`;
}

function said(type: string, isTrue: boolean, [yes, no]: readonly [string, string], message: string): Said {
  return { type, status: isTrue ? 'True' : 'False', reason: isTrue ? yes : no, message: message.slice(0, 900) };
}

/** What is under way, or was never begun, is neither a success nor a failure. */
function unknown(type: string, reason: string, message: string): Said {
  return { type, status: 'Unknown', reason, message: message.slice(0, 900) };
}
