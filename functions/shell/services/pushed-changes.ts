import { githubAuthorization } from '../../adapters/github/github-authorization.ts';
import { githubRepositories } from '../../adapters/github/github-repositories.ts';
import { repositoryNames } from '../../adapters/github/repository-names.ts';
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

/** Asks what repositories are called; undefined if GitHub is not configured. With tokens of its own: what is refused
 *  to it is refused to nobody else. */
export function namesAtGithub(
  settings: GithubSettings | undefined,
  { secrets, clock, deadline }: PushedChangesPorts,
): KeepPorts['repositoryNames'] {
  if (settings === undefined) return undefined;
  const authorization = githubAuthorization({ settings, secrets, clock, deadline });
  return repositoryNames({ api: settings.api, authorization, appId: settings.app?.id, clock, deadline });
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
