import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Transient } from '../../functions/core/text/errors.ts';
import type { Secrets } from '../../functions/ports/secrets.ts';

/** The secret that is the token of the pod's own account, which the kubelet renews. */
export const accountSecret = 'service-account';

export interface MountedSecretsOptions {
  /** Where the Secret is mounted: a file a key. */
  readonly folder: string;
  /** File with the token of the pod's account. */
  readonly tokenFile: string;
}

/** Reads secrets from the files of a mounted Secret, whose keys are their names. A file has up to two values, a line
 *  each, the newest first. Read with each use, because the kubelet replaces the files when the Secret changes. */
export function mountedSecrets({ folder, tokenFile }: MountedSecretsOptions): Secrets {
  return {
    async read(name) {
      if (!isKey(name))
        throw absent(`secret ${name}: the keys of a Secret have letters, digits, "-", "_" and "." alone`);
      const file = name === accountSecret ? tokenFile : join(folder, name);
      const values = (await textOf(name, file)).split(/\r?\n/).filter(Boolean);
      if (values.length === 0) throw absent(`secret ${name}: ${file} is empty`);
      return values;
    },
  };
}

/** Those of the names that have a value. */
export async function namesWithValues(secrets: Secrets, names: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await Promise.all(
    names.map(async (name) => {
      try {
        await secrets.read(name);
        return [name];
      } catch (cause) {
        if (isAbsent(cause)) return [];
        throw cause;
      }
    }),
  );
  return new Set(found.flat());
}

/** A cluster, target or rule whose secret is missing fails by itself: no other does, and the next look tries again. */
function absent(message: string, cause?: unknown): Transient {
  return new Transient(message, { kind: 'forbidden', cause });
}

function isAbsent(cause: unknown): boolean {
  return cause instanceof Transient && cause.kind === 'forbidden';
}

/** A name leads to no other folder. Source: apimachinery validation.IsConfigMapKey. */
function isKey(name: string): boolean {
  return /^[-._a-zA-Z0-9]{1,253}$/.test(name) && !name.startsWith('..') && name !== '.';
}

async function textOf(name: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    if (isMissing) throw absent(`secret ${name}: there is no file ${file}`, cause);
    throw new Transient(`secret ${name}: ${file} cannot be read`, { cause });
  }
}
