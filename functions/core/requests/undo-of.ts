import type { SlackButtons } from '../configuration/alerts.ts';
import { command } from '../text/shell-words.ts';
import type { AskedRequest } from './asked-request.ts';
import type { ApprovalRequest } from './request.ts';

/** The command in Slack. */
export const slackCommand = '/poolkeeper';

/** How what was asked is taken back: in Slack by whoever is listed there for that, otherwise on the command line;
 *  undefined: nothing was changed. */
export function undoOf(
  { request, cluster, answer: { user } }: Pick<AskedRequest, 'request' | 'cluster' | 'answer'>,
  buttons: Pick<SlackButtons, 'mayFreeze' | 'mayResume'> | undefined,
): string | undefined {
  const may = (list: 'mayFreeze' | 'mayResume') => buttons?.[list].includes(user) === true;
  switch (request.kind) {
    case 'hold':
      // Their own hold ends: a resume would go past gates and running syncs, too.
      return `${slackCommand} hold ${cluster}/${request.pool} 1m REASON`;
    case 'resume':
      return may('mayFreeze')
        ? `${slackCommand} hold ${cluster}/${request.pool} 2h REASON`
        : `${command('npx', 'poolkeeper', 'hold', '--pool', request.pool)} --for 2h --reason "..."`;
    case 'freeze':
      return may('mayResume')
        ? `${slackCommand} thaw ${cluster}/${request.pool} REASON`
        : `${command('npx', 'poolkeeper', 'thaw', ...ofPools(request.pool))} --reason "..."`;
    case 'thaw':
      return may('mayFreeze')
        ? `${slackCommand} freeze ${cluster}/${request.pool} 4h REASON`
        : `${command('npx', 'poolkeeper', 'freeze', ...ofPools(request.pool))} --for 4h --reason "..."`;
    case 'steer-run':
      return `${slackCommand} run ${opposites[request.act]} ${request.run} REASON`;
    case 'look':
      return undefined;
    default:
      return request satisfies never;
  }
}

/** The command that takes an approval back, or gives it again. */
export function undoOfApproval({ kind, cluster, pool, config }: ApprovalRequest): string {
  return `${slackCommand} ${kind === 'approve' ? 'revoke' : 'approve'} ${cluster}/${pool} ${config}`;
}

const opposites = { pause: 'go-on', 'go-on': 'pause', abort: 'start', start: 'abort' } as const;

function ofPools(pool: string): readonly string[] {
  return pool === '*' ? ['--all'] : ['--pool', pool];
}
