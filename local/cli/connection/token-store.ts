import { access, constants, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { command } from '../../../functions/core/text/shell-words.ts';
import type { secretKeeper } from './secret-keeper.ts';
import { stageOf } from './secret-name.ts';

/** Where the token of a cluster is stored. */
export interface TokenStore {
  /** `tokenSecret` of the cluster's entry. */
  readonly tokenSecret: string;
  /** As shown to people. */
  readonly where: string;
  /** Which installation of Poolkeeper it is, in the same words on every machine: nothing else that connecting and
   *  disconnecting are told differs between two that call a cluster by one name. */
  readonly installation: string;
  /** Throws Misconfigured if it is clear beforehand that a token cannot be written. */
  requireWritable(): Promise<void>;
  /** False: there is no token to be removed. Throws Misconfigured if it is clear beforehand that it cannot be. */
  mayBeThere(): Promise<boolean>;
  /** Whether that is certain. */
  readonly isSure: boolean;
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
  const stage = stageOf(secret);
  return {
    tokenSecret: secret,
    where: `secret ${secret} of AWS Secrets Manager`,
    installation: stage === undefined ? `secret ${secret}` : `stage ${stage}`,
    // Asking for it would need one more right.
    requireWritable: async () => {},
    mayBeThere: async () => true,
    isSure: false,
    write: async (token) => (await openKeeper()).write(secret, token),
    remove: async () => (await openKeeper()).remove(secret),
    afterwards: '',
  };
}

async function openKeeper(): Promise<ReturnType<typeof secretKeeper>> {
  const [{ openSecretsManager }, keeper] = await Promise.all([
    import('../../../functions/adapters/aws/secrets-manager.ts'),
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
    installation: `token folder ${basename(resolve(folder))}`,
    async requireWritable() {
      const nearest = await nearestOf(folder);
      if (!(await stat(nearest)).isDirectory())
        throw new Misconfigured([`--token-dir ${folder}: ${nearest} is a file`]);
      await requireRight(nearest, file);
      if ((await stat(file).catch(() => undefined))?.isDirectory() === true)
        throw new Misconfigured([`${file}: is a directory`]);
    },
    async mayBeThere() {
      const found = await stat(file).catch(absentIn(file));
      if (found === undefined) return false;
      if (!found.isFile()) throw new Misconfigured([`${file}: is no file`]);
      await requireRight(folder, file);
      return true;
    },
    isSure: true,
    async write(token) {
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        // Overwriting an existing file keeps its mode.
        await rm(file, { force: true });
        await writeFile(file, token, { mode: 0o600, flag: 'wx' });
      } catch (cause) {
        throw cannotBeWritten(file, cause);
      }
    },
    async remove() {
      if ((await stat(file).catch(absentIn(file))) === undefined) return false;
      await rm(file).catch((cause: unknown) => {
        throw new Misconfigured([`${file}: cannot be removed`], { cause });
      });
      return true;
    },
    afterwards: `export ${variable}="$(${command('cat', file)})"`,
  };
}

/** The folder, or the one above it that is there. */
async function nearestOf(folder: string): Promise<string> {
  if ((await stat(folder).catch(absentIn(folder))) !== undefined || dirname(folder) === folder) return folder;
  return nearestOf(dirname(folder));
}

function absentIn(file: string) {
  return (cause: unknown): undefined => {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return;
    throw new Misconfigured([`${file}: cannot be looked at`], { cause });
  };
}

async function requireRight(folder: string, file: string): Promise<void> {
  await access(folder, constants.W_OK).catch((cause: unknown) => {
    throw cannotBeWritten(file, cause);
  });
}

function cannotBeWritten(file: string, cause: unknown): Misconfigured {
  return new Misconfigured([`${file}: cannot be written`], { cause });
}
