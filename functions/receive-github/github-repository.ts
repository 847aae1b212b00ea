import * as z from 'zod';
import type { PushSeen } from '../../events/index.ts';

/** SHA-1 or SHA-256 object name; all zeros if a ref is created or deleted. */
export const commitId = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, 'expected a full commit id');

/** `repository` of a payload, limited to the fields in use. Source: docs.github.com, webhook events and payloads. */
export const GithubRepository = z.object({
  html_url: z.url(),
  full_name: z.string().min(1),
  default_branch: z.string().min(1),
});

/** The repository in our events. */
export function repositorySeen(repository: z.infer<typeof GithubRepository>): PushSeen['data']['repository'] {
  return {
    htmlUrl: repository.html_url,
    fullName: repository.full_name,
    defaultBranch: repository.default_branch,
  };
}
