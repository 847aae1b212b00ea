import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
  type SecretsManagerClientConfig,
} from '@aws-sdk/client-secrets-manager';
import { unique } from '../../core/text/unique.ts';
import type { Secrets } from '../../ports/secrets.ts';
import type { Clock } from '../../ports/time.ts';
import { awsFailure } from './aws-failure.ts';
import { clientSettings } from './client-settings.ts';

/** Milliseconds: values are cached for 5 min. A rotation is noticed soon, and both values are valid meanwhile. */
const keepMs = 300_000;

export interface SecretsManagerOptions {
  readonly client: SecretsManagerClient;
  readonly clock: Clock;
}

/** A client with time limits; created once per cold start. */
export function openSecretsManager(config: SecretsManagerClientConfig = {}): SecretsManagerClient {
  return new SecretsManagerClient({ ...clientSettings, ...config });
}

/** The versions AWSCURRENT and AWSPREVIOUS of a secret, newest first. Values are cached for 300 s, failures never. */
export function secretsManager({ client, clock }: SecretsManagerOptions): Secrets {
  const cache = new Map<string, { readonly values: Promise<readonly string[]>; readonly untilMs: number }>();

  async function version(name: string, stage: 'AWSCURRENT' | 'AWSPREVIOUS'): Promise<readonly string[]> {
    try {
      const answer = await client.send(new GetSecretValueCommand({ SecretId: name, VersionStage: stage }));
      return answer.SecretString ? [answer.SecretString] : [];
    } catch (cause) {
      // A secret that was never rotated has no previous version.
      if (stage === 'AWSPREVIOUS' && cause instanceof ResourceNotFoundException) return [];
      throw awsFailure('SecretsManager GetSecretValue', cause);
    }
  }

  async function fetch(name: string): Promise<readonly string[]> {
    const [current, previous] = await Promise.all([version(name, 'AWSCURRENT'), version(name, 'AWSPREVIOUS')]);
    return unique([...current, ...previous]);
  }

  return {
    read(name, { fresh = false } = {}) {
      const now = clock().getTime();
      const cached = cache.get(name);
      const known = cached !== undefined && now < cached.untilMs ? cached : undefined;
      if (!fresh && known !== undefined) return known.values;
      const values = fetch(name);
      const entry = { values, untilMs: now + keepMs };
      // What is known stays until it has been read anew: it is good where that fails, and for others meanwhile.
      if (known === undefined) cache.set(name, entry);
      values.then(
        () => {
          if ((cache.get(name)?.untilMs ?? 0) <= entry.untilMs) cache.set(name, entry);
        },
        () => {
          if (cache.get(name) === entry) cache.delete(name);
        },
      );
      return values;
    },
  };
}
