import { Misconfigured } from '../../functions/core/text/errors.ts';
import type { Secrets } from '../../functions/ports/secrets.ts';
import type { Surroundings } from './command.ts';

/** The secrets named in poolkeeper.yaml: from the environment if the name is that of a variable, else from Secrets
 *  Manager, whose client is loaded when it is first asked. */
export function clusterSecrets({ environment, now }: Pick<Surroundings, 'environment' | 'now'>): Secrets {
  let store: Promise<Secrets> | undefined;
  return {
    async read(name, options) {
      const here = environment[name];
      if (here !== undefined) return here.split(',').filter(Boolean);
      if (isVariable(name)) throw new Misconfigured([`environment variable ${name} is not set`]);
      store ??= openStore(now);
      return (await store).read(name, options);
    },
  };
}

/** Whether a secret is named as variables of the environment are, and not one in Secrets Manager. */
export function isVariable(name: string): boolean {
  return /^[A-Z0-9_]+$/.test(name);
}

async function openStore(clock: () => Date): Promise<Secrets> {
  const { openSecretsManager, secretsManager } = await import('../../functions/adapters/aws/secrets-manager.ts');
  return secretsManager({ client: openSecretsManager(), clock });
}
