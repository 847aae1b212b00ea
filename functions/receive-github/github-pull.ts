import * as z from 'zod';
import { commitId, GithubRepository } from './github-repository.ts';

/** A `pull_request` payload, limited to the fields in use. Source: docs.github.com, webhook events and payloads. */
export const GithubPull = z.object({
  action: z.string().min(1),
  number: z.int().min(1),
  /** Of `edited`: what was changed, with its old value. */
  changes: z.object({ base: z.unknown().optional() }).nullish(),
  pull_request: z.object({
    state: z.string(),
    draft: z.boolean().nullish(),
    head: z.object({ sha: commitId }),
    base: z.object({ ref: z.string().min(1) }),
  }),
  repository: GithubRepository.extend({
    full_name: z.string().regex(/^[\w.-]+\/[\w.-]+$/, 'expected owner/name'),
  }),
});
export type GithubPull = z.infer<typeof GithubPull>;

const looked: readonly string[] = ['opened', 'synchronize', 'reopened', 'ready_for_review'];

/** Why a preview would show nothing new; undefined: it would. */
export function whyNoPreview({ action, changes, pull_request: pull }: GithubPull): string | undefined {
  const isOtherBase = action === 'edited' && changes?.base !== undefined && changes.base !== null;
  if (!looked.includes(action) && !isOtherBase) return `action ${action} changes neither head nor base`;
  if (pull.state !== 'open') return 'the pull request is not open';
  if (pull.draft === true) return 'the pull request is a draft';
  return undefined;
}
