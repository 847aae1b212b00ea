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
    expect(wrong.kind === 'problems' && wrong.problems).toEqual([
      '--scenario sequel: must be one of push, no-op, failed-sync, degraded, late, freeze, sequence, node-by-node',
    ]);
    expect(readFlags(['--scenario', 'sequence', '--kubeconfig', 'k'])).toMatchObject({ kind: 'problems' });
  });

  test('[N-32] lists the scenarios, a line each', () => {
    const read = readFlags(['--list']);

    expect(read.kind === 'help' && read.text.split('\n').map((line) => line.trim().split(/ {2,}/)[0])).toEqual([
      'npm start -- --scenario push',
      'npm start -- --scenario no-op',
      'npm start -- --scenario failed-sync',
      'npm start -- --scenario degraded',
      'npm start -- --scenario late',
      'npm start -- --scenario freeze',
      'npm start -- --scenario sequence',
      'npm start -- --scenario node-by-node',
      '',
    ]);
    expect(read.kind === 'help' && read.text.split('\n').filter((line) => line.length > 100)).toEqual([]);
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
