import { cloudEvent, type PushSeen } from '../../events/index.ts';
import { changedFiles } from './changed-files.ts';
import type { GithubPush } from './github-push.ts';
import { repositorySeen } from './github-repository.ts';

/** Our event for a push. Its id is GitHub's delivery id, which a redelivery repeats. */
export function pushSeen(
  push: GithubPush,
  { delivery, receivedAt }: { readonly delivery: string; readonly receivedAt: Date },
): PushSeen {
  const { ref, before, after, head_commit: head, created, deleted, forced, pusher, repository } = push;
  return cloudEvent({
    type: 'poolkeeper.push.seen.v1',
    id: delivery,
    source: '/poolkeeper/receive-github',
    subject: `${repository.full_name} ${ref}`,
    time: receivedAt,
    correlation: delivery,
    data: {
      delivery,
      receivedAt: receivedAt.toISOString(),
      repository: repositorySeen(repository),
      ref,
      before,
      after,
      ...(head && head.id !== after && ref.startsWith('refs/tags/') ? { commit: head.id } : {}),
      created,
      deleted,
      forced,
      pusher,
      files: changedFiles(push),
    },
  });
}
