import { Misconfigured, Transient } from '../../functions/core/text/errors.ts';
import type { Secrets } from '../../functions/ports/secrets.ts';

/** The secrets that the functions use, and the environment variable of each. */
const secretVariables = {
  github: 'POOLKEEPER_GITHUB_SECRET',
  argocd: 'POOLKEEPER_ARGOCD_TOKEN',
  cluster: 'POOLKEEPER_CLUSTER_TOKEN',
  handshake: 'POOLKEEPER_HANDSHAKE_TOKEN',
} as const;

/** Default of a secret that is not set. Publicly known: fine on loopback, refused on AWS. */
const developmentSecret = 'development';

/** Reads secrets from the environment: up to two values, separated by a comma. A name that is not in `secretVariables`
 *  is itself the name of a variable (a Slack token, an SMTP password). Throws Misconfigured if that is not set. */
export function localSecrets(environment: Readonly<Record<string, string | undefined>>): Secrets {
  refuseOnLambda(environment);
  const known: Readonly<Record<string, string>> = secretVariables;
  return {
    async read(name) {
      const variable = known[name] ?? name;
      const values = (environment[variable] ?? '').split(',').filter((value) => value !== '');
      if (values.length > 0) return values;
      if (name in known) return [developmentSecret];
      throw new Transient(`environment variable ${variable} is not set`, { kind: 'forbidden' });
    },
  };
}

/** The paths whose secret has been set. They may be reached through a tunnel; the others use the publicly known default
 *  and answer only to this machine. */
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
