import * as z from 'zod';
import { commitId, GithubRepository } from './github-repository.ts';

/** Undefined: not listed, which is not the same as empty. */
const paths = z
  .array(z.string())
  .nullish()
  .transform((listed) => listed ?? undefined);

/** A `push` payload as far as Poolkeeper uses it. What GitHub's own types allow to be absent or null may be: a push
 *  that says little pauses for more, it is not refused. Source: docs.github.com, webhook events and payloads;
 *  `webhook-push` of @octokit/openapi-webhooks. */
export const GithubPush = z.object({
  ref: z.string().min(1),
  before: commitId,
  after: commitId,
  created: z.boolean(),
  deleted: z.boolean(),
  forced: z.boolean(),
  commits: z.array(z.object({ added: paths, modified: paths, removed: paths })),
  /** Empty: the push does not name one. */
  pusher: z
    .object({ name: z.string().nullish() })
    .nullish()
    .transform((pusher) => pusher?.name ?? ''),
  repository: GithubRepository,
});
export type GithubPush = z.infer<typeof GithubPush>;
