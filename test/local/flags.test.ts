import { describe, expect, test } from 'vitest';
import { readFlags } from '../../local/flags.ts';

describe('the command line of npm start', () => {
  test('needs nothing', () => {
    expect(readFlags([])).toEqual({
      kind: 'flags',
      flags: {
        exit: false,
        scenario: 'push',
        kubeconfig: undefined,
        context: undefined,
        config: undefined,
        port: 8080,
        isPortChosen: false,
        data: undefined,
        speed: 20,
      },
    });
  });

  test('runs a real cluster in real time', () => {
    expect(readFlags(['--kubeconfig', 'k', '--context', 'prod', '--port', '0'])).toMatchObject({
      kind: 'flags',
      flags: { kubeconfig: 'k', context: 'prod', port: 0, isPortChosen: true, speed: 1 },
    });
  });

  test('plays another scenario when it is named, and names those that it has', () => {
    const wrong = readFlags(['--scenario', 'sequel']);

    expect(readFlags(['--scenario', 'sequence'])).toMatchObject({ flags: { scenario: 'sequence' } });
    expect(wrong.kind === 'problems' && wrong.problems).toEqual(['--scenario sequel: must be one of push, sequence']);
    expect(readFlags(['--scenario', 'sequence', '--kubeconfig', 'k'])).toMatchObject({ kind: 'problems' });
  });

  test('says everything that is wrong at once', () => {
    const read = readFlags(['--port', 'http', '--speed', '0', '--context', 'x']);

    expect(read.kind === 'problems' && read.problems).toEqual([
      expect.stringContaining('--port http'),
      expect.stringContaining('--speed 0'),
      expect.stringContaining('--context needs --kubeconfig'),
    ]);
  });

  test.each([['--ext'], ['--port'], ['surplus']])('refuses %s and names it', (argument) => {
    const read = readFlags([argument]);

    expect(read.kind === 'problems' && read.problems).toEqual([expect.stringContaining(argument)]);
  });

  test('explains itself', () => {
    expect(readFlags(['--help'])).toMatchObject({ kind: 'help', text: expect.stringContaining('--kubeconfig FILE') });
  });
});
