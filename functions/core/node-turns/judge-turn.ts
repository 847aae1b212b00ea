import { isFailing, isInFlight } from '../openshift/node.ts';
import { given } from '../text/given.ts';
import { isPast, latest, plusSeconds } from '../text/instant.ts';
import { ageText, clipped, quoted } from '../text/phrases.ts';
import { turnIsOver } from './run-pace.ts';
import {
  cordonsNode,
  formerRule,
  jobPlaceOf,
  type PlannedRule,
  type RunPlan,
  ruleNamed,
  rulesFor,
  ruleWorkedOn,
} from './run-plan.ts';
import { givesWayText, graceSeconds, mayRetry, type RunLogEntry, type Turn, unseenSeconds } from './run-record.ts';
import { isAt, isBack, rests, type TurnNode, whyStays } from './turn-node.ts';

/** How the Job (or the gate) that a turn works on stands. */
export type WorkSeen =
  | { readonly kind: 'absent' }
  /** `note`: why it is not getting on. */
  | {
      readonly kind: 'running';
      readonly note?: string | undefined;
      /** The end of its log so far, without credentials; absent: not read. */
      readonly tail?: readonly string[] | undefined;
    }
  /** `said`: the end of its log. */
  | { readonly kind: 'complete'; readonly said: string }
  | { readonly kind: 'failed'; readonly why: string }
  /** It could not be read: nothing is known. `isRefused`: for want of a right, which may come back; people are told at
   *  once. */
  | { readonly kind: 'unseen'; readonly why: string; readonly isRefused?: boolean | undefined }
  /** It can never run like that: its spec is not allowed, or somebody else made its Job. */
  | { readonly kind: 'refused'; readonly why: string };

/** One thing that is done for a turn, once the record with its reason is stored. */
export type TurnAction =
  /** The Job of the rule that the turn works on. */
  | {
      readonly kind: 'create-job';
      readonly node: string;
      readonly turn: Turn;
      readonly rule: PlannedRule;
      readonly part: 'before' | 'after';
    }
  /** `desiredConfig` of the node becomes the target of its turn. */
  | { readonly kind: 'let-go'; readonly node: string; readonly turn: Turn }
  | { readonly kind: 'cordon-again'; readonly node: string };

/** Why a turn does not go on by itself. */
export interface TurnProblem {
  readonly kind: 'job' | 'node' | 'unseen' | 'gate';
  readonly node: string;
  readonly since: string;
  readonly why: string;
  /** `retry` gives up what nobody can look at. */
  readonly mayRetry?: true | undefined;
}

export interface TurnQuestion {
  readonly plan: RunPlan;
  readonly name: string;
  readonly turn: Turn;
  /** Undefined: it has left the cluster. */
  readonly node: TurnNode | undefined;
  readonly seen: WorkSeen;
  /** The rendered config of its pool now; undefined: the pool is gone. */
  readonly poolTarget: string | undefined;
  /** Why the node may not be let go now; undefined: it may. */
  readonly closed: string | undefined;
  /** What keeps it is, among others, a window of its pool; undefined: not known. */
  readonly isOutsideWindow?: boolean | undefined;
  /** The run was aborted. */
  readonly isAborted: boolean;
  /** When, if it was. */
  readonly abortedAt?: string | undefined;
  /** Who goes first, as in `nodes of pool infra`, and whom it gives way to, as long as its node has not gone;
   *  undefined: nobody. */
  readonly givesWayTo?: string | undefined;
  readonly now: Date;
}

export interface TurnJudgement {
  readonly turn: Turn;
  readonly actions: readonly TurnAction[];
  readonly problems: readonly TurnProblem[];
  readonly log: readonly RunLogEntry[];
  /** What it waits for, in words. */
  readonly waits: string;
}

/** The next step of one node's turn. Pure; of a turn whose actions were carried out it decides nothing more. */
export function judgeTurn(asked: TurnQuestion): TurnJudgement {
  const turn = asMade(notAhead(asked), asked.seen);
  const { unseenSince: _, ...known } = turn;
  const question = { ...asked, turn: asked.seen.kind === 'unseen' ? turn : known };
  switch (question.turn.step) {
    case 'before':
      return before(question);
    case 'gone':
      return gone(question);
    case 'cordon':
      return cordon(question);
    case 'after':
      return after(question);
    case 'done':
    case 'skipped':
      return stays(question, 'it is over');
    default:
      return question.turn.step satisfies never;
  }
}

/** A Job that was not made is made by what the rule says now. */
function asMade(turn: Turn, seen: WorkSeen): Turn {
  const { job: _, ...unmade } = turn;
  return seen.kind === 'absent' && turn.seen !== true ? unmade : turn;
}

/** The turn without times that only a clock which ran ahead can have written: it would stand still, and be late for
 *  nothing, for as long as that clock was wrong. */
function notAhead(question: TurnQuestion): Turn {
  const { turn, now } = question;
  const { retryAt, unseenSince, notReadySince } = turn;
  const since = earlier(turn.since, now.toISOString());
  const rule = workedOn(question);
  const nextTry = plusSeconds(now, rule?.rule.backOffSeconds ?? 0);
  return {
    ...turn,
    since,
    ...(unseenSince === undefined ? {} : { unseenSince: earlier(unseenSince, now.toISOString()) }),
    ...(notReadySince === undefined ? {} : { notReadySince: earlier(notReadySince, now.toISOString()) }),
    ...(retryAt === undefined ? {} : { retryAt: earlier(retryAt, nextTry) }),
  };
}

function earlier(instant: string, other: string): string {
  return Date.parse(instant) > Date.parse(other) ? other : instant;
}

function stays({ turn }: TurnQuestion, waits: string, more: Partial<TurnJudgement> = {}): TurnJudgement {
  return { turn, actions: [], problems: [], log: [], waits, ...more };
}

/** The question about the turn as it is a step later. */
function next(question: TurnQuestion, change: Partial<Turn>, seen: WorkSeen = { kind: 'absent' }): TurnQuestion {
  const {
    seen: _,
    retryAt: __,
    failed: ___,
    pass: ____,
    unseenSince: _____,
    succeeded: ______,
    stays: _______,
    staysFor: ________,
    notReadySince: _________,
    job: __________,
    outsideWindow: ___________,
    ...turn
  } = question.turn;
  return { ...question, seen, turn: { ...turn, since: question.now.toISOString(), attempt: 1, ...change } };
}

function logged(judgement: TurnJudgement, { name, now }: TurnQuestion, what: string): TurnJudgement {
  return { ...judgement, log: [{ at: now.toISOString(), node: name, what }, ...judgement.log] };
}

/** Why a turn ends without its update: the node belongs to another pool now, which takes it somewhere else. */
function whyElsewhere({ turn, node, plan }: TurnQuestion): string | undefined {
  if (node !== undefined && !plan.pools.includes(turn.pool))
    return `pool ${turn.pool} is no target of the run any more`;
  if (node === undefined || node.pool === turn.pool) return undefined;
  return node.pool === undefined ? `it is in pool ${turn.pool} no longer` : `it is in pool ${node.pool} now`;
}

function before(asked: TurnQuestion): TurnJudgement {
  const elsewhere = whyElsewhere(asked);
  const isLeaving = elsewhere !== undefined && asked.turn.skip === undefined;
  const question = isLeaving ? { ...asked, turn: { ...asked.turn, skip: elsewhere } } : asked;
  const { turn, node, isAborted } = question;
  const waiting = whileJobRuns(question);
  if (waiting !== undefined) return waiting;
  if (node === undefined) return logged(after(next(question, { step: 'after', skip: nodeGone })), question, nodeGone);
  if (turn.skip !== undefined)
    return logged(after(next(question, { step: 'after' })), question, `skipped: ${turn.skip}`);
  if (isAborted)
    return logged(after(next(question, { step: 'after', skip: runAborted })), question, `its turn ends: ${runAborted}`);
  if (turn.failed !== undefined) return stays(question, turn.failed, { problems: [jobProblem(question, turn.failed)] });
  if (question.givesWayTo !== undefined) return gaveWay(question, question.givesWayTo);
  const rule = workedOn(question);
  const isBegun = rule !== undefined && (turn.job !== undefined || hasPart(rule, 'before'));
  if (!isBegun || isTakenOut(question)) return nextRule(question);
  return work(question, rule, 'before', nextRule);
}

/** What it works on is not wanted any more, and is waited for all the same. Undefined: it is wanted, or does not
 *  run. */
function whileJobRuns(question: TurnQuestion): TurnJudgement | undefined {
  const { turn, node, isAborted, seen } = question;
  const givesWay = question.givesWayTo !== undefined && turn.failed === undefined;
  const isEnding = turn.skip !== undefined || isAborted || givesWay || node === undefined;
  const isUnwanted = isEnding || (isTakenOut(question) && turn.failed === undefined);
  if (!isUnwanted || !mayJobRun(question)) return undefined;
  const isFirst = seen.kind === 'running' && turn.seen !== true;
  const known = isFirst ? { ...turn, seen: true as const, since: question.now.toISOString() } : turn;
  const waits = `its turn ${isEnding ? 'ends' : 'goes on'} when the Job that runs has ended`;
  return stays(question, waits, { turn: known });
}

/** The rule that it works on is none of the run any more. */
function isTakenOut({ plan, turn }: TurnQuestion): boolean {
  return formerRule(plan, turn.ran.at(-1)) !== undefined;
}

/** What its Jobs have done is cleaned up, and done again in its next turn. */
function gaveWay(question: TurnQuestion, first: string): TurnJudgement {
  const why = givesWayText(first);
  return logged(after(next(question, { step: 'after', skip: why })), question, `its turn ends: ${why}`);
}

const nodeGone = 'the node is gone';

/** It was not taken because it had left: one of its name that is there by now has its own turn. */
export function isOfGoneNode({ skip }: Pick<Turn, 'skip'>): boolean {
  return skip === nodeGone;
}

const runAborted = 'the run was aborted';

/** It was not taken because the run was aborted, and not because somebody wanted so of this node. */
export function isOfAbort({ skip }: Pick<Turn, 'skip'>): boolean {
  return skip?.startsWith(runAborted) === true;
}

/** No clean-up runs beside what it cleans up. A Job ends by its own deadline; whoever was told by http or lambda has
 *  its time to answer, unless it has failed or waits for its next try; a gate is only asked. */
function mayJobRun(question: TurnQuestion): boolean {
  const { turn, seen, now } = question;
  const rule = workedOn(question);
  if (rule === undefined || (seen.kind !== 'running' && seen.kind !== 'unseen')) return false;
  const isInTime = !isPast(endOf(turn, rule), now);
  if (rule.rule.type === 'kubernetes') return isInTime || (seen.kind === 'running' && turn.seen !== true);
  const isAtRest = turn.failed !== undefined || (turn.retryAt !== undefined && !isPast(turn.retryAt, now));
  if (rule.rule.type === 'gate' || isAtRest) return false;
  return isInTime && (seen.kind === 'running' || turn.seen === true);
}

/** Of a clean-up that is left out: what follows at this node, also in its next turn, never runs beside its Job, unless
 *  that has outlasted its own deadline, as one that hangs. */
function isCleaningUp({ turn, seen, now }: TurnQuestion, rule: PlannedRule): boolean {
  return rule.rule.type === 'kubernetes' && seen.kind === 'running' && !isPast(endOf(turn, rule), now);
}

function passing(question: TurnQuestion, rule: PlannedRule): TurnJudgement {
  const until = endOf(question.turn, rule);
  return stays(question, `its turn goes on without the clean-up when the Job that runs has ended, or at ${until}`);
}

/** When what it works on must have ended. */
function endOf({ since }: Pick<Turn, 'since'>, { rule }: PlannedRule): string {
  return plusSeconds(new Date(since), rule.timeoutSeconds + graceSeconds);
}

/** Begins the first rule that was not begun, or lets the node go when all have succeeded. */
function nextRule(question: TurnQuestion): TurnJudgement {
  const { turn, node } = question;
  const rule = rulesFor(question.plan, node).find(({ id }) => !turn.ran.includes(id));
  if (rule === undefined) return letGo(question);
  // Somebody resumed the pool, or let it go by hand: what its Jobs were to do first comes too late.
  if (node !== undefined && isInFlight(node))
    return logged(
      gone(next(question, { step: 'gone', target: node.desiredConfig })),
      question,
      'somebody else let it go',
    );
  const begun = next(question, { ran: [...turn.ran, rule.id] });
  return hasPart(rule, 'before') ? work(begun, rule, 'before', nextRule) : nextRule(begun);
}

/** Works on one Job or gate until it is complete; `then`: what follows. */
function work(
  question: TurnQuestion,
  rule: PlannedRule,
  part: 'before' | 'after',
  then: (question: TurnQuestion) => TurnJudgement,
): TurnJudgement {
  const { turn, seen, now } = question;
  const what = whatOf(rule, part);
  if (turn.retryAt !== undefined && !isPast(turn.retryAt, now))
    return stays(question, `${what} is tried again at ${turn.retryAt}`);
  switch (seen.kind) {
    case 'absent':
      if (turn.seen !== true) return begins(question, rule, part);
      // A call of it, or a Job that an earlier version has begun, whatever follows a failure.
      if (turn.job === undefined)
        return stopped(question, `${what} is another one since it has begun, and what was begun may run still`);
      return failed(question, rule, part, 'its Job is gone: somebody deleted it');
    case 'running':
      return runs(question, rule, part, seen.note);
    case 'complete':
      // While the node may not go, its last Job is seen as complete at each look.
      if (turn.succeeded === true) return then(question);
      return logged(
        then({ ...question, turn: { ...turn, succeeded: true, since: now.toISOString() } }),
        question,
        `${what} succeeded${seen.said === '' ? '' : `: ${quoted(seen.said)}`}`,
      );
    case 'failed':
      return failed(question, rule, part, seen.why);
    case 'refused':
      return stopped(question, `${what} cannot run: ${quoted(seen.why)}`);
    case 'unseen':
      return unseen(question, rule, part, seen);
    default:
      return seen satisfies never;
  }
}

function unseen(
  question: TurnQuestion,
  rule: PlannedRule,
  part: 'before' | 'after',
  { why, isRefused = false }: Extract<WorkSeen, { readonly kind: 'unseen' }>,
): TurnJudgement {
  const { turn, name, isAborted, now } = question;
  const says = `${whatOf(rule, part)} could not be looked at: ${quoted(why)}`;
  if (part === 'after' && isAborted && isPast(endOf(turn, rule), now))
    return logged(nextCleanUp(question), question, `${says}; the turn goes on`);
  const since = turn.unseenSince ?? now.toISOString();
  const isLong = isPast(plusSeconds(new Date(since), unseenSeconds), now);
  const unseenTurn = { ...turn, unseenSince: since };
  const retries = mayRetry(unseenTurn, now.toISOString()) ? { mayRetry: true as const } : {};
  return stays(question, says, {
    turn: unseenTurn,
    problems: isLong || isRefused ? [{ kind: 'unseen', node: name, since, why: says, ...retries }] : [],
  });
}

function begins(question: TurnQuestion, rule: PlannedRule, part: 'before' | 'after'): TurnJudgement {
  const { turn: before, name, isAborted, abortedAt, now } = question;
  const what = whatOf(rule, part);
  const { retryAt, ...rest } = before;
  const since = latest([before.since, abortedAt]) ?? before.since;
  if (part === 'after' && isAborted && retryAt === undefined && isPast(endOf({ since }, rule), now))
    return logged(nextCleanUp(question), question, `${what} could not be begun in time; the turn goes on`);
  const begun = retryAt === undefined ? before : { ...rest, since: now.toISOString() };
  const turn = { ...begun, ...given({ job: jobBy(rule) }) };
  const action: TurnAction = { kind: 'create-job', node: name, turn, rule, part };
  return stays(question, `${what} begins`, { turn, actions: [action] });
}

function runs(question: TurnQuestion, rule: PlannedRule, part: 'before' | 'after', note?: string): TurnJudgement {
  const { now } = question;
  // Also of one that an earlier version began, or that was found again.
  const turn = { ...question.turn, ...given({ job: question.turn.job ?? jobBy(rule) }) };
  const says = `${whatOf(rule, part)} runs${note === undefined ? '' : `, but ${note}`}`;
  // Its time begins when it is first seen: it may have taken long to be made.
  if (turn.seen !== true) return stays(question, says, { turn: { ...turn, seen: true, since: now.toISOString() } });
  if (isPast(endOf(turn, rule), now))
    return failed(question, rule, part, `it has not ended in time${note === undefined ? '' : `: ${note}`}`);
  return stays(question, says, { turn });
}

function jobBy(rule: PlannedRule): Turn['job'] {
  const { type, timeoutSeconds } = rule.rule;
  return type === 'kubernetes' ? { ...jobPlaceOf(rule), timeoutSeconds } : undefined;
}

function whatOf(rule: PlannedRule, part: 'before' | 'after'): string {
  return part === 'before' ? rule.id : `the clean-up of ${rule.id}`;
}

function failed(question: TurnQuestion, rule: PlannedRule, part: 'before' | 'after', why: string): TurnJudgement {
  const { turn, isAborted, now } = question;
  const { retries, backOffSeconds, onFailure } = rule.rule;
  const what = `${whatOf(rule, part)} failed: ${quoted(why)}`;
  if (turn.attempt <= retries) {
    const again = next(question, { attempt: turn.attempt + 1, retryAt: plusSeconds(now, backOffSeconds) });
    return logged(stays(again, `${what}; it is tried again`), question, what);
  }
  // Whoever aborts wants it to end, and clean-ups that follow may matter.
  if (part === 'after' && (isAborted || onFailure !== 'stop'))
    return logged(nextCleanUp(question), question, `${what}; the turn goes on`);
  if (part === 'before' && onFailure === 'ignore') return logged(nextRule(question), question, `${what}; ignored`);
  if (part === 'before' && onFailure === 'skip')
    return logged(after(next(question, { step: 'after', skip: what })), question, `${what}; the node is skipped`);
  return stopped(question, what);
}

/** It waits for a person. */
function stopped(question: TurnQuestion, what: string): TurnJudgement {
  const text = quoted(what, 500);
  const turn = { ...question.turn, failed: text };
  return logged(stays({ ...question, turn }, text, { problems: [jobProblem(question, text)] }), question, text);
}

function jobProblem({ name, turn }: TurnQuestion, why: string): TurnProblem {
  return { kind: 'job', node: name, since: turn.since, why };
}

/** Its rules have succeeded: it goes once nothing else holds the pool back. */
function letGo(question: TurnQuestion): TurnJudgement {
  const { turn, name, node, closed, poolTarget } = question;
  if (node === undefined || poolTarget === undefined) return stays(question, 'its pool is gone');
  // Somebody else has let it go, or it is there already.
  if (!rests(node) || node.currentConfig === poolTarget)
    return gone(next(question, { step: 'gone', target: poolTarget }));
  const why = closed ?? whyStays(node, question.plan, turn);
  if (why !== undefined) return heldBack(question, node, why);
  const left = next({ ...question, turn: withCordon(question, node) }, { step: 'gone', target: poolTarget });
  return logged(
    stays(left, 'it was let go', { actions: [{ kind: 'let-go', node: name, turn: left.turn }] }),
    question,
    `let go to ${poolTarget}`,
  );
}

/** A Job may end a while before the window opens. */
const standsSeconds = 3600;

/** People are told of a node that is not ready for long, or that stands with its Jobs done until a window opens, which
 *  nothing else tells for a week: nobody may wait for it untold. */
function heldBack(question: TurnQuestion, node: TurnNode, why: string): TurnJudgement {
  const { plan, name, now } = question;
  const { notReadySince, ...turn } = withWindow(question);
  const said = `it may not go now: ${why}`;
  // Who keeps it by the label knows.
  if (Object.hasOwn(node.labels, plan.run.holdLabel)) return stays({ ...question, turn }, said);
  const stands = standsWithJobsDone({ ...question, turn }, why);
  if (node.ready) return stays({ ...question, turn }, said, { problems: stands });
  const since = notReadySince ?? now.toISOString();
  const isLong = isPast(plusSeconds(new Date(since), unseenSeconds), now);
  return stays({ ...question, turn: { ...turn, notReadySince: since } }, said, {
    problems: isLong ? [{ kind: 'node', node: name, since, why: 'it may not go: the node is not ready' }] : stands,
  });
}

/** While nobody can tell, as no gate is asked during a sync, it is as it was. */
function withWindow({ turn: before, isOutsideWindow }: TurnQuestion): Turn {
  if (isOutsideWindow === undefined) return before;
  const { outsideWindow: _, ...turn } = before;
  return isOutsideWindow ? { ...turn, outsideWindow: true } : turn;
}

/** What a Job has taken away, as an application or its alerts, is away for as long. */
function standsWithJobsDone({ plan, turn, name, now }: TurnQuestion, why: string): readonly TurnProblem[] {
  if (turn.outsideWindow !== true || !isPast(plusSeconds(new Date(turn.since), standsSeconds), now)) return [];
  const rules = turn.ran.map((id) => ruleNamed(plan, id));
  if (!rules.some((rule) => rule !== undefined && rule.rule.type !== 'gate' && hasPart(rule, 'before'))) return [];
  return [{ kind: 'gate', node: name, since: turn.since, why: `its Jobs are done, and it may not go: ${why}` }];
}

/** What is put back after its update, because the MCO uncordons every node: a cordon that came during its turn too, and
 *  none that somebody has ended since it began. */
function withCordon({ plan, turn }: TurnQuestion, { cordoned }: TurnNode): Turn {
  const { cordoned: before, ...others } = turn;
  const isOfPeople = before === true || !cordonsNode(plan, turn);
  return cordoned && isOfPeople ? { ...others, cordoned: true } : others;
}

function gone(question: TurnQuestion): TurnJudgement {
  const { turn, node, poolTarget } = question;
  if (node === undefined) return logged(after(next(question, { step: 'after', skip: nodeGone })), question, nodeGone);
  // Retargeted by somebody else, or by a patch that followed a newer render.
  if (node.desiredConfig !== turn.target && node.desiredConfig === poolTarget)
    return gone({ ...question, turn: { ...turn, target: poolTarget } });
  if (isBack(node, turn)) {
    const back =
      turn.cordoned === true ? cordon(next(question, { step: 'cordon' })) : after(next(question, { step: 'after' }));
    return logged(back, question, `back with ${turn.target}`);
  }
  return rests(node) && node.currentConfig !== turn.target ? notGone(question, node) : onItsWay(going(question), node);
}

/** The time that a node may take does not run while it is held back. */
function going(question: TurnQuestion): TurnQuestion {
  const { stays: isHeldBack, staysFor: _, notReadySince: __, outsideWindow: ___, ...turn } = question.turn;
  if (isHeldBack !== true) return question;
  return { ...question, turn: { ...turn, since: question.now.toISOString() } };
}

/** The patch was lost, or refused because the node had changed. */
function notGone(asked: TurnQuestion, node: TurnNode): TurnJudgement {
  const { closed, isAborted } = asked;
  const ends = isAborted ? runAborted : whyElsewhere(asked);
  if (ends !== undefined)
    return logged(after(next(asked, { step: 'after', skip: ends })), asked, `it did not go: ${ends}`);
  // What a look found closed may have been open when the node was let go.
  if (asked.turn.stays === true && asked.givesWayTo !== undefined) return gaveWay(asked, asked.givesWayTo);
  const why = closed ?? whyStays(node, asked.plan, asked.turn);
  if (why !== undefined) {
    const about = aboutOf(why);
    const held = heldBack({ ...asked, turn: { ...asked.turn, stays: true, staysFor: about } }, node, why);
    return asked.turn.staysFor === about ? held : logged(held, asked, held.waits);
  }
  const question = going(asked);
  const { turn, name, poolTarget } = question;
  const target = poolTarget ?? turn.target;
  const again = { ...withCordon(question, node), target };
  const late = whyLate(question);
  return stays(question, 'it is let go', {
    turn: again,
    actions: [{ kind: 'let-go', node: name, turn: again }],
    problems: late === undefined ? [] : [nodeProblem(question, `${late}: it was let go, and nothing takes it`)],
  });
}

/** Which hold or gate it is: what a gate says of it changes from look to look. */
function aboutOf(why: string): string {
  return clipped(why.split(': ').slice(0, 2).join(': '), 100);
}

/** It was let go and is not back. */
function onItsWay(question: TurnQuestion, node: TurnNode): TurnJudgement {
  const { turn, isAborted } = question;
  const late = whyLate(question);
  if (late !== undefined && isAborted)
    return nextCleanUp(next(question, { step: 'after', skip: `${runAborted}: ${whyNotBack(node, turn)}` }));
  const problems = [
    ...(isFailing(node)
      ? [nodeProblem(question, `its config daemon reports ${node.state}: ${quoted(node.reason)}`)]
      : []),
    ...(late === undefined ? [] : [nodeProblem(question, `${late}: ${whyNotBack(node, turn)}`)]),
  ];
  return stays(question, whyNotBack(node, turn), { problems: problems.slice(0, 1) });
}

/** Undefined: it has time left to come back. */
function whyLate({ turn, plan, now }: TurnQuestion): string | undefined {
  if (!isPast(plusSeconds(new Date(turn.since), plan.run.nodeTimeoutSeconds), now)) return undefined;
  return `it is not back after ${ageText(now.getTime() - Date.parse(turn.since))}`;
}

function whyNotBack(node: TurnNode, turn: Turn): string {
  if (!isAt(node, turn.target)) return `it is on its way (${node.state === '' ? 'no state' : node.state})`;
  return node.ready ? 'it is at its target, and cordoned' : 'it is at its target, and not ready';
}

function nodeProblem({ name, turn }: TurnQuestion, why: string): TurnProblem {
  return { kind: 'node', node: name, since: turn.since, why };
}

/** The MCO has uncordoned what somebody had cordoned. */
function cordon(question: TurnQuestion): TurnJudgement {
  const { node, name } = question;
  if (node === undefined || node.cordoned) return after(next(question, { step: 'after' }));
  const isLate = isPast(plusSeconds(new Date(question.turn.since), graceSeconds), question.now);
  const why = 'it could not be cordoned again';
  if (isLate && question.isAborted) return logged(after(next(question, { step: 'after' })), question, why);
  return stays(question, 'it is cordoned again', {
    actions: [{ kind: 'cordon-again', node: name }],
    problems: isLate ? [nodeProblem(question, why)] : [],
  });
}

function after(question: TurnQuestion): TurnJudgement {
  const { turn, node, isAborted } = question;
  // What was let go by hand meanwhile comes back first.
  if (node !== undefined && turn.cleaned.length === 0 && !rests(node) && !isFailing(node)) {
    const late = whyLate(question);
    if (late === undefined || !isAborted)
      return stays(question, 'it is on its way', { problems: late === undefined ? [] : [nodeProblem(question, late)] });
  }
  const rule = workedOn(question);
  if (rule === undefined) return nextCleanUp(question);
  if (turn.pass === true) return isCleaningUp(question, rule) ? passing(question, rule) : nextCleanUp(question);
  if (turn.failed === undefined) return cleanUp(question, rule);
  if (isAborted) return nextCleanUp(question);
  return stays(question, turn.failed, { problems: [jobProblem(question, turn.failed)] });
}

function cleanUp(question: TurnQuestion, rule: PlannedRule): TurnJudgement {
  return isLeftOut(question, rule) ? nextCleanUp(question) : work(question, rule, 'after', nextCleanUp);
}

/** Its rule has no clean-up any more, and none of it was begun. Only what is there of a Job says that one was. */
function isLeftOut({ turn, seen }: TurnQuestion, rule: PlannedRule): boolean {
  const isThere = turn.seen === true || (rule.rule.type === 'kubernetes' && seen.kind !== 'absent');
  return !isThere && !hasPart(rule, 'after');
}

/** Of the rules that were begun, in their order; when none is left, the turn is over. */
function nextCleanUp(question: TurnQuestion): TurnJudgement {
  const { turn, node } = question;
  const rule = turn.ran
    .filter((id) => !turn.cleaned.includes(id))
    .map((id) => ruleNamed(question.plan, id))
    .find((each) => each !== undefined && hasPart(each, 'after') && (node !== undefined || !each.rule.onTargetNode));
  if (rule !== undefined) {
    const begun = next(question, { cleaned: [...turn.cleaned, rule.id] });
    return work(begun, rule, 'after', nextCleanUp);
  }
  const isTaken = turn.skip === undefined;
  const over = next(question, { step: isTaken ? 'done' : 'skipped', ran: [], cleaned: [] });
  return logged(stays(over, 'it is over'), question, isTaken ? turnIsOver : `it was not taken: ${turn.skip ?? ''}`);
}

function workedOn({ plan, turn }: TurnQuestion): PlannedRule | undefined {
  return ruleWorkedOn(plan, turn);
}

function hasPart({ rule }: PlannedRule, part: 'before' | 'after'): boolean {
  switch (rule.type) {
    case 'gate':
      return part === 'before';
    case 'http':
      return (part === 'before' ? rule.http?.url : rule.http?.cleanUpUrl) !== undefined;
    case 'lambda':
      return (part === 'before' ? rule.lambda?.functionName : rule.lambda?.cleanUpFunctionName) !== undefined;
    case 'kubernetes':
      return (part === 'before' ? rule.jobSpec : rule.cleanUpJobSpec) !== undefined;
    default:
      return rule.type satisfies never;
  }
}
