import { githubAuthorization } from '../../adapters/github/github-authorization.ts';
import { githubRepositories } from '../../adapters/github/github-repositories.ts';
import { manifestReader } from '../../adapters/yaml/read-manifests.ts';
import type { GithubSettings } from '../../core/configuration/configuration.ts';
import type { KeepPorts } from '../../keep-pools/keep-ports.ts';
import type { Secrets } from '../../ports/secrets.ts';
import type { Clock } from '../../ports/time.ts';

/** Where what a push changes is read; undefined where GitHub is not configured, or not for that. */
export function pushedChanges(
  settings: GithubSettings | undefined,
  { secrets, clock }: { readonly secrets: Secrets; readonly clock: Clock },
): KeepPorts['changes'] {
  if (settings?.readsChanges !== true) return undefined;
  const authorization = githubAuthorization({ settings, secrets, clock });
  return {
    repositories: githubRepositories({ api: settings.api, authorization, clock }),
    manifestReader,
  };
}
