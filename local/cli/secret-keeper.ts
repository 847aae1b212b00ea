import {
  CreateSecretCommand,
  DeleteSecretCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { awsFailure } from '../../functions/adapters/aws/aws-failure.ts';
import type { SecretWriter } from '../../functions/ports.ts';

/** For people who connect and disconnect clusters: makes the secret where there is none, and takes it away again. */
export interface SecretKeeper extends SecretWriter {
  /** In seven days, until when it can be restored. False when there was none. */
  remove(name: string): Promise<boolean>;
}

export function secretKeeper(client: SecretsManagerClient): SecretKeeper {
  return {
    async write(name, value) {
      try {
        await put(client, name, value);
      } catch (cause) {
        if (!(cause instanceof ResourceNotFoundException)) throw awsFailure('SecretsManager PutSecretValue', cause);
        await client.send(new CreateSecretCommand({ Name: name, SecretString: value })).catch((failed: unknown) => {
          throw awsFailure('SecretsManager CreateSecret', failed);
        });
      }
    },
    async remove(name) {
      try {
        await client.send(new DeleteSecretCommand({ SecretId: name, RecoveryWindowInDays: 7 }));
        return true;
      } catch (cause) {
        if (cause instanceof ResourceNotFoundException) return false;
        throw awsFailure('SecretsManager DeleteSecret', cause);
      }
    },
  };
}

async function put(client: SecretsManagerClient, name: string, value: string): Promise<void> {
  await client.send(new PutSecretValueCommand({ SecretId: name, SecretString: value }));
}
