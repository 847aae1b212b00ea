import { poolkeeperCommand } from '../../../functions/core/text/shell-words.ts';
import { roleName } from '../../manifests/access.ts';
import { accountName } from '../../manifests/manifests.ts';
import { isVariable } from '../cluster-secrets.ts';
import { secretName, stageOf } from '../connection/secret-name.ts';

/** How our account is connected to a cluster, as far as its entry and its token tell. */
export interface Connected {
  /** Its name in poolkeeper.yaml. */
  readonly cluster: string;
  /** `tokenSecret` of its entry. */
  readonly tokenSecret: string;
  /** Namespace of the account, by the claims of its token; undefined: these cannot be read. */
  readonly home: string | undefined;
  /** `--config`, if it was given. */
  readonly config: string | undefined;
  /** The poolkeeper.yaml that was read. */
  readonly file: string;
  /** The audience of its token, if API servers do not have it by default. */
  readonly audience?: string | undefined;
  /** Life of its token, if it is not the usual one. */
  readonly tokenHours?: number | undefined;
}

export interface ConnectedIn extends Connected {
  readonly home: string;
}

/** The namespace of the account where none is named. */
export const usualHome = 'poolkeeper';

/** The command by which the account gets its rights, policies and a token again, as a person can paste it. In another
 *  namespace it would make a second account, or take that of another installation; with the token elsewhere the account
 *  would be noted for an installation that nobody has, and the service would go on without a token. Where one of these
 *  cannot be known, the words behind it say so. */
export function connectAgain({ cluster, tokenSecret, home, config, tokenHours }: Connected): string {
  const words = [
    ...inHome(home),
    ...tokenPlace(cluster, tokenSecret),
    ...(tokenHours === undefined ? [] : ['--token-hours', `${tokenHours}`]),
    ...(config === undefined ? [] : ['--config', config]),
  ];
  const unknown = [...unknownHome(home), ...(isVariable(tokenSecret) ? ['--token-dir'] : [])];
  return `${poolkeeperCommand('connect', '--name', cluster, ...words)}${asBefore(unknown)}`;
}

/** The command that prints objects of the account. */
export function manifestsOf({ home }: Pick<Connected, 'home'>, ...words: readonly string[]): string {
  return `${poolkeeperCommand('manifests', ...words, ...inHome(home))}${asBefore(unknownHome(home))}`;
}

/** The command that takes the right to nodes from an account for which no runs are configured, and then the policy that
 *  limits it, which is printed with these alone. */
export function endRuns({ home }: ConnectedIn, policy: string): string {
  const role = roleName({ namespace: home, name: accountName }, 'runs');
  const gone = 'oc delete --ignore-not-found';
  return `no runs are configured here: ${gone} clusterrolebindings.rbac.authorization.k8s.io ${role} && ${gone} validatingadmissionpolicybinding,validatingadmissionpolicy ${policy}`;
}

function inHome(home = usualHome): readonly string[] {
  return home === usualHome ? [] : ['--namespace', home];
}

function unknownHome(home: string | undefined): readonly string[] {
  return home === undefined ? ['--namespace'] : [];
}

/** A file, whose folder nobody knows any more, stands behind a variable. */
function tokenPlace(cluster: string, secret: string): readonly string[] {
  if (isVariable(secret)) return [];
  const stage = stageOf(secret);
  return stage !== undefined && secretName(cluster, { stage }) === secret ? ['--stage', stage] : ['--secret', secret];
}

function asBefore(flags: readonly string[]): string {
  return flags.length === 0 ? '' : ` (${flags.join(' and ')} as before)`;
}
