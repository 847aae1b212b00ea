import * as z from 'zod';
import { commitId, GithubRepository } from './github-repository.ts';

const paths = z.array(z.string());

/** A `push` payload as far as Poolkeeper uses it. Source: docs.github.com, webhook events and payloads. */
export const GithubPush = z.object({
  ref: z.string().min(1),
  before: commitId,
  after: commitId,
  created: z.boolean(),
  deleted: z.boolean(),
  forced: z.boolean(),
  commits: z.array(z.object({ added: paths, modified: paths, removed: paths })),
  pusher: z.object({ name: z.string().default('') }).default({ name: '' }),
  repository: GithubRepository,
});
export type GithubPush = z.infer<typeof GithubPush>;
