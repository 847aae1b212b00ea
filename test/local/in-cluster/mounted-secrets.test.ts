import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Transient } from '../../../functions/core/text/errors.ts';
import type { Secrets } from '../../../functions/ports/secrets.ts';
import { mountedSecrets, namesWithValues } from '../../../local/in-cluster/mounted-secrets.ts';

let folder: string;
let secrets: Secrets;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'poolkeeper-mounted-'));
  secrets = mountedSecrets({ folder, tokenFile: join(folder, 'mounted-token') });
});
afterEach(() => rm(folder, { recursive: true }));

describe('[C-11] secrets of a mounted Secret', () => {
  test('are the lines of the file of their name, as it is now', async () => {
    await writeFile(join(folder, 'github'), 'new\nold\n');
    expect(await secrets.read('github')).toEqual(['new', 'old']);
    await writeFile(join(folder, 'github'), 'newest');

    expect(await secrets.read('github')).toEqual(['newest']);
  });

  test('have the token of the account of the pod among them', async () => {
    await writeFile(join(folder, 'mounted-token'), 'a.b.c');

    expect(await secrets.read('service-account')).toEqual(['a.b.c']);
  });

  test.each(['../mounted-token', '..', '.', '..data', 'a/b', ''])(
    '%j is no name that a file could have',
    async (name) => {
      await expect(secrets.read(name)).rejects.toThrow(Transient);
    },
  );

  test('that are missing or empty are named with their file, and guard nothing', async () => {
    await writeFile(join(folder, 'github'), '\n');
    await writeFile(join(folder, 'argocd'), 'token');

    await expect(secrets.read('github')).rejects.toThrow(`secret github: ${join(folder, 'github')} is empty`);
    await expect(secrets.read('status')).rejects.toThrow(`there is no file ${join(folder, 'status')}`);
    expect(await namesWithValues(secrets, ['github', 'argocd', 'status'])).toEqual(new Set(['argocd']));
  });
});
