import * as z from 'zod';
import { commitId, GithubRepository } from './github-repository.ts';

/** Undefined: not listed, which is not the same as empty. */
const paths = z
  .array(z.string())
  .nullish()
  .transform((listed) => listed ?? undefined);

const Commit = z.object({ added: paths, modified: paths, removed: paths });

/** The commits, by the schema. Those that are as they should be are taken as they are: the schema alone takes as long
 *  for a push of 2,000 commits as parsing its JSON does. */
function commitsOf(listed: readonly unknown[], context: z.RefinementCtx): readonly CommitFiles[] {
  if (listed.every(isCommit)) return listed.map(withoutNull);
  const { data, error } = z.array(Commit).safeParse(listed);
  for (const { message, path } of error?.issues ?? []) context.addIssue({ code: 'custom', message, path });
  return data ?? [];
}

/** What a commit touches; undefined: not listed. */
interface CommitFiles {
  readonly added: readonly string[] | undefined;
  readonly modified: readonly string[] | undefined;
  readonly removed: readonly string[] | undefined;
}

type Listed = readonly string[] | null | undefined;

function withoutNull({ added, modified, removed }: SentCommit): CommitFiles {
  return { added: added ?? undefined, modified: modified ?? undefined, removed: removed ?? undefined };
}

type SentCommit = Readonly<Record<'added' | 'modified' | 'removed', Listed>>;

function isCommit(value: unknown): value is SentCommit {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    isListed('added' in value ? value.added : undefined) &&
    isListed('modified' in value ? value.modified : undefined) &&
    isListed('removed' in value ? value.removed : undefined)
  );
}

function isListed(value: unknown): value is Listed {
  return (
    value === null || value === undefined || (Array.isArray(value) && value.every((path) => typeof path === 'string'))
  );
}

/** A `push` payload as far as Poolkeeper uses it. What GitHub's own types allow to be absent or null may be: a push
 *  that says little pauses for more, it is not refused. Source: docs.github.com, webhook events and payloads;
 *  `webhook-push` of @octokit/openapi-webhooks. */
export const GithubPush = z.object({
  ref: z.string().min(1),
  before: commitId,
  after: commitId,
  /** The newest commit; of an annotated tag, the one that it names. */
  head_commit: z.object({ id: commitId }).nullish().catch(undefined),
  created: z.boolean(),
  deleted: z.boolean(),
  forced: z.boolean(),
  commits: z.array(z.unknown()).transform(commitsOf),
  /** Empty: the push does not name one. */
  pusher: z
    .object({ name: z.string().nullish() })
    .nullish()
    .transform((pusher) => pusher?.name ?? ''),
  repository: GithubRepository,
});
export type GithubPush = z.infer<typeof GithubPush>;
