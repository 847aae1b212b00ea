import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { commands } from '../../../local/cli/commands.ts';
import { runCommand } from '../../../local/cli/run-command.ts';

async function printed(...line: readonly string[]) {
  const said = { out: '', noted: '' };
  const status = await runCommand(line, {
    out: (text) => {
      said.out += text;
    },
    note: (text) => {
      said.noted += text;
    },
    environment: {},
    now: () => new Date(0),
  });
  return { status, ...said };
}

test.each([
  [['ex'], 'explain'],
  [['explain', '--must'], '--must-gather'],
  [['sequence', 'go'], 'go-on'],
  [['sequence', 'go-on', '--rea'], '--reason'],
  [['explain', 'x'], ''],
  [['--ver'], '--version'],
])('bash completes %j with %s', async (words, expected) => {
  const { out } = await printed('completion', 'bash');
  const typed = ['poolkeeper', ...words].map((word) => `'${word}'`).join(' ');
  const line = `COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _poolkeeper; echo "\${COMPREPLY[*]}"`;

  expect(execFileSync('bash', ['-c', `${out}\n${line}`], { encoding: 'utf8' }).trim()).toBe(expected);
});

test('fish is given every command with its line', async () => {
  const { out, status } = await printed('completion', 'fish');

  expect(status).toBe(0);
  for (const [name, { about }] of Object.entries(commands)) expect(out).toContain(`-a ${name} -d '${about}'`);
});

test('another shell is refused by name', async () => {
  expect(await printed('completion', 'tcsh')).toMatchObject({
    status: 2,
    noted: expect.stringContaining('must be one of bash, zsh, fish'),
  });
});
