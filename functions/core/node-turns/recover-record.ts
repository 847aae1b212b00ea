import { listAt, mappingAt, memberOf, textAt } from '../openshift/member.ts';
import { byName } from '../text/by-name.ts';
import { given } from '../text/given.ts';
import { listed } from '../text/phrases.ts';
import { type RunPlan, rulesFor } from './run-plan.ts';
import { emptyRunRecord, numberOfRound, pausedAsLost, type RunRecord, type Turn, withRunLog } from './run-record.ts';
import { turnAnnotation, wasCordonedAnnotation } from './turn-job.ts';
import { isAt, rests, type TurnNode } from './turn-node.ts';
import { type RoundPool, roundText } from './turn-round.ts';

/** What stands where the record of a run is lost. */
export interface LostRecord {
  readonly plan: RunPlan;
  /** Jobs with the label of the run, from the namespaces of its rules; undefined: they may not be listed. */
  readonly jobs: readonly unknown[] | undefined;
  readonly nodes: readonly TurnNode[];
  readonly pools: readonly LostPool[];
  readonly now: Date;
}

interface LostPool extends RoundPool {
  readonly name: string;
}

/** A record that says what can be seen: nobody goes on from it before a person has looked, because what people had
 *  asked (a pause, an abort, nodes to skip) is not seen anywhere. Jobs are found again by their names, so a turn that
 *  is known to have begun is walked from the last rule that has one, and makes none twice. */
export function recoverRecord(lost: LostRecord): RunRecord {
  const { plan, nodes, now } = lost;
  const rounds = roundsOf(lost);
  const turns = nodes.flatMap((node) => {
    const pool = byName(lost.pools, node.pool);
    const turn = pool && turnOf(node, pool, rounds.get(node.name), lost);
    return turn === undefined ? [] : [[node.name, turn] as const];
  });
  const at = now.toISOString();
  const names = turns.map(([name]) => name);
  const found = names.length === 0 ? 'no turn' : `the ${names.length === 1 ? 'turn' : 'turns'} of ${listed(names, 5)}`;
  const unlisted = lost.jobs === undefined ? ' Jobs could not be listed.' : '';
  const what = `the record of the run was lost. Found again by Jobs and nodes: ${found}.${unlisted} Not known: who paused or aborted it, which nodes were to be skipped, and ${
    plan.run.cordoned === 'take' ? 'which nodes were cordoned where no Job says so' : 'tries that people had asked for'
  }. Nothing begins until somebody says go-on or abort`;
  const record: RunRecord = {
    ...emptyRunRecord,
    turns: Object.fromEntries(turns),
    rounds: numbersOf(
      nodes.filter(({ name }) => !names.includes(name)),
      rounds,
    ),
    canaries: canariesFound(
      lost,
      turns.filter(([name]) => rounds.has(name)),
    ),
    paused: { ...pausedAsLost, at },
    lost: { at, what },
  };
  return withRunLog(record, [{ at, node: '', what }]);
}

/** What the next turn of each node counts from, where an earlier one is known and does not go on. */
function numbersOf(nodes: readonly TurnNode[], rounds: ReadonlyMap<string, Round>): NonNullable<RunRecord['rounds']> {
  return Object.fromEntries(
    nodes.flatMap(({ name }) => {
      const round = rounds.get(name);
      return round === undefined ? [] : [[name, numberOfRound(round)]];
    }),
  );
}

/** Whenever those that are there came: they are watched from the next look on, unless turns to the same config tell
 *  that they were. */
function canariesFound(
  { plan, nodes, pools }: LostRecord,
  turns: readonly (readonly [string, Turn])[],
): NonNullable<RunRecord['canaries']> {
  const { canaryNodes } = plan.run;
  const found = nodes.flatMap((node) => {
    const { name, pool, createdAt } = node;
    const { target } = byName(pools, pool) ?? {};
    if (pool === undefined || target === undefined || !canaryNodes.includes(name)) return [];
    const isTurnOfOther = turns.some(([other, turn]) => !canaryNodes.includes(other) && turn.target === target);
    const passed = isTurnOfOther && isAt(node, target) ? { passed: true as const } : {};
    return [[name, { pool, target, ...given({ createdAt }), ...passed }] as const];
  });
  return Object.fromEntries(found);
}

/** Whether Jobs tell of turns that were begun while the pools are held as they are now: then there was a record. Those
 *  of an earlier hold tell of nothing. */
export function hasTurnsOfHold({ plan, jobs = [], nodes, pools }: LostRecord): boolean {
  const places = new Map(nodes.map(({ name, pool }) => [name, pool]));
  return jobs.some((job) => {
    const told = toldBy(job, plan);
    const pool = told && pools.find(({ name }) => name === places.get(told.node));
    return told !== undefined && pool?.heldSince !== undefined && isOfHold(told, pool);
  });
}

/** It was begun while the pool was held as it is now. */
function isOfHold(told: Pick<Round, 'round' | 'target'>, pool: LostPool): boolean {
  return told.round === roundText(numberOfRound(told), { ...pool, target: told.target });
}

interface Round {
  readonly round: string;
  /** When its last Job was made, ISO instant; empty: not known. */
  readonly madeAt: string;
  readonly target: string;
  readonly wasCordoned: boolean;
  readonly hasAfter: boolean;
  readonly rules: ReadonlySet<string>;
}

/** The last round of each node that Jobs tell of. */
function roundsOf({ plan, jobs = [] }: LostRecord): ReadonlyMap<string, Round> {
  const rounds = new Map<string, Round>();
  for (const job of jobs) {
    const told = toldBy(job, plan);
    if (told === undefined) continue;
    const known = rounds.get(told.node);
    const before = known?.round === told.round ? known : undefined;
    if (known !== undefined && before === undefined && !isLater(told, known)) continue;
    rounds.set(told.node, {
      round: told.round,
      madeAt: before !== undefined && before.madeAt > told.madeAt ? before.madeAt : told.madeAt,
      target: told.target,
      wasCordoned: told.wasCordoned || before?.wasCordoned === true,
      hasAfter: told.part === 'after' || before?.hasAfter === true,
      rules: new Set([...(before?.rules ?? []), told.rule]),
    });
  }
  return rounds;
}

/** Numbers begin again with a record that was deleted at rest: where the Jobs of two rounds were made at different
 *  times, these count. */
function isLater(one: Pick<Round, 'round' | 'madeAt'>, other: Pick<Round, 'round' | 'madeAt'>): boolean {
  const areKnown = one.madeAt !== '' && other.madeAt !== '' && one.madeAt !== other.madeAt;
  return areKnown ? one.madeAt > other.madeAt : numberOfRound(one) > numberOfRound(other);
}

/** Only Jobs in the namespace of a rule tell of that rule. */
function toldBy(job: unknown, plan: RunPlan) {
  const metadata = mappingAt(job, 'metadata');
  const annotations = mappingAt(metadata, 'annotations');
  const id = parsed(textAt(annotations, turnAnnotation) ?? '');
  const [run, round, node, rule, part] = ['run', 'round', 'node', 'rule', 'part'].map((key) => textAt(id, key) ?? '');
  const planned = plan.rules.find((each) => each.id === rule);
  if (planned === undefined || run !== plan.name) return undefined;
  if ((planned.rule.jobNamespace ?? planned.namespace) !== textAt(metadata, 'namespace')) return undefined;
  if (round === undefined || node === undefined || rule === undefined || !isNumbered(round)) return undefined;
  const target = targetIn(job);
  if (round.length > nameAtMost || (target !== undefined && target.length > nameAtMost)) return undefined;
  const wasCordoned = memberOf(annotations, wasCordonedAnnotation) === 'true';
  const madeAt = textAt(metadata, 'creationTimestamp') ?? '';
  return target === undefined ? undefined : { round, madeAt, node, rule, part, target, wasCordoned };
}

/** Characters. Neither a rendered config nor a round has more: a Job that says so is of no run. Source: Kubernetes
 *  apimachinery util/validation `DNS1123SubdomainMaxLength`. */
const nameAtMost = 253;

/** More than any run has. Whoever may make Jobs there could name one that no record can keep. */
const roundAtMost = 1_000_000;

function isNumbered(round: string): boolean {
  const number = numberOfRound({ round });
  return number > 0 && number <= roundAtMost;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Its containers are told where the node is taken. */
function targetIn(job: unknown): string | undefined {
  const spec = mappingAt(mappingAt(mappingAt(job, 'spec'), 'template'), 'spec');
  const [container] = listAt(spec, 'containers');
  const variable = listAt(container, 'env').find((each) => memberOf(each, 'name') === 'POOLKEEPER_TARGET_CONFIG');
  return textAt(variable, 'value');
}

/** The turn that a node is in, as far as it shows; undefined: none that is known. */
function turnOf(
  node: TurnNode,
  pool: LostPool,
  told: Round | undefined,
  { plan, jobs, pools, now }: LostRecord,
): Turn | undefined {
  const round = told?.round ?? roundText(1, pool);
  const target = told?.target ?? pool.target;
  const turn: Turn = {
    ...{ pool: pool.name, target, round, step: 'gone', since: now.toISOString() },
    ...{ ran: rulesOf(told, node, plan), cleaned: [], attempt: 1 },
    ...(told?.wasCordoned === true ? { cordoned: true as const } : {}),
  };
  // On its way: to what it was told, if its pool was rendered anew meanwhile. Nobody else lets nodes of a held pool go,
  // but for people: without a Job of its own it was not this run, unless it has none or nobody can say.
  if (!rests(node)) {
    const isOurs =
      told !== undefined || jobs === undefined || !plan.rules.some(({ rule }) => rule.jobSpec !== undefined);
    return isOurs ? { ...turn, target: node.desiredConfig } : undefined;
  }
  // Its clean-ups are looked at; those that are done stay done.
  if (told !== undefined && isAt(node, target)) return turn;
  if (told?.hasAfter === true) {
    return { ...turn, step: 'after', ran: begunBy(told, node, plan), skip: 'it was not taken, as its Jobs show' };
  }
  // What Jobs did under an earlier hold is no sign that the node may go today. It may be in another pool by now.
  if (told === undefined || !pools.some((each) => isOfHold(told, each))) return undefined;
  return { ...turn, step: 'before', ran: begunBy(told, node, plan) };
}

/** Rules for the node, and those that have a Job for it all the same: it may have had other labels. */
function rulesOf(told: Round | undefined, node: TurnNode, plan: RunPlan): string[] {
  const own = rulesFor(plan, node);
  return plan.rules.filter((rule) => own.includes(rule) || told?.rules.has(rule.id) === true).map(({ id }) => id);
}

/** Up to the last that has a Job: those between that have none, as a gate, come before it. */
function begunBy(told: Round, node: TurnNode, plan: RunPlan): string[] {
  const own = rulesOf(told, node, plan);
  return own.slice(0, own.findLastIndex((id) => told.rules.has(id)) + 1);
}
