import { PutSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { SecretWriter } from '../../ports/secrets.ts';
import { awsFailure } from './aws-failure.ts';

/** Puts a new version into a secret: it becomes AWSCURRENT, the previous one AWSPREVIOUS. The secret must exist, so
 *  that the service needs no permission to create any. */
export function secretWriter(client: SecretsManagerClient): SecretWriter {
  return {
    async write(name, value) {
      try {
        await client.send(new PutSecretValueCommand({ SecretId: name, SecretString: value }));
      } catch (cause) {
        throw awsFailure('SecretsManager PutSecretValue', cause);
      }
    },
  };
}
