import { Misconfigured } from '../../functions/core/text/errors.ts';
import type { Secrets } from '../../functions/ports/secrets.ts';

/** Secrets by the name that the functions use, each with the variable it comes from on this machine. */
const secretVariables = {
  github: 'POOLKEEPER_GITHUB_SECRET',
  argocd: 'POOLKEEPER_ARGOCD_TOKEN',
  cluster: 'POOLKEEPER_CLUSTER_TOKEN',
  handshake: 'POOLKEEPER_HANDSHAKE_TOKEN',
} as const;

/** What stands in for a secret that was not set. Known to everybody: good on loopback, refused on AWS. */
const developmentSecret = 'development';

/** Secrets from the environment: two live values separated by a comma. Names that are no part of `secretVariables`
 *  are read as names of variables themselves (a Slack token, an SMTP password). Throws Misconfigured where nothing
 *  is set. */
export function localSecrets(environment: Readonly<Record<string, string | undefined>>): Secrets {
  refuseOnLambda(environment);
  const known: Readonly<Record<string, string>> = secretVariables;
  return {
    async read(name) {
      const variable = known[name] ?? name;
      const values = (environment[variable] ?? '').split(',').filter((value) => value !== '');
      if (values.length > 0) return values;
      if (name in known) return [developmentSecret];
      throw new Misconfigured([`environment variable ${variable} is not set`]);
    },
  };
}

/** The entrances whose secret somebody has set. They may be reached through a tunnel; the others, whose secret
 *  everybody knows, answer to this machine only. */
export function guardedPaths(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(secretVariables).flatMap(([name, variable]) =>
    (environment[variable] ?? '').split(',').some((value) => value !== '' && value !== developmentSecret)
      ? [`/${name}`]
      : [],
  );
}

function refuseOnLambda(environment: Readonly<Record<string, string | undefined>>): void {
  if (environment['AWS_LAMBDA_FUNCTION_NAME'] !== undefined) {
    throw new Misconfigured([
      'local defaults are refused on AWS: functions there are built by functions/shell/services',
    ]);
  }
}
