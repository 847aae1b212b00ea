import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import type { Command, ListedCommand } from '../../../local/cli/command.ts';
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
  [['get', 'ho'], 'holds'],
  [['get', 'ru'], 'runs'],
  [['get', 'pools', '-o', 'n'], 'name'],
  [['impact', '--fail-on', 'reb'], 'reboot'],
  [['completion', 'z'], 'zsh'],
  [['locks', 'release', '--gr'], '--group'],
  [['run', 'status', '--wa'], '--watch'],
  [['status', '--wa'], '--watch'],
])('bash completes %j with %s', async (words, expected) => {
  const { out } = await printed('completion', 'bash');
  const typed = ['poolkeeper', ...words].map((word) => `'${word}'`).join(' ');
  const line = `COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _poolkeeper; echo "\${COMPREPLY[*]}"`;

  expect(execFileSync('bash', ['-c', `${out}\n${line}`], { encoding: 'utf8' }).trim()).toBe(expected);
});

interface Known {
  readonly path: readonly string[];
  readonly command: Command;
}

/** Every command and subcommand of the registry. */
async function everyCommand(
  listed: Readonly<Record<string, ListedCommand>>,
  above: readonly string[] = [],
): Promise<readonly Known[]> {
  const found = await Promise.all(
    Object.entries(listed).map(async ([name, { load }]) => {
      const command = await load();
      const path = [...above, name];
      return [{ path, command }, ...(await everyCommand(command.subcommands ?? {}, path))];
    }),
  );
  return found.flat();
}

const every = await everyCommand(commands);

/** What bash completes behind each of these lines, by one process. */
async function completedBehind(lines: readonly (readonly string[])[]): Promise<readonly (readonly string[])[]> {
  const { out } = await printed('completion', 'bash');
  const calls = lines.map((words) => {
    const typed = ['poolkeeper', ...words].map((word) => `'${word}'`).join(' ');
    return `COMPREPLY=(); COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _poolkeeper; echo "\${COMPREPLY[*]}"`;
  });
  const said = execFileSync('bash', ['-c', `${out}\n${calls.join('\n')}`], { encoding: 'utf8' });
  return said.split('\n').map((line) => line.split(' ').filter(Boolean));
}

test('[C-9] bash completes every command, every subcommand and every flag that their help names', async () => {
  const [top = [], ...flags] = await completedBehind([[''], ...every.map(({ path }) => [...path, '--'])]);
  const parents = every.filter(({ command }) => command.subcommands !== undefined);
  const below = await completedBehind(parents.map(({ path }) => [...path, '']));

  expect(top).toEqual([...Object.keys(commands), '--help', '--version']);
  for (const [index, { command }] of parents.entries())
    expect(below[index]).toEqual(Object.keys(command.subcommands ?? {}));
  for (const [index, { path, command }] of every.entries()) {
    const named = [...command.help.matchAll(/^ +(?:-\w, )?(--[a-z][a-z-]+)/gm)].map(([, flag]) => flag);
    expect(flags[index], path.join(' ')).toEqual(expect.arrayContaining(named));
  }
});

test('[C-9] every flag that is completed is one that the command takes', async () => {
  const flags = await completedBehind(every.map(({ path }) => [...path, '--']));
  const strange: string[] = [];
  for (const [index, { path }] of every.entries()) {
    for (const flag of flags[index] ?? []) {
      if (flag === '--help') continue;
      const { noted } = await printed(...path, flag, '--no-such-flag');
      if (noted.includes(`'${flag}'; see`) && noted.includes('Unknown')) strange.push([...path, flag].join(' '));
    }
  }

  expect(strange).toEqual([]);
});

test('[C-9] fish has the same as bash', async () => {
  const flags = await completedBehind(every.map(({ path }) => [...path, '--']));
  const { out } = await printed('completion', 'fish');
  const lines = new Set(out.split('\n').map((line) => line.replace(/ -s .*| -x .*/, '')));
  const expected = every.flatMap(({ path, command }, index) => [
    ...Object.keys(command.subcommands ?? {}).map(
      (word) => `complete -c poolkeeper -n '__poolkeeper_at ${path.join(' ')}' -f -a ${word}`,
    ),
    ...(flags[index] ?? []).map(
      (flag) => `complete -c poolkeeper -n '__poolkeeper_in ${path.join(' ')}' -l ${flag.slice(2)}`,
    ),
  ]);

  expect(expected.filter((line) => !lines.has(line))).toEqual([]);
});

test('[C-9] zsh runs what bash runs', async () => {
  const [bash, zsh] = [await printed('completion', 'bash'), await printed('completion', 'zsh')];

  expect(zsh.out).toBe(`autoload -U +X bashcompinit && bashcompinit\n${bash.out}`);
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
