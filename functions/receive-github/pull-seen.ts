import { cloudEvent, type PullSeen } from '../../events/index.ts';
import type { GithubPull } from './github-pull.ts';
import { repositorySeen } from './github-repository.ts';

/** Our event for a pull request. Its id is GitHub's delivery id, which a redelivery repeats. */
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
      repository: repositorySeen(repository),
      number,
      action,
      head: pull.head.sha,
      base: pull.base.ref,
    },
  });
}
