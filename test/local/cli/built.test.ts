import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildCommandLine } from '../../../local/cli/build.ts';
import { commands } from '../../../local/cli/commands.ts';

const root = join(import.meta.dirname, '../../..');
let packed = '';

/** What `npm pack` puts into the package, in a folder without node_modules. */
beforeAll(async () => {
  packed = await mkdtemp(join(tmpdir(), 'poolkeeper-packed-'));
  const { files }: { readonly files: readonly string[] } = JSON.parse(
    await readFile(join(root, 'package.json'), 'utf8'),
  );
  await buildCommandLine(join(packed, 'dist/cli'));
  for (const file of files.filter((each) => each !== 'dist/cli'))
    await cp(join(root, file), join(packed, file), { recursive: true });
}, 60_000);
afterAll(() => rm(packed, { recursive: true }));

interface Answer {
  readonly status: number | string | null | undefined;
  readonly out: string;
  readonly noted: string;
}

function answerOf(folder: string, line: readonly string[]): Promise<Answer> {
  const env = { PATH: process.env['PATH'], HOME: packed, USER: 'ada', POOLKEEPER_STATUS_TOKEN: 'a-token' };
  return new Promise((resolve) => {
    const program = join(folder, 'local/cli/poolkeeper.mjs');
    execFile(process.execPath, [program, ...line], { env, cwd: root }, (failure, out, noted) =>
      resolve({ status: failure === null ? 0 : failure.code, out, noted }),
    );
  });
}

const snapshot = 'test/corpus/recordings/drain-in-deadlock.json';

const lines: readonly (readonly string[])[] = [
  [],
  ['--version'],
  ['no-such-command'],
  ...Object.keys(commands).map((name) => [name, '--help']),
  ['completion', 'fish'],
  ['manifests', '--level', 'admission', '--pools', 'worker'],
  ['manifests', '--output', 'json'],
  ['windows', '--config', 'poolkeeper.example.yaml'],
  ['explain', '--snapshot', snapshot],
  ['explain', '--snapshot', snapshot, '--output', 'json'],
  ['replay', snapshot, '--messages'],
  ['explain', '--snapshot', 'nowhere.json'],
  ['explain', '--kubeconfig', 'nowhere'],
  ['reboots', '--url', 'http://127.0.0.1:1'],
  ['hold', '--pool', 'worker', '--for', 'long', '--reason', 'disks'],
  ['doctor', '--config', 'poolkeeper.example.yaml', '--output', 'json'],
  ['impact', '--dir', 'docs/install', 'docs', '--everything', '--output', 'json'],
];

const named = lines.map((line) => [['poolkeeper', ...line].join(' '), line] as const);

test.each(named)('[C-1] the packed command line answers `%s` as the source does', async (_, line) => {
  const [built, source] = await Promise.all([answerOf(packed, line), answerOf(root, line)]);

  expect(built).toEqual(source);
  expect(`${source.out}${source.noted}`).not.toBe('');
});
