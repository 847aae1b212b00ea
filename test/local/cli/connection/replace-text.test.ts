import { statSync, writeFileSync } from 'node:fs';
import {
  chmod,
  type FileHandle,
  lstat,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Misconfigured } from '../../../../functions/core/text/errors.ts';
import { replaceText, requireReplaceable } from '../../../../local/cli/connection/replace-text.ts';

let folder: string;
let file: string;
let lock: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'poolkeeper-text-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  file = join(folder, 'poolkeeper.yaml');
  lock = `${file}.lock`;
  await writeFile(file, 'before\n');
});

const withMore = (text = '') => `${text}more\n`;

/** Waits without time passing. */
function waiting(then: (rounds: number) => Promise<void> = async () => undefined) {
  const waited: number[] = [];
  const wait = async (ms: number) => {
    waited.push(ms);
    await then(waited.length);
  };
  return { wait, rounds: () => waited.length };
}

describe('[C-13] [N-29] a text that is replaced', () => {
  test('keeps what an editor has saved meanwhile: it is begun again from that', async () => {
    let rounds = 0;

    await replaceText(file, (text) => {
      rounds += 1;
      if (rounds === 1) writeFileSync(file, 'of an editor\n');
      return withMore(text);
    });

    expect(await readFile(file, 'utf8')).toBe('of an editor\nmore\n');
    expect(await readdir(folder)).toEqual(['poolkeeper.yaml']);
  });

  test('is written whole where each write takes only a part of it, as on a disk that is nearly full', async () => {
    const handle = await open(file);
    const prototype: FileHandle = Object.getPrototypeOf(handle);
    await handle.close();
    const { write } = prototype;
    const partly = function (this: FileHandle, bytes: Buffer, from: number, length: number, position: number) {
      return Reflect.apply(write, this, [bytes, from, Math.min(length, 4), position]);
    };
    vi.spyOn(prototype, 'write').mockImplementation(partly as never);
    onTestFinished(() => void vi.restoreAllMocks());

    await replaceText(file, (text) => `${text}more than one write takes: \u00fc\n`);

    expect(await readFile(file, 'utf8')).toBe('before\nmore than one write takes: \u00fc\n');
  });

  test('keeps what has become of a file that was not there', async () => {
    await rm(file);

    await replaceText(file, (text) => {
      if (text === undefined) writeFileSync(file, 'of an editor\n');
      return withMore(text);
    });

    expect(await readFile(file, 'utf8')).toBe('of an editor\nmore\n');
  });

  test('is refused where others save it each time, and theirs stays', async () => {
    let rounds = 0;

    const refused = replaceText(file, (text) => {
      rounds += 1;
      writeFileSync(file, `save ${rounds}\n`);
      return withMore(text);
    });

    await expect(refused).rejects.toThrow(Misconfigured);
    await expect(refused).rejects.toThrow(`${file}: was changed again and again meanwhile: close what writes it`);
    expect(await readFile(file, 'utf8')).toBe(`save ${rounds}\n`);
    expect(await readdir(folder)).toEqual(['poolkeeper.yaml']);
  });

  test('waits for another one that writes it', async () => {
    await writeFile(lock, '');
    const { wait, rounds } = waiting(async (round) => {
      if (round === 3) await rm(lock);
    });

    await replaceText(file, withMore, wait);

    expect(rounds()).toBe(3);
    expect(await readFile(file, 'utf8')).toBe('before\nmore\n');
  });

  test.each([
    ['as it is planned', requireReplaceable],
    ['as it is written', (path: string, wait: (ms: number) => Promise<void>) => replaceText(path, withMore, wait)],
  ])('is refused beside a lock that stays, which is named with how to go on, %s', async (_, act) => {
    await writeFile(lock, 'of another one');

    const refused = act(file, waiting().wait);

    await expect(refused).rejects.toThrow(Misconfigured);
    await expect(refused).rejects.toThrow(
      `${file}: ${lock} is there, so another connect or disconnect is writing it, or was ended at that: repeat it, and if none runs any more, delete ${lock} first`,
    );
    expect(await readFile(file, 'utf8')).toBe('before\n');
    expect(await readFile(lock, 'utf8')).toBe('of another one');
  });

  test('is written through no symbolic link that stands where it is drafted', async () => {
    const precious = join(folder, 'precious');
    await writeFile(precious, 'precious');
    await symlink(precious, lock);

    const refused = replaceText(file, withMore, waiting().wait);

    await expect(refused).rejects.toThrow(`${lock} is there`);
    expect(await readFile(precious, 'utf8')).toBe('precious');
    expect((await lstat(file)).isFile()).toBe(true);
  });

  test.each([0o600, 0o640, 0o664])(
    'is for those alone whom the file is for, also while it is drafted: %o',
    async (mode) => {
      await chmod(file, mode);
      const drafted: number[] = [];

      await replaceText(file, (text) => {
        drafted.push(statSync(lock).mode & 0o777);
        return withMore(text);
      });
      const after = await stat(file);

      expect([...drafted, after.mode & 0o777]).toEqual([mode, mode]);
    },
  );

  test('leaves nothing behind where the new one is refused', async () => {
    const refused = replaceText(file, () => {
      throw new Misconfigured(['bogus: unknown key']);
    });

    await expect(refused).rejects.toThrow('bogus: unknown key');
    expect(await readdir(folder)).toEqual(['poolkeeper.yaml']);
  });
});
