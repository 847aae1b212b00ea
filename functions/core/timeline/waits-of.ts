import { passedInEmergency } from '../gates/gate.ts';
import { type Wait, waitOfGate } from '../gates/wait.ts';
import { coversCluster } from '../openshift/freeze.ts';
import { type GitPause, gitPauseText } from '../openshift/git-pause.ts';
import { fieldManager } from '../openshift/hold.ts';
import { keptPausedWords } from '../openshift/kept-paused.ts';
import { given } from '../text/given.ts';
import { type CommandedPool, laneCommand, poolCommand } from '../text/pool-command.ts';
import { mergePatch } from '../text/shell-words.ts';
import { unique } from '../text/unique.ts';
import type { HoldView, PoolView } from './view.ts';

/** What a pool waits for: `now` keeps it paused, `afterwards` will, once its holds have ended. */
export interface Waits {
  readonly now: readonly Wait[];
  readonly afterwards: readonly Wait[];
  /** The command with which whoever may change the pool goes past all of it; absent: there is none. */
  readonly override?: string | undefined;
}

/** Everything that keeps a pool paused; nothing for a pool that is not.
 *  @param cluster as commands name it; absent: they do not */
export function waitsOf(pool: PoolView, cluster?: string): Waits {
  if (!pool.paused) return { now: [], afterwards: [] };
  const keeping = pool.holds.filter(keepsPaused);
  const isAll =
    pool.pauseOf === 'ours' && keeping.length + pool.closedGates.length + (pool.gatesAhead ?? []).length === 1;
  const holds = keeping.map((hold) =>
    pool.inShort === true
      ? inShort(hold)
      : waitOfHold(hold, { pool: { cluster, pool: pool.name }, isAll, ...freezesOf(hold, pool) }),
  );
  // What waits for a read may be open: it is told last.
  const gates = pool.closedGates.toSorted((a, b) => Number(a.unread === true) - Number(b.unread === true));
  const afterwards = (pool.gatesAhead ?? []).map(waitOfGate);
  return pool.pauseOf === 'ours'
    ? { now: [...holds, ...gates.map(waitOfGate)], afterwards, override: overrideOf(pool, keeping, cluster) }
    : { now: [waitOfPause(pool, keeping), ...holds], afterwards: [] };
}

/** Not all that keeps the pool paused is told of it, and one hold may stand for several. */
function inShort(hold: HoldView): Wait {
  const wait = waitOfHold(hold, { pool: { cluster: undefined, pool: '' }, isAll: false, freezes: 0, isCounted: true });
  if (hold.more === undefined) return wait;
  const { kind, name, why, since } = wait;
  const each = { opens: 'the end of each of them', who: 'whoever may end each of them' };
  return { kind, name, why, since, value: 'held', threshold: 'no such hold', ...each };
}

function freezesOf({ who }: HoldView, { holds }: PoolView): Pick<OfPool, 'freezes' | 'isCounted'> {
  const freezes = holds.filter(({ kind }) => kind === 'freeze');
  return {
    freezes: freezes.filter((each) => each.who === who).length,
    isCounted: freezes.some(({ more }) => more !== undefined),
  };
}

/** Neither a person nor an open emergency lane goes past it. */
export function keepsPaused({ passed, overruled }: HoldView): boolean {
  return passed !== true && overruled === undefined;
}

/** To be paused is what it is for: nothing waits behind its pause. Whether something does may not be readable. */
export function isAtRest({ paused, holds, closedGates }: Pick<PoolView, 'paused' | 'holds' | 'closedGates'>): boolean {
  const rest = closedGates.find(({ gate }) => gate === 'rest');
  return paused && rest !== undefined && rest.unread !== true && rest.isUnseen !== true && !holds.some(keepsPaused);
}

/** A frozen pool is not resumed by hand: the emergency lane goes past its freeze. Past a hold of a sync, and gates that
 *  the lane keeps, a resume goes then. None goes past a run: its nodes would go without their Jobs. It lets them go in
 *  the lane. Nor past the gate of a canary, which stands for holds of other pools that none may go past. */
function overrideOf(pool: PoolView, keeping: readonly HoldView[], cluster: string | undefined): string | undefined {
  const { closedGates, gatesAhead = [] } = pool;
  const of = { cluster, pool: pool.name };
  if (pool.inShort === true) return undefined;
  const others = keeping.filter(({ kind }) => kind !== 'rollout');
  const gates = [...closedGates, ...gatesAhead].filter(({ gate, unread }) => gate !== 'canary' || unread !== true);
  if (gates.some(({ gate }) => gate === 'canary')) return undefined;
  const isOfRun = others.length < keeping.length;
  if (isOfRun && others.length + gates.length === 0) return undefined;
  const isPassed =
    others.every(({ kind }) => kind === 'freeze') && gates.every(({ gate }) => passedInEmergency.has(gate));
  const lane = laneCommand(of);
  if (isOfRun) return isPassed ? [lane, ...lanesOfCanaries(keeping, cluster)].join(' && ') : undefined;
  if (!others.some(({ kind }) => kind === 'freeze')) return resumeCommand(of);
  return isPassed ? lane : `${lane} && ${resumeCommand(of)}`;
}

/** A freeze of more than the pool keeps the canary of its run paused, too. */
function lanesOfCanaries(keeping: readonly HoldView[], cluster: string | undefined): readonly string[] {
  if (!keeping.some(({ kind, id }) => kind === 'freeze' && coversCluster(id))) return [];
  return unique(keeping.flatMap(({ canary }) => canary ?? [])).map((pool) => laneCommand({ cluster, pool }));
}

function resumeCommand(of: CommandedPool): string {
  return `${poolCommand('resume', of)} --reason "..."`;
}

/** Without a name it is refused where several people froze the pool. */
function thawCommand(of: CommandedPool, who: string): string {
  return `${poolCommand('thaw', of, '--by', who)} --reason "..."`;
}

/** A pause that is not ours to end. While holds keep the pool paused, too, whoever resumed it would let nodes go until
 *  Poolkeeper has paused it for them. */
function waitOfPause(pool: PoolView, keeping: readonly HoldView[]): Wait {
  const { name, pausedBy, pausedSince, inGit, keptPaused } = pool;
  if (inGit !== undefined) return waitOfGit(inGit, pool);
  const isOurName = pausedBy === fieldManager;
  const author = pausedBy === '' ? 'an unknown writer' : pausedBy;
  const before = keeping.length > 0 ? ', once nothing else holds it' : keptPaused && ', once that annotation is gone';
  return {
    kind: 'pause',
    name: author,
    why: withKept(
      isOurName
        ? 'somebody wrote it with the name of Poolkeeper, or Poolkeeper gave the pool up; Poolkeeper does not undo it'
        : 'Poolkeeper did not set this pause and never undoes it',
      pool,
    ),
    value: `paused by ${author}`,
    threshold: 'resumed by whoever paused it',
    since: pausedSince,
    opens: `whoever paused it resumes it${before ?? ''}`,
    who: 'whoever may change the pool; never Poolkeeper',
    ...(before === undefined
      ? { how: mergePatch({ kind: 'machineconfigpool', name }, { spec: { paused: false } }) }
      : {}),
  };
}

/** No gate is asked of a pool that somebody else paused: the annotation is told with the pause. */
function withKept(why: string, { keptPaused }: Pick<PoolView, 'keptPaused'>): string {
  return keptPaused === undefined ? why : `${why}; ${keptPausedWords(keptPaused)}`;
}

/** Without a command: whoever resumes it in the cluster has Argo CD pause it again. */
function waitOfGit(inGit: GitPause, pool: PoolView): Wait {
  const { pausedBy, pausedSince } = pool;
  return {
    kind: 'pause',
    name: pausedBy,
    why: withKept(gitPauseText(inGit), pool),
    value: `paused by ${pausedBy}, from Git`,
    threshold: 'no spec.paused: true in Git',
    since: pausedSince,
    opens: `a sync after somebody has removed spec.paused: true from the pool in Git${inGit.place}`,
    who: 'whoever may change that in Git; never Poolkeeper',
  };
}

/** `isAll`: nothing else keeps the pool paused, now or afterwards. `freezes`: how many whoever holds it has there. */
interface OfPool {
  readonly pool: CommandedPool;
  readonly isAll: boolean;
  readonly freezes: number;
  /** There are further freezes, and whose is not known. */
  readonly isCounted: boolean;
}

function waitOfHold(hold: HoldView, of: OfPool): Wait {
  return { kind: 'hold', name: hold.who, why: hold.why, since: hold.since, ...endOfHold(hold, of) };
}

type EndOfHold = Omit<Wait, 'kind' | 'name' | 'why' | 'since'>;

function endOfHold(hold: HoldView, of: OfPool): EndOfHold {
  switch (hold.phase) {
    case 'expected':
      return {
        value: 'its sync has not begun',
        threshold: 'a sync of that push that has succeeded',
        opens: `the end of that sync, or ${hold.until} if none begins`,
        who: 'Argo CD, by itself; whoever may sync the Application',
        timeout: { at: hold.until, action: 'resume' },
      };
    case 'syncing':
      return {
        value: 'its sync is running',
        threshold: 'a sync that has succeeded',
        opens: 'the end of that sync',
        who: 'Argo CD, by itself; whoever may terminate the sync',
        ...timeoutOf(hold),
      };
    case 'failed':
      return {
        value: 'its sync failed',
        threshold: 'a sync that has succeeded',
        opens: 'the next sync that succeeds',
        who: 'whoever may mend and sync the Application',
        ...timeoutOf(hold),
      };
    default:
      return hold.kind === 'rollout' ? endOfRun(hold) : timedEnd(hold, of);
  }
}

/** Its time is renewed: it never ends by age, because the MCO would take the nodes that are left without their Jobs. */
function endOfRun({ who }: HoldView): EndOfHold {
  return {
    value: 'held',
    threshold: 'no such hold',
    opens: `the end of ${who}`,
    who: `${who}, by itself; whoever may abort it`,
  };
}

/** Of a person: it ends at its time, and earlier if somebody says so. A resume ends more than the hold of a person:
 *  it goes past all else that the pool waits for, and past the order of a run. A thaw ends every freeze of one
 *  person. */
function timedEnd(hold: HoldView, of: OfPool): EndOfHold {
  const { kind, who, until } = hold;
  const { freezes } = of;
  const how = howToEnd(hold, of);
  const others = kind === 'freeze' && freezes > 1 ? `; a thaw would end all ${freezes} freezes of ${who}` : '';
  return {
    value: kind === 'freeze' ? 'frozen' : 'held',
    threshold: kind === 'freeze' ? 'no freeze' : 'no such hold',
    opens: `by itself at ${until}`,
    who: `time, by itself; earlier ${who}, or whoever may change the pool${others}`,
    ...given({ how }),
    opensAt: until,
  };
}

/** A name that is cut is nobody's. */
function howToEnd({ kind, who }: HoldView, { pool, isAll, freezes, isCounted }: OfPool): string | undefined {
  if (kind === 'freeze') return freezes > 1 || isCounted || who.includes('…') ? undefined : thawCommand(pool, who);
  return isAll && kind === 'manual' ? resumeCommand(pool) : undefined;
}

function timeoutOf({ timeout }: HoldView): Pick<Wait, 'timeout'> {
  return timeout === undefined ? {} : { timeout };
}
