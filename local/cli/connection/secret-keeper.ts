import {
  CreateSecretCommand,
  DeleteSecretCommand,
  InvalidRequestException,
  PutSecretValueCommand,
  ResourceNotFoundException,
  RestoreSecretCommand,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { awsFailure } from '../../../functions/adapters/aws/aws-failure.ts';
import type { SecretWriter } from '../../../functions/ports/secrets.ts';

/** For `connect` and `disconnect`: creates the secret if there is none, and deletes it. */
export interface SecretKeeper extends SecretWriter {
  /** Scheduled deletion in seven days; it can be restored until then. False: there was none. */
  remove(name: string): Promise<boolean>;
}

export function secretKeeper(client: SecretsManagerClient): SecretKeeper {
  return {
    async write(name, value) {
      try {
        await put(client, name, value);
      } catch (cause) {
        if (cause instanceof ResourceNotFoundException) return create(client, name, value);
        // A cluster disconnected within the last seven days: its secret is scheduled for deletion.
        if (cause instanceof InvalidRequestException) return restore(client, name, value);
        throw awsFailure('SecretsManager PutSecretValue', cause);
      }
    },
    async remove(name) {
      try {
        await client.send(new DeleteSecretCommand({ SecretId: name, RecoveryWindowInDays: 7 }));
        return true;
      } catch (cause) {
        // It does not exist, or is already scheduled for deletion.
        if (cause instanceof ResourceNotFoundException || cause instanceof InvalidRequestException) return false;
        throw awsFailure('SecretsManager DeleteSecret', cause);
      }
    },
  };
}

async function create(client: SecretsManagerClient, name: string, value: string): Promise<void> {
  await client.send(new CreateSecretCommand({ Name: name, SecretString: value })).catch((cause: unknown) => {
    throw awsFailure('SecretsManager CreateSecret', cause);
  });
}

async function restore(client: SecretsManagerClient, name: string, value: string): Promise<void> {
  try {
    await client.send(new RestoreSecretCommand({ SecretId: name }));
    await put(client, name, value);
  } catch (cause) {
    throw awsFailure('SecretsManager RestoreSecret', cause);
  }
}

async function put(client: SecretsManagerClient, name: string, value: string): Promise<void> {
  await client.send(new PutSecretValueCommand({ SecretId: name, SecretString: value }));
}
