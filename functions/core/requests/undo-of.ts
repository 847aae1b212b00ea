import type { SlackButtons } from '../configuration/alerts.ts';
import { coversCluster, freezeId } from '../openshift/freeze.ts';
import type { Hold } from '../openshift/hold.ts';
import { secondsBetween } from '../text/durations.ts';
import { latest } from '../text/instant.ts';
import { listed } from '../text/phrases.ts';
import { clusterWords, poolCommand } from '../text/pool-command.ts';
import { poolkeeperCommand } from '../text/shell-words.ts';
import type { AskedRequest, ClusterRequest } from './asked-request.ts';
import { freezeHereBounds } from './bounds.ts';
import type { ApprovalRequest } from './request.ts';
import { actBack, type RunBefore } from './steered-run.ts';

/** The command in Slack. */
export const slackCommand = '/poolkeeper';

/** What was there before a command, and would end with it if it were simply taken back; of a command that ends
 *  something, what it has ended. */
export interface Earlier {
  /** Of each pool that was changed. A hold: the person's own one. A freeze: the freezes of everybody. A resume: the
   *  holds that it has ended or passed. A thaw: the freezes that it has ended. */
  readonly ofPools: readonly (readonly EarlierHold[])[];
  /** How the run stood that was steered; absent: none was. */
  readonly run?: RunBefore | undefined;
  /** Cluster upgrades wait for one of them: the command line pauses it only if told so. Absent: for none. */
  readonly isRequired?: boolean | undefined;
  /** When it was changed. */
  readonly now: Date;
}

type EarlierHold = Pick<Hold, 'id' | 'kind' | 'who' | 'until'>;

/** How what was asked is taken back: in Slack by whoever is listed there for that, otherwise on the command line; a
 *  sentence where no single command does it. Undefined: nothing was changed. */
export type Undo =
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'none'; readonly why: string };

export function undoOf(
  asked: Pick<AskedRequest, 'request' | 'cluster' | 'answer' | 'who'>,
  buttons: Pick<SlackButtons, 'mayFreeze' | 'mayResume'> | undefined,
  earlier: Earlier,
): Undo | undefined {
  const { request } = asked;
  if (request.kind === 'freeze') return undoOfFreeze({ ...asked, request }, buttons, earlier);
  if (request.kind === 'thaw') return undoOfThaw({ ...asked, request }, buttons, earlier);
  const line = commandOf(asked, buttons, earlier);
  return line === undefined ? undefined : { kind: 'command', command: line };
}

function commandOf(
  { request, cluster, answer: { user } }: Pick<AskedRequest, 'request' | 'cluster' | 'answer'>,
  buttons: Pick<SlackButtons, 'mayFreeze'> | undefined,
  { ofPools, run, isRequired, now }: Earlier,
): string | undefined {
  switch (request.kind) {
    case 'hold':
      // Their own hold ends, or goes back to its end: a resume would go past gates and running syncs, too.
      return `${slackCommand} hold ${cluster}/${request.pool} ${leftText(ofPools.flat()[0]?.until, now)} REASON`;
    case 'resume': {
      const seconds = holdAgainSeconds(ofPools.flat(), now);
      return buttons?.mayFreeze.includes(user) === true && isForSlack(seconds)
        ? `${slackCommand} hold ${cluster}/${request.pool} ${minutesText(seconds)} REASON`
        : `${poolCommand('hold', { cluster, pool: request.pool }, ...requiredFlag(isRequired))} --for ${minutesText(seconds)} --reason "..."`;
    }
    case 'steer-run': {
      const back = run && actBack(request.act, run);
      return back && `${slackCommand} run ${back} ${request.run} REASON`;
    }
    case 'freeze':
    case 'thaw':
    case 'look':
      return undefined;
    default:
      return request satisfies never;
  }
}

/** Seconds. Without a hold of a person, and for what else was passed, as a running sync. */
const holdAgainAtLeast = 7200;

/** Seconds, whole minutes: how long a pool is held again so that a resume is undone. To the end of the hold that would
 *  have lasted longest.
 *  @param ended the holds that the resume has ended or passed */
export function holdAgainSeconds(ended: readonly Pick<Hold, 'kind' | 'until'>[], now: Date): number {
  const ofPeople = ended.filter(({ kind, until }) => kind === 'manual' && secondsLeft(until, now) > 0);
  const end = latest(ofPeople.map(({ until }) => until));
  const others = ended.some(({ kind }) => kind !== 'manual');
  const least = end === undefined || others ? holdAgainAtLeast : 60;
  return Math.max(least, end === undefined ? 0 : wholeMinutes(secondsLeft(end, now)));
}

/** The freezes that were ended, until the end that they had: one of all pools, or of one. Whose they were is lost:
 *  whoever freezes anew has a freeze of their own. */
function undoOfThaw(
  {
    request: { pool },
    cluster,
    answer: { user },
  }: Pick<AskedRequest, 'cluster' | 'answer'> & { readonly request: Extract<ClusterRequest, { kind: 'thaw' }> },
  buttons: Pick<SlackButtons, 'mayFreeze'> | undefined,
  { ofPools, isRequired, now }: Earlier,
): Undo | undefined {
  const ended = ofPools.flat();
  const end = latest(ended.map(({ until }) => until));
  if (end === undefined) return undefined;
  const ends = endsOf(ended);
  // A freeze of all pools is none of those that had one of their own, and ends on all of them at once.
  if (pool === '*' && (ends.length > 1 || !ended.every(({ id }) => coversCluster(id)))) {
    const why = `No single command undoes it: the pools were frozen each for itself, until ${listed(ends, 3)}.`;
    return { kind: 'none', why };
  }
  const isShort = buttons?.mayFreeze.includes(user) === true && isForSlack(secondsLeft(end, now));
  const byHand = poolkeeperCommand('freeze', ...flagsOf(cluster, pool), ...requiredFlag(isRequired));
  return {
    kind: 'command',
    command: isShort
      ? `${slackCommand} freeze ${cluster}/${pool} ${leftText(end, now)} REASON`
      : `${byHand} --until ${minuteOf(end)} --reason "..."`,
  };
}

/** A thaw ends every freeze of one person. What the same person had frozen before is frozen again until its own end,
 *  where one command can say that. */
function undoOfFreeze(
  {
    request: { pool },
    cluster,
    who,
    answer: { user },
  }: Pick<AskedRequest, 'cluster' | 'answer' | 'who'> & {
    readonly request: Extract<ClusterRequest, { kind: 'freeze' }>;
  },
  buttons: Pick<SlackButtons, 'mayResume'> | undefined,
  { ofPools, now }: Earlier,
): Undo {
  const own = ofPools.map((freezes) => freezes.filter((each) => each.who === who));
  const [first, ...others] = own.flat();
  if (first === undefined) {
    // Elsewhere a thaw in Slack is refused, which does not know whose freeze is meant.
    const isAlone = ofPools.flat().length === 0 && buttons?.mayResume.includes(user) === true;
    const byHand = `${poolkeeperCommand('thaw', ...flagsOf(cluster, pool), '--by', who)} --reason "..."`;
    return { kind: 'command', command: isAlone ? `${slackCommand} thaw ${cluster}/${pool} REASON` : byHand };
  }
  const isMoved =
    first.id === freezeId(pool === '*' ? 'cluster' : 'pool', who) &&
    own.every(({ length }) => length === 1) &&
    others.every(({ id, until }) => id === first.id && until === first.until);
  if (isMoved)
    return {
      kind: 'command',
      command: `${slackCommand} freeze ${cluster}/${pool} ${leftText(first.until, now)} REASON`,
    };
  const why = `No single command undoes it: thaw would also end what ${who} had frozen before, until ${listed(endsOf(own.flat()), 3)}.`;
  return { kind: 'none', why };
}

/** Until the end that it had before; the shortest time if there was none. */
function leftText(until: string | undefined, now: Date): string {
  return minutesText(until === undefined ? 60 : secondsLeft(until, now));
}

function secondsLeft(until: string, now: Date): number {
  return secondsBetween(now.toISOString(), new Date(until));
}

function wholeMinutes(seconds: number): number {
  return Math.max(1, Math.ceil(seconds / 60)) * 60;
}

function minutesText(seconds: number): string {
  return `${wholeMinutes(seconds) / 60}m`;
}

function isForSlack(seconds: number): boolean {
  return wholeMinutes(seconds) <= freezeHereBounds.most;
}

function endsOf(holds: readonly Pick<Hold, 'until'>[]): readonly string[] {
  return [...new Set(holds.map(({ until }) => minuteOf(until)))].toSorted();
}

function minuteOf(until: string): string {
  return `${until.slice(0, 16)}Z`;
}

function requiredFlag(isRequired: boolean | undefined): readonly string[] {
  return isRequired === true ? ['--required'] : [];
}

/** The command that takes an approval back, or gives it again. */
export function undoOfApproval({ kind, cluster, pool, config }: ApprovalRequest): string {
  return `${slackCommand} ${kind === 'approve' ? 'revoke' : 'approve'} ${cluster}/${pool} ${config}`;
}

function flagsOf(cluster: string, pool: string): readonly string[] {
  return [...clusterWords(cluster), ...(pool === '*' ? ['--all'] : ['--pool', pool])];
}
