import type { SlackButtons } from '../configuration/alerts.ts';
import { freezeId } from '../openshift/freeze.ts';
import type { Hold } from '../openshift/hold.ts';
import { secondsBetween } from '../text/durations.ts';
import { listed } from '../text/phrases.ts';
import { command } from '../text/shell-words.ts';
import type { AskedRequest, ClusterRequest } from './asked-request.ts';
import type { ApprovalRequest } from './request.ts';

/** The command in Slack. */
export const slackCommand = '/poolkeeper';

/** What was there before a command, and would end with it if it were simply taken back. */
export interface Earlier {
  /** Of each pool that was changed: the person's own hold; the freezes of everybody. */
  readonly ofPools: readonly (readonly Pick<Hold, 'id' | 'who' | 'until'>[])[];
  /** Cluster upgrades wait for one of them: the command line pauses it only if told so. Absent: for none. */
  readonly isRequired?: boolean | undefined;
  /** When it was changed. */
  readonly now: Date;
}

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
  const line = commandOf(asked, buttons, earlier);
  return line === undefined ? undefined : { kind: 'command', command: line };
}

function commandOf(
  { request, cluster, answer: { user } }: Pick<AskedRequest, 'request' | 'cluster' | 'answer'>,
  buttons: Pick<SlackButtons, 'mayFreeze' | 'mayResume'> | undefined,
  { ofPools, isRequired, now }: Earlier,
): string | undefined {
  const may = (list: 'mayFreeze' | 'mayResume') => buttons?.[list].includes(user) === true;
  const required = isRequired === true ? ['--required'] : [];
  switch (request.kind) {
    case 'hold':
      // Their own hold ends, or goes back to its end: a resume would go past gates and running syncs, too.
      return `${slackCommand} hold ${cluster}/${request.pool} ${leftText(ofPools.flat()[0], now)} REASON`;
    case 'resume':
      return may('mayFreeze')
        ? `${slackCommand} hold ${cluster}/${request.pool} 2h REASON`
        : `${command('npx', 'poolkeeper', 'hold', '--pool', request.pool, ...required)} --for 2h --reason "..."`;
    case 'thaw':
      return may('mayFreeze')
        ? `${slackCommand} freeze ${cluster}/${request.pool} 4h REASON`
        : `${command('npx', 'poolkeeper', 'freeze', ...flagsOf(request.pool), ...required)} --for 4h --reason "..."`;
    case 'steer-run':
      return `${slackCommand} run ${opposites[request.act]} ${request.run} REASON`;
    case 'freeze':
    case 'look':
      return undefined;
    default:
      return request satisfies never;
  }
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
    const byHand = `${command('npx', 'poolkeeper', 'thaw', ...flagsOf(pool), '--by', who)} --reason "..."`;
    return { kind: 'command', command: isAlone ? `${slackCommand} thaw ${cluster}/${pool} REASON` : byHand };
  }
  const isMoved =
    first.id === freezeId(pool === '*' ? 'cluster' : 'pool', who) &&
    own.every(({ length }) => length === 1) &&
    others.every(({ id, until }) => id === first.id && until === first.until);
  if (isMoved)
    return { kind: 'command', command: `${slackCommand} freeze ${cluster}/${pool} ${leftText(first, now)} REASON` };
  const ends = [...new Set(own.flat().map(({ until }) => `${until.slice(0, 16)}Z`))].toSorted();
  const why = `No single command undoes it: thaw would also end what ${who} had frozen before, until ${listed(ends, 3)}.`;
  return { kind: 'none', why };
}

/** Until the end that it had before; the shortest time if there was none. */
function leftText(before: Pick<Hold, 'until'> | undefined, now: Date): string {
  const minutes = before === undefined ? 1 : Math.ceil(secondsBetween(now.toISOString(), new Date(before.until)) / 60);
  return `${Math.max(1, minutes)}m`;
}

/** The command that takes an approval back, or gives it again. */
export function undoOfApproval({ kind, cluster, pool, config }: ApprovalRequest): string {
  return `${slackCommand} ${kind === 'approve' ? 'revoke' : 'approve'} ${cluster}/${pool} ${config}`;
}

const opposites = { pause: 'go-on', 'go-on': 'pause', abort: 'start', start: 'abort' } as const;

function flagsOf(pool: string): readonly string[] {
  return pool === '*' ? ['--all'] : ['--pool', pool];
}
