import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { commands } from '../../../local/cli/commands.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');

const Listed = z.object({
  loaded: z.array(z.string()),
  answers: z.array(z.object({ line: z.array(z.string()), status: z.int(), said: z.string() })),
});

/** What a process of its own loads for these command lines together: own files, and modules of each package. */
async function loadedFor(lines: readonly (readonly string[])[]) {
  const program = join(import.meta.dirname, 'list-loaded.ts');
  const { stdout } = await run(process.execPath, [program, JSON.stringify(lines)], { maxBuffer: 10 ** 8 });
  const { loaded, answers } = Listed.parse(JSON.parse(stdout));
  const packages = new Map<string, number>();
  for (const url of loaded) {
    const name = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
    if (name !== undefined) packages.set(name, (packages.get(name) ?? 0) + 1);
  }
  const own = loaded.filter((url) => url.startsWith(`file://${root}/`) && !url.includes('/node_modules/'));
  return { packages, own: own.map((url) => url.slice(`file://${root}/`.length)), answers };
}

const names = Object.keys(commands);
const subcommands = Object.keys((await commands['sequence']?.load())?.subcommands ?? {});
const words = [...names.map((name) => [name]), ...subcommands.map((name) => ['sequence', name])];

test('[N-12] the list of commands and the version load no command', async () => {
  const { own, packages, answers } = await loadedFor([['--help'], ['--version'], ['no-such-command']]);

  expect(answers.map(({ status }) => status)).toEqual([0, 0, 2]);
  expect([...packages]).toEqual([]);
  expect(own.filter((file) => file.startsWith('local/cli/'))).toEqual([
    'local/cli/run-command.ts',
    'local/cli/change-in-doubt.ts',
    'local/cli/commands.ts',
  ]);
});

test('[N-12] help, completion and refused flags of every command load no package, and none of what commands work with', async () => {
  const { own, packages, answers } = await loadedFor([
    ...words.map((each) => [...each, '--help']),
    ...words.map((each) => [...each, '--no-such-flag']),
    ['completion', 'bash'],
  ]);

  expect(answers.map(({ status }) => status)).toEqual([...words.map(() => 0), ...words.map(() => 2), 0]);
  expect(subcommands).toContain('import');
  expect([...packages]).toEqual([]);
  expect(own.filter((file) => /^functions\/(?:adapters|keep-pools|status)|^events\//.test(file))).toEqual([]);
  // Two a command, and what several have in common.
  expect(own.length).toBeLessThan(80);
});

test('[N-12] a request that is refused for what was typed loads the schema of requests and nothing else', async () => {
  const { packages, answers } = await loadedFor([
    ['hold', '--pool', 'worker', '--for', '9000h', '--reason', 'disks'],
    ['resume', '--pool', 'worker'],
    ['freeze', '--all', '--for', 'soon'],
    ['thaw', '--all'],
    ['emergency', '--pool', 'worker'],
    ['ack', 'PK-7', '--for', '1000h', '--reason', 'disks'],
    ['approve', '--pool', 'worker'],
  ]);

  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 2));
  expect([...packages.keys()]).toEqual(['zod']);
});

test('[N-12] asking a cluster with a token loads no whole Kubernetes client and no AWS client', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'poolkeeper-loaded-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const kubeconfig = join(folder, 'config');
  await writeFile(
    kubeconfig,
    JSON.stringify({
      clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'c',
      users: [{ name: 'u', user: { token: 'a-token' } }],
    }),
  );

  const { packages, answers } = await loadedFor([
    ['explain', '--kubeconfig', kubeconfig],
    ['why', '--kubeconfig', kubeconfig],
    ['hold', '--pool', 'worker', '--for', '1h', '--reason', 'disks', '--kubeconfig', kubeconfig],
    ['freeze', '--all', '--for', '1h', '--reason', 'disks', '--kubeconfig', kubeconfig],
    ['preflight', '--kubeconfig', kubeconfig],
  ]);

  expect(answers.map(({ said }) => said)).toEqual(answers.map(() => expect.stringContaining('127.0.0.1:1')));
  expect([...packages.keys()].toSorted()).toEqual(['@kubernetes/client-node', 'croner', 'undici', 'yaml', 'zod']);
  expect(packages.get('@kubernetes/client-node')).toBeLessThan(10);
});
