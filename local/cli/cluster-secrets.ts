import { openSecretsManager, secretsManager } from '../../functions/adapters/aws/secrets-manager.ts';
import { Misconfigured } from '../../functions/core/text/errors.ts';
import type { Secrets } from '../../functions/ports/secrets.ts';
import type { Surroundings } from './command.ts';

/** The secrets named in poolkeeper.yaml: from the environment if the name is that of a variable, else from Secrets
 *  Manager. */
export function clusterSecrets({ environment, now }: Pick<Surroundings, 'environment' | 'now'>): Secrets {
  const store = secretsManager({ client: openSecretsManager(), clock: now });
  return {
    async read(name, options) {
      const here = environment[name];
      if (here !== undefined) return here.split(',').filter(Boolean);
      if (/^[A-Z0-9_]+$/.test(name)) throw new Misconfigured([`environment variable ${name} is not set`]);
      return store.read(name, options);
    },
  };
}
