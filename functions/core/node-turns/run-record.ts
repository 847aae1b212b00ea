import * as z from 'zod';
import { given } from '../text/given.ts';
import { isPast, plusSeconds } from '../text/instant.ts';
import { safeLine } from '../text/safe-text.ts';

const instant = z.iso.datetime();

/** What tells one from another: a part of it would be another one. Its length is that of names of the cluster. */
const name = z.string();

/** What people are told, which may quote others. A longer one loses its middle: that is no reason to understand nothing
 *  of the record. */
const told = (atMost = 1_000) =>
  z.string().transform((text) => (text.length <= atMost ? text : safeLine(text, atMost)));
const text = told();

/** Who asked for something, why and when. */
const Said = z.object({ who: text, why: text, at: instant });
export type Said = Readonly<z.infer<typeof Said>>;

/** One node's way. Everything that can be seen in the cluster is seen there: what stands here is what was decided. */
export const Turn = z.object({
  pool: name,
  /** The rendered config that the node is taken to. */
  target: name,
  /** Part of the names of its Jobs: another turn of the same node has others. */
  round: name,
  /** `before`: Jobs run, and the node is not let go. `gone`: it was let go. `cordon`: it is back, and is to be cordoned
   *  as it was. `after`: clean-up Jobs run. `done`, `skipped`: the turn is over. */
  step: z.enum(['before', 'gone', 'cordon', 'after', 'done', 'skipped']),
  /** Since when it is in this step, or in this attempt of a Job, or that has succeeded. */
  since: instant,
  /** Rules that were begun, in their order; the last one is being worked on in step `before`. */
  ran: z.array(name),
  /** Rules whose clean-up was begun; the last one is being worked on in step `after`. */
  cleaned: z.array(name),
  /** Of the Job that is being worked on, from 1. */
  attempt: z.int(),
  /** That Job was seen: if it is gone, somebody deleted it. */
  seen: z.literal(true).optional(),
  /** By what that Job is made: its rule may be another one while it runs. Absent: it is no Job. */
  job: z.object({ jobName: name, jobNamespace: name, timeoutSeconds: z.int() }).readonly().optional(),
  /** That Job has succeeded, which was logged. */
  succeeded: z.literal(true).optional(),
  /** Since when nobody could look at what it works on. */
  unseenSince: instant.optional(),
  /** When it is tried again. */
  retryAt: instant.optional(),
  /** It waits for a person. */
  failed: text.optional(),
  /** It ends as skipped: its node was not taken. */
  skip: text.optional(),
  /** A person wants the node left out, whatever is rendered: until somebody says `retry`, or the pool is done. */
  leftOut: z.literal(true).optional(),
  /** The clean-up that is being worked on is left out. */
  pass: z.literal(true).optional(),
  /** It was to go, and something has held it back since: its time begins anew when it goes. */
  stays: z.literal(true).optional(),
  /** By what, as the log has it. */
  staysFor: text.optional(),
  /** A window was closed when that was last known, and it has been held back since. */
  outsideWindow: z.literal(true).optional(),
  /** Since when it is to go, and its node is not ready. */
  notReadySince: instant.optional(),
  /** Somebody had cordoned the node before its turn. */
  cordoned: z.literal(true).optional(),
  /** When its node was made: another one that has its name by now is not the one that its Jobs were for. Absent: not
   *  known. */
  nodeCreatedAt: name.optional(),
});
export type Turn = Readonly<z.infer<typeof Turn>>;

const PoolState = z.object({
  /** The rendered config that the run takes its nodes to; absent: it takes whatever it finds. */
  target: name.optional(),
  /** All members were at this config, and nothing was left to clean up: the run lets go once that is so of all its
   *  pools. */
  done: name.optional(),
  /** Nodes of other pools are left, or labels and selectors to be put back, and all members were at this config, with
   *  their turns over. Only holds of mode canary say it. */
  reached: name.optional(),
});

/** Seconds beyond its own time limit that a Job gets to be reported as failed, or to begin. */
export const graceSeconds = 300;

/** Seconds after which people are told that something cannot be looked at, or that a node is not well. */
export const unseenSeconds = 900;

/** What was seen of a canary node while its pool was taken to one config. */
const CanaryWatch = z.object({
  pool: name,
  target: name,
  /** When the node was made; absent: not known. */
  createdAt: name.optional(),
  /** Since when it is there and well; absent: it is away, not well, or was there before the run. */
  since: instant.optional(),
  /** It was well at a look at the end of its watch, or was there before the run, or a person has said `go-on`: what
   *  becomes of it says nothing of this config any more. */
  passed: z.literal(true).optional(),
  /** Since when it is there and not well, and had not passed. */
  illSince: instant.optional(),
  /** Since when it is gone, and had not passed. */
  goneSince: instant.optional(),
});
export type CanaryWatch = Readonly<z.infer<typeof CanaryWatch>>;

const Condition = z.object({
  type: text,
  status: z.enum(['True', 'False', 'Unknown']),
  reason: text,
  message: text,
  at: instant,
});
export type RunCondition = Readonly<z.infer<typeof Condition>>;

const LogEntry = z.object({ at: instant, node: name, what: text });
export type RunLogEntry = Readonly<z.infer<typeof LogEntry>>;

/** Entries that are kept. */
const logAtMost = 200;
/** Characters of what an entry says, which may quote all holds and gates of a pool. */
const entryAtMost = 900;
/** Turns that are over and are kept: more nodes than a cluster may have. A turn takes about 200 bytes. */
const turnsAtMost = 3_000;

/** What a run keeps of itself, in a ConfigMap of its cluster. Jobs, nodes and pools are read again at each look: if the
 *  record is lost, nodes that are at their target stay as they are. */
export const RunRecord = z.object({
  v: z.literal(1),
  pools: z.record(z.string(), PoolState),
  /** By node. */
  turns: z.record(z.string(), Turn),
  /** Numbers of the rounds of turns that are not kept, by node: no later one has the same. */
  rounds: z.record(z.string(), z.int()).optional(),
  paused: Said.optional(),
  aborted: Said.optional(),
  /** When all that an aborted run had begun was over. */
  endedAt: instant.optional(),
  /** Since when nothing begins, because something waits for a person. */
  blockedSince: instant.optional(),
  /** The record before it was lost, and what was found again: nothing begins until a person has looked. */
  lost: z.object({ at: instant, what: told(4_000) }).optional(),
  /** Canary nodes that were seen, by name. */
  canaries: z.record(z.string(), CanaryWatch).optional(),
  /** What its clean-ups need if it is taken out of the configuration. */
  plan: z.unknown().optional(),
  /** Mode canary: what it has written and not put back, as it is noted on a pool besides. What stands here counts: who
   *  may write annotations of pools changes nothing by it. */
  canary: z.unknown().optional(),
  /** The canary that its nodes went by last: configs of that name are theirs until the MCO gives them their pool's. */
  wasCanary: name.optional(),
  /** Mode canary: its labels and selectors stood as it needs them, and how often somebody has put a selector back
   *  since. */
  prepared: z.literal(true).optional(),
  putBack: z.int().optional(),
  /** Mode canary: since when canary and targets render different content. */
  differsSince: instant.optional(),
  /** Since when nodes without a turn are not ready, by name. */
  notReady: z.record(z.string(), instant).optional(),
  /** A node has had its turn since all pools were done: `abort` of a gate is an alert. */
  begun: z.literal(true).optional(),
  /** Since when each of its own gates is closed, by place. */
  closedGates: z.record(z.string(), instant).optional(),
  /** For how long nothing but them kept nodes back, by place: of gates that let nodes go then. */
  aloneGatesMs: z.record(z.string(), z.int()).optional(),
  /** The last look, if nothing but them kept nodes back. */
  aloneGatesAt: instant.optional(),
  /** Since when nobody could look at one of them, by place. */
  unseenGates: z.record(z.string(), instant).optional(),
  conditions: z.array(Condition).readonly().optional(),
  log: z.array(LogEntry),
});
export type RunRecord = Readonly<z.infer<typeof RunRecord>>;

export const emptyRunRecord: RunRecord = { v: 1, pools: {}, turns: {}, log: [] };

/** The record as it is stored; `unreadable` for what this version does not understand. */
export function parseRunRecord(stored: string): RunRecord | 'unreadable' {
  if (stored === '') return emptyRunRecord;
  try {
    const read = RunRecord.safeParse(JSON.parse(stored));
    return read.success ? read.data : 'unreadable';
  } catch {
    return 'unreadable';
  }
}

/** Within the 1 MiB that an object may have: of what is over, the oldest is forgotten first. */
export function runRecordText(record: RunRecord): string {
  const turns = Object.entries(record.turns);
  const over = turns.filter(([, turn]) => isOver(turn)).toSorted(([, a], [, b]) => (a.since < b.since ? -1 : 1));
  const forgotten = new Set(over.slice(0, Math.max(0, turns.length - turnsAtMost)).map(([node]) => node));
  if (forgotten.size === 0) return JSON.stringify(record);
  return JSON.stringify({ ...record, turns: Object.fromEntries(turns.filter(([node]) => !forgotten.has(node))) });
}

export function isOver({ step }: Pick<Turn, 'step'>): boolean {
  return step === 'done' || step === 'skipped';
}

/** When something of it last happened or was said, in milliseconds since the epoch; 0: never. */
export function lastRunChangeMs({ paused, aborted, turns, log }: RunRecord): number {
  const all = [paused?.at, aborted?.at, ...log.map(({ at }) => at), ...Object.values(turns).map(({ since }) => since)];
  return Math.max(0, ...all.map((at) => (at === undefined ? 0 : Date.parse(at))));
}

/** It has one, and that is not over. */
export function isOpenTurn(turn: Turn | undefined): boolean {
  return turn !== undefined && !isOver(turn);
}

const givenWay = 'it gives way';

/** Why a turn ends whose node has not gone.
 *  @param first who goes before it: `nodes of pool infra` */
export function givesWayText(first: string): string {
  return `${givenWay}: ${first} go first`;
}

/** It was not taken because others go first, and nobody wants it left out: it has another turn. */
export function hasGivenWay(turn: Pick<Turn, 'step' | 'skip'>): boolean {
  return turn.step === 'skipped' && givesWay(turn);
}

function givesWay({ skip }: Pick<Turn, 'skip'>): boolean {
  return skip?.startsWith(`${givenWay}: `) === true;
}

/** No turn of it is under way. */
export function isBetweenTurns({ turns }: Pick<RunRecord, 'turns'>): boolean {
  return Object.values(turns).every(isOver);
}

/** Something that it has begun is not over, or not put back. */
export function isUnfinished({ turns, canary }: Pick<RunRecord, 'turns' | 'canary'>): boolean {
  return canary !== undefined || !isBetweenTurns({ turns });
}

/** Pools of which a node was let go and is not back as it was, and how many. */
export function poolsOnTheirWay({ turns }: Pick<RunRecord, 'turns'>): ReadonlyMap<string, number> {
  const away = Map.groupBy(
    Object.values(turns).filter(({ step }) => step === 'gone' || step === 'cordon'),
    ({ pool }) => pool,
  );
  return new Map([...away].map(([pool, nodes]) => [pool, nodes.length]));
}

export function withRunLog(record: RunRecord, entries: readonly RunLogEntry[]): RunRecord {
  if (entries.length === 0) return record;
  const bounded = entries.map((entry) => ({ ...entry, what: safeLine(entry.what, entryAtMost) }));
  return { ...record, log: [...record.log, ...bounded].slice(-logAtMost) };
}

/** What people ask of a run. */
export type RunRequest =
  | { readonly kind: 'pause' | 'go-on' | 'abort' | 'start'; readonly said: Said }
  /** A node whose turn failed tries again, or is left as it is. */
  | { readonly kind: 'retry' | 'skip'; readonly node: string; readonly said: Said };

/** The record with what somebody asked for. */
export function withRunRequest(record: RunRecord, request: RunRequest): RunRecord {
  const { said } = request;
  const logged = (what: string, node = '') =>
    withRunLog(record, [{ at: said.at, node, what: `${what} by ${said.who}: ${said.why}` }]);
  switch (request.kind) {
    case 'pause':
      return { ...logged('paused'), paused: said };
    case 'go-on':
      return unpaused(withoutSeenCanaries(logged('told to go on'), said));
    case 'start':
      return started(logged('started'));
    case 'abort':
      return { ...seenByPerson(logged('aborted')), aborted: said };
    case 'retry':
      return withTurn(logged('told to try again', request.node), request.node, (turn) => retried(turn, said.at));
    case 'skip':
      return withTurn(logged('told to skip it', request.node), request.node, (turn) => skipped(turn, said));
    default:
      return request satisfies never;
  }
}

function seenByPerson({ lost: _, ...record }: RunRecord): RunRecord {
  return record;
}

/** What was rendered meanwhile is what its nodes are taken to. */
function unpaused(before: RunRecord): RunRecord {
  const { paused: _, putBack: ___, ...record } = seenByPerson(before);
  const pools = Object.entries(record.pools).map(([name, { target: __, ...pool }]) => [name, pool] as const);
  return { ...record, pools: Object.fromEntries(pools) };
}

/** Whoever says so has been told which canary nodes are gone or not well: the others go without these. */
function withoutSeenCanaries(record: RunRecord, { at }: Said): RunRecord {
  const { canaries } = record;
  if (canaries === undefined) return record;
  const passed = Object.entries(canaries).map(([name, watch]): readonly [string, CanaryWatch] => {
    const { illSince, goneSince, ...place } = watch;
    const toldAt = goneSince ?? (illSince && plusSeconds(new Date(illSince), unseenSeconds));
    return [name, toldAt === undefined || Date.parse(toldAt) > Date.parse(at) ? watch : { ...place, passed: true }];
  });
  return { ...record, canaries: Object.fromEntries(passed) };
}

/** Whoever is away and there is seen to be with the next look. */
export function withoutAway(record: RunRecord, isOf: (pool: string) => boolean = () => true): RunRecord {
  const { canaries, ...rest } = record;
  if (canaries === undefined) return record;
  const isKept = ({ pool, since, passed }: CanaryWatch) => !isOf(pool) || since !== undefined || passed === true;
  return { ...rest, canaries: Object.fromEntries(Object.entries(canaries).filter(([, watch]) => isKept(watch))) };
}

/** Canary nodes that were away are waited for if they are still: the MCO may have taken them meanwhile. */
function started(record: RunRecord): RunRecord {
  const { aborted: _, endedAt, begun, ...known } = unpaused(withoutAway(record));
  // What was left when the abort had ended went without it.
  const rest = endedAt === undefined ? { ...known, ...given({ begun }) } : known;
  const turns = Object.entries(rest.turns).filter(([, { step }]) => step !== 'skipped');
  const dropped = Object.keys(rest.turns).filter((node) => !turns.some(([kept]) => kept === node));
  return { ...dropped.reduce(withRoundKept, rest), pools: {}, turns: Object.fromEntries(turns) };
}

const takenOut = { who: 'Poolkeeper', why: 'it was taken out of the configuration' };

/** Until a person has looked. */
export const pausedAsLost = { who: 'Poolkeeper', why: 'the record of the run was lost' } as const;

/** Who is to be asked before the run goes on or is aborted; undefined: nobody. */
export function pausedBySomebody({ paused }: Pick<RunRecord, 'paused'>): Said | undefined {
  return paused?.who === pausedAsLost.who && paused.why === pausedAsLost.why ? undefined : paused;
}

/** The record of a run that is configured no longer: it ends as if somebody had aborted it. That its record was lost
 *  nobody has seen by that. */
export function withoutConfiguration(record: RunRecord, now: Date): RunRecord {
  if (record.aborted !== undefined) return record;
  const aborted = withRunRequest(record, { kind: 'abort', said: { ...takenOut, at: now.toISOString() } });
  return record.lost === undefined ? aborted : { ...aborted, lost: record.lost };
}

/** The record of a run that is configured: that it was not for a while ends with that, or it would hold none of its
 *  pools any more. Whoever paused it still has. Of a pool that is not paused any more nobody is left out or waited for:
 *  the MCO has taken its nodes. */
export function withConfiguration(record: RunRecord, isPaused: (pool: string) => boolean): RunRecord {
  const { aborted, endedAt: _, ...rest } = record;
  if (!isTakenOut(aborted)) return record;
  const isReleased = (pool: string) => !isPaused(pool);
  return { ...withoutAway(withoutLeftOut(rest, isReleased), isReleased), pools: {} };
}

/** Whether it was nobody's wish but that of the configuration. */
export function isTakenOut(aborted: Said | undefined): boolean {
  return aborted?.who === takenOut.who && aborted.why === takenOut.why;
}

/** `3` of round `3-0a1b2c3d-mmy8f2io`; 0 without a turn. */
export function numberOfRound(turn: Pick<Turn, 'round'> | undefined): number {
  return Number.parseInt(turn?.round ?? '0', 10) || 0;
}

/** Rounds of turns that are not kept: more nodes than a cluster may have. */
const roundsAtMost = 3_000;

/** The highest round of each node, of turns that stand and of those that are not kept. */
export function roundsOfAll(record: RunRecord): Readonly<Record<string, number>> {
  return Object.keys(record.turns).reduce(withRoundKept, record).rounds ?? {};
}

/** Before the turn of the node goes. */
function withRoundKept(record: RunRecord, node: string): RunRecord {
  const number = Math.max(numberOfRound(record.turns[node]), record.rounds?.[node] ?? 0);
  const { [node]: _, ...others } = record.rounds ?? {};
  const kept = [...Object.entries(others), [node, number] as const].slice(-roundsAtMost);
  return { ...record, rounds: Object.fromEntries(kept) };
}

/** It has had no turn, but another one has another round. */
export function withoutTurn(record: RunRecord, node: string): RunRecord {
  const { [node]: _, ...turns } = record.turns;
  return { ...withRoundKept(record, node), turns };
}

/** Who was left out in such a pool may have a turn again: its node has the config of its pool. */
export function withoutLeftOut(record: RunRecord, isOf: (pool: string) => boolean): RunRecord {
  const isLeft = (turn: Turn) => turn.leftOut === true && isOver(turn) && isOf(turn.pool);
  const left = Object.entries(record.turns).filter(([, turn]) => isLeft(turn));
  return left.reduce((now, [node]) => withoutTurn(now, node), record);
}

function withTurn(record: RunRecord, node: string, change: (turn: Turn) => Turn | undefined): RunRecord {
  const turn = Object.hasOwn(record.turns, node) ? record.turns[node] : undefined;
  if (turn === undefined) return record;
  const { [node]: _, ...others } = record.turns;
  const changed = change(turn);
  if (changed === undefined) return withoutTurn(record, node);
  return { ...record, turns: { ...others, [node]: changed } };
}

interface AskedJob {
  readonly node: string;
  /** As it was when the Job was to be made. */
  readonly turn: Turn;
}

/** The Job that the turn works on is there, and its time begins; the same record if the turn is another by now. */
export function withJobSeen(record: RunRecord, { now, ...asked }: AskedJob & { readonly now: Date }): RunRecord {
  return withSameTurn(record, asked, (stored) => ({ ...stored, seen: true, since: now.toISOString() }));
}

/** The Job that the turn works on was refused, so what its rule says by the next look counts; the same record if the
 *  turn is another by now. */
export function withJobRefused(record: RunRecord, asked: AskedJob): RunRecord {
  return withSameTurn(record, asked, ({ job: _, ...stored }) => stored);
}

function withSameTurn(record: RunRecord, { node, turn }: AskedJob, change: (turn: Turn) => Turn): RunRecord {
  const isSame = ({ round, step, since, attempt }: Turn) =>
    round === turn.round && step === turn.step && since === turn.since && attempt === turn.attempt;
  return withTurn(record, node, (stored) => (isSame(stored) ? change(stored) : stored));
}

/** A skipped node has another turn; a failed Job another attempt. */
function retried(turn: Turn, at: string): Turn | undefined {
  if (turn.step === 'skipped') return undefined;
  if (!mayRetry(turn, at)) return turn;
  const { failed, seen: _, retryAt: __, unseenSince: ___, job: ____, ...rest } = turn;
  return { ...rest, attempt: failed === undefined ? turn.attempt : turn.attempt + 1, since: at };
}

/** Whether `retry` would change something, at this instant. */
export function mayRetry(turn: Turn, at: string): boolean {
  return turn.step === 'skipped' || turn.failed !== undefined || isOutOfSight(turn, at);
}

/** Nobody can look at its Job, which was never seen, or cannot run any more. */
function isOutOfSight({ job, seen, since, unseenSince }: Turn, at: string): boolean {
  if (job === undefined || unseenSince === undefined) return false;
  return seen !== true || isPast(plusSeconds(new Date(since), job.timeoutSeconds + graceSeconds), new Date(at));
}

/** A node that was let go cannot be skipped: it is on its way. A clean-up that failed can: the turn goes on without. */
function skipped(turn: Turn, { who, why }: Said): Turn {
  const { failed: _, ...rest } = turn;
  const skip = `${who}: ${why}`;
  const isFailed = turn.step === 'after' && turn.failed !== undefined;
  if (turn.step === 'before' || givesWay(turn))
    return { ...rest, skip, leftOut: true, ...(isFailed ? { pass: true as const } : {}) };
  return turn.step === 'after' ? { ...rest, pass: true } : turn;
}
