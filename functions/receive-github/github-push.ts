import * as z from 'zod';

/** SHA-1 or SHA-256 object name; all zeros where a ref is created or deleted. */
const commitId = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, 'expected a full commit id');
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
  repository: z.object({
    html_url: z.url(),
    full_name: z.string().min(1),
    default_branch: z.string().min(1),
  }),
});
export type GithubPush = z.infer<typeof GithubPush>;
