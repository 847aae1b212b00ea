import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { secretKeeper } from './secret-keeper.ts';

/** Where the token of a cluster is stored. */
export interface TokenStore {
  /** `tokenSecret` of the cluster's entry. */
  readonly tokenSecret: string;
  /** As shown to people. */
  readonly where: string;
  write(token: string): Promise<void>;
  /** False: there was none. */
  remove(): Promise<boolean>;
  /** What remains to be done by hand; empty: nothing. */
  readonly afterwards: string;
}

export interface TokenPlace {
  readonly name: string;
  /** Name of the secret in Secrets Manager; undefined: a file. */
  readonly secret: string | undefined;
  readonly folder: string;
}

export function tokenStore({ name, secret, folder }: TokenPlace): TokenStore {
  return secret === undefined ? tokenFile(name, folder) : tokenSecret(secret);
}

function tokenSecret(secret: string): TokenStore {
  return {
    tokenSecret: secret,
    where: `secret ${secret} of AWS Secrets Manager`,
    write: async (token) => (await openKeeper()).write(secret, token),
    remove: async () => (await openKeeper()).remove(secret),
    afterwards: '',
  };
}

async function openKeeper(): Promise<ReturnType<typeof secretKeeper>> {
  const [{ openSecretsManager }, keeper] = await Promise.all([
    import('../../functions/adapters/aws/secrets-manager.ts'),
    import('./secret-keeper.ts'),
  ]);
  return keeper.secretKeeper(openSecretsManager());
}

function tokenFile(name: string, folder: string): TokenStore {
  const variable = `POOLKEEPER_TOKEN_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;
  const file = join(folder, `${name}.token`);
  return {
    tokenSecret: variable,
    where: `file ${file}`,
    async write(token) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // Overwriting an existing file keeps its mode.
      await rm(file, { force: true });
      await writeFile(file, token, { mode: 0o600, flag: 'wx' });
    },
    async remove() {
      try {
        await rm(file);
        return true;
      } catch (cause) {
        if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return false;
        throw cause;
      }
    },
    afterwards: `export ${variable}="$(cat ${file})"`,
  };
}
