import { describe, expect, test } from 'vitest';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { readArgs, readArgsAndWords } from '../../../local/cli/command.ts';

const flags = { follow: { type: 'string' } } as const;

function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (cause) {
    if (cause instanceof Misconfigured) return cause.problems;
    throw cause;
  }
  return [];
}

describe('a command line', () => {
  test.each([
    [['--nonsense'], "Unknown option '--nonsense'; see --help"],
    [['--follow', '-1'], "Option '--follow' argument is ambiguous; see --help"],
    [['worker'], "Unexpected argument 'worker'; see --help"],
  ])('%j is refused in one line', (args, problem) => {
    expect(problemsOf(() => readArgs(args, flags))).toEqual([problem]);
  });

  test('may have words beside its flags, before and after them', () => {
    expect(readArgsAndWords(['a', '--follow', '5m', 'b'], flags)).toMatchObject({
      values: { follow: '5m' },
      words: ['a', 'b'],
    });
  });
});
