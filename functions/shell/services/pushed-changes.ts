import { githubAuthorization } from '../../adapters/github/github-authorization.ts';
import { githubRepositories } from '../../adapters/github/github-repositories.ts';
import { manifestReader } from '../../adapters/yaml/read-manifests.ts';
import type { GithubSettings } from '../../core/configuration/github.ts';
import type { KeepPorts } from '../../keep-pools/keep-ports.ts';
import type { Secrets } from '../../ports/secrets.ts';
import type { Clock, Deadline } from '../../ports/time.ts';

export interface PushedChangesPorts {
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly deadline: Deadline;
}

/** Reads what a push changes; undefined if GitHub is not configured, or not for that. */
export function pushedChanges(
  settings: GithubSettings | undefined,
  { secrets, clock, deadline }: PushedChangesPorts,
): KeepPorts['changes'] {
  if (settings?.readsChanges !== true) return undefined;
  const authorization = githubAuthorization({ settings, secrets, clock, deadline });
  return {
    repositories: githubRepositories({ api: settings.api, authorization, clock, deadline }),
    manifestReader,
  };
}
