import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildCommandLine } from '../../../local/cli/build.ts';
import { commands } from '../../../local/cli/commands.ts';
import { runCommand } from '../../../local/cli/run-command.ts';

const root = join(import.meta.dirname, '../../..');
let packed = '';

/** What `npm pack` puts into the package, in a folder without node_modules. */
beforeAll(async () => {
  packed = await mkdtemp(join(tmpdir(), 'poolkeeper-packed-'));
  const { files }: { readonly files: readonly string[] } = JSON.parse(
    await readFile(join(root, 'package.json'), 'utf8'),
  );
  await buildCommandLine(join(packed, 'dist/cli'));
  for (const file of ['package.json', ...files.filter((each) => each !== 'dist/cli')])
    await cp(join(root, file), join(packed, file), { recursive: true });
}, 60_000);
afterAll(() => rm(packed, { recursive: true }));

interface Answer {
  readonly status: number | string | null | undefined;
  readonly out: string;
  readonly noted: string;
}

function answerOf(folder: string, line: readonly string[], ...node: readonly string[]): Promise<Answer> {
  return answerOfProgram(join(folder, 'local/cli/poolkeeper.mjs'), line, node);
}

const environment = () => ({
  PATH: process.env['PATH'],
  HOME: packed,
  USER: 'ada',
  POOLKEEPER_STATUS_TOKEN: 'a-token',
});

/** The source in this process, as `local/cli/main.ts` runs it. */
async function answerOfSource(line: readonly string[]): Promise<Answer> {
  let [out, noted] = ['', ''];
  const status = await runCommand(line, {
    out: (text) => {
      out += text;
    },
    note: (text) => {
      noted += text.endsWith('\n') ? text : `${text}\n`;
    },
    environment: environment(),
    now: () => new Date(),
  });
  return { status, out, noted };
}

function answerOfProgram(program: string, line: readonly string[], node: readonly string[] = []): Promise<Answer> {
  const env = environment();
  return new Promise((resolve) => {
    execFile(process.execPath, [...node, program, ...line], { env, cwd: root }, (failure, out, noted) =>
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
  ['windows', '--config', 'poolkeeper.example.yaml', '-o', 'wide'],
  ['explain', '--snapshot', snapshot, '-o', 'yaml'],
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
  const [built, source] = await Promise.all([answerOf(packed, line), answerOfSource(line)]);

  expect(built).toEqual(source);
  expect(`${source.out}${source.noted}`).not.toBe('');
});

test.each([
  [['--version']],
  [['no-such-command']],
  [['explain', '--snapshot', snapshot]],
  [['windows', '--config', 'nowhere.yaml']],
])('[C-1] the checkout answers %j as a process as its source does here', async (line) => {
  const [checkout, source] = await Promise.all([answerOf(root, line), answerOfSource(line)]);

  expect(checkout).toEqual(source);
});

const manifest: {
  readonly bin: Readonly<Record<string, string>>;
  readonly engines: { readonly node: string };
} = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));

/** What a link to it is called is what `oc` and `kubectl` look for on the PATH. */
test('[C-1] the packed command line is a plugin of oc and kubectl, by a link', async () => {
  const link = join(packed, 'kubectl-poolkeeper');
  await symlink(join(packed, manifest.bin['kubectl-poolkeeper'] ?? ''), link);

  expect(await answerOfProgram(link, ['--version'])).toEqual(await answerOf(root, ['--version']));
});

test('[C-8] the packed command line goes by the poolkeeper.yaml of its own folder', async () => {
  const link = join(packed, 'poolkeeper-linked');
  await symlink(join(packed, manifest.bin['poolkeeper'] ?? ''), link);

  const { status, noted } = await answerOfProgram(link, ['windows']);

  expect(status).toBe(2);
  expect(noted).toContain(`poolkeeper: ${await realpath(packed)}/poolkeeper.yaml: cannot be read`);
});

const [, least = ''] = /^>=([\d.]+)$/.exec(manifest.engines.node) ?? [];

test.each([
  ['20.20.0', 2],
  ['22.18.9', 2],
  [least, 0],
  ['26.0.0', 0],
])('[C-9] on Node %s the packed command line ends with %i', async (version, status) => {
  const versions = `{ ...process.versions, node: ${JSON.stringify(version)} }`;
  const code = `Object.defineProperty(process, 'versions', { value: ${versions} });`;
  const answer = await answerOf(packed, ['--version'], '--import', `data:text/javascript,${encodeURIComponent(code)}`);

  expect(answer.status).toBe(status);
  if (status === 2) expect(answer.noted).toBe(`poolkeeper: needs Node 22.19 or newer; this is Node ${version}.\n`);
});

interface Locked {
  readonly dev?: boolean;
  readonly engines?: { readonly node?: string };
}

test('[C-9] what package.json says of Node is what every package that it needs says, at least', async () => {
  const lock: { readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(
    await readFile(join(root, 'package-lock.json'), 'utf8'),
  );
  const needed = Object.values(lock.packages)
    .filter(({ dev }) => dev !== true)
    .flatMap(
      ({ engines }) =>
        (engines?.node ?? '')
          .split('||')
          .at(-1)
          ?.match(/>= ?([\d.]+)/)?.[1] ?? [],
    );
  const highest = needed.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1);

  expect(highest).toBe(least);
});
