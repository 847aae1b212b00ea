import { describe, expect, test } from 'vitest';
import type { Command, ListedCommand } from '../../../local/cli/command.ts';
import { commands } from '../../../local/cli/commands.ts';
import { helpLines } from '../../../local/cli/help-lines.ts';
import { runCommand } from '../../../local/cli/run-command.ts';

async function helps(
  listed: Readonly<Record<string, ListedCommand>>,
  before: readonly string[] = [],
): Promise<readonly { readonly name: readonly string[]; readonly help: string }[]> {
  const all = Object.entries(listed).map(async ([word, { load }]) => {
    const command: Command = await load();
    const name = [...before, word];
    return [{ name, help: command.help }, ...(await helps(command.subcommands ?? {}, name))];
  });
  return (await Promise.all(all)).flat();
}

const all = await helps(commands);
const mayBeWider = /^ {2}(?:npx|poolkeeper|source) |^ *\S+$/;

describe('[N-33] the help of a command', () => {
  test.each(all)(
    '$name fits 80 columns but for what is to be copied and for long words, and loses none',
    ({ help }) => {
      const shown = helpLines(help);

      expect(shown.split('\n').filter((line) => line.length > 80 && !mayBeWider.test(line))).toEqual([]);
      expect(shown.split(/\s+/)).toEqual(help.split(/\s+/));
      expect(helpLines(shown)).toBe(shown);
    },
  );

  test('goes on below the words of a flag, and leaves lists and examples alone', () => {
    const long = 'what it does, in more words than a line of eighty columns has room for beside the flag';
    const help = [
      'What it is for.',
      '',
      `  poolkeeper it --flag ${'x'.repeat(80)}   (to copy)`,
      '',
      `  --flag WHAT       ${long},`,
      '                    and why',
      '  --other           short',
      '                    and a line of its own',
      `Ends with ${long}`,
      'and goes on.',
      'Exit status: 0 = done.',
      '',
    ].join('\n');

    expect(helpLines(help).split('\n')).toEqual([
      'What it is for.',
      '',
      `  poolkeeper it --flag ${'x'.repeat(80)}   (to copy)`,
      '',
      '  --flag WHAT       what it does, in more words than a line of eighty columns',
      '                    has room for beside the flag, and why',
      '  --other           short',
      '                    and a line of its own',
      'Ends with what it does, in more words than a line of eighty columns has room for',
      'beside the flag and goes on.',
      'Exit status: 0 = done.',
      '',
    ]);
  });

  test('is printed like that', async () => {
    const said: string[] = [];

    await runCommand(['why', '--help'], {
      out: (text) => said.push(text),
      note: (text) => said.push(text),
      environment: {},
      now: () => new Date('2026-03-02T10:00:00Z'),
    });

    expect(said.join('').split('\n')[0]).toBe(
      'Says why pools are paused: every hold and closed gate, what was found, what is',
    );
  });
});
