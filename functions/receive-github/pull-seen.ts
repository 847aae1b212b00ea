import { cloudEvent, type PullSeen } from '../../events/index.ts';
import type { GithubPull } from './github-pull.ts';

/** Our event of a pull request. Its id is GitHub's delivery id, which a redelivery repeats. */
export function pullSeen(
  { action, number, pull_request: pull, repository }: GithubPull,
  { delivery, receivedAt }: { readonly delivery: string; readonly receivedAt: Date },
): PullSeen {
  return cloudEvent({
    type: 'poolkeeper.pull.seen.v1',
    id: delivery,
    source: '/poolkeeper/receive-github',
    subject: `${repository.full_name}#${number}`,
    time: receivedAt,
    correlation: delivery,
    data: {
      delivery,
      receivedAt: receivedAt.toISOString(),
      repository: {
        htmlUrl: repository.html_url,
        fullName: repository.full_name,
        defaultBranch: repository.default_branch,
      },
      number,
      action,
      head: pull.head.sha,
      base: pull.base.ref,
    },
  });
}
