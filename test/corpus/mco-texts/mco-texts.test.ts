import { describe, expect, test } from 'vitest';
import { causeOf } from '../../../functions/core/diagnose/catalogue.ts';
import { drainTimeout, ruleFor } from '../../../functions/core/diagnose/rules/degraded-catalogue.ts';
import { readNodeReason } from '../../../functions/core/diagnose/text/node-reason.ts';
import { aCondition } from '../../fakes/builders.ts';
import { codes, look } from '../../functions/core/diagnose/look.ts';
import { aLiveNode, aRollingPool, aWorld, nodeSubject, poolSubject } from '../../functions/core/diagnose/world.ts';
import { mcoTexts } from './mco-texts.ts';

const { texts } = mcoTexts;
const ofNodes = texts.filter(({ surface }) => surface === 'node reason');

function codeOf(reason: string): string {
  return ruleFor(readNodeReason(reason))?.code ?? 'N0';
}

describe('every error text of the MCO that can become a reason of a node', () => {
  const plain = ofNodes.flatMap(({ text, file, code, example }) =>
    example === undefined || code === 'inner' ? [] : [[code, file, text, example] as const],
  );

  test.each(plain)('[S1-4] %s %s: %s', (code, _file, _text, example) => {
    expect(codeOf(example)).toBe(code);
  });

  const wrappers = ofNodes.flatMap(({ text, code, example }) =>
    example === undefined || code !== 'inner' ? [] : [[text, example] as const],
  );

  test.each(wrappers)('[S1-4] the error inside decides: %s', (_text, example) => {
    const inner = (error: string) => codeOf(example.replaceAll('{inner}', error));

    expect(inner('error running rpm-ostree rebase x: error: No space left on device\n: exit status 1')).toBe('N22');
    expect(inner('error running rpm-ostree rebase x: error: Timeout was reached\n: exit status 1')).toBe('N20');
    expect(inner('error running rpm-ostree kargs --append=a: error: Transaction in progress: x\n: exit status 1')).toBe(
      'N6',
    );
  });

  test('[S1-5] a drain that was given up leads to what stops it', () => {
    const given = ofNodes.filter(({ code }) => code === 'D').map(({ text }) => text);

    expect(given).toHaveLength(1);
    expect(given.every((text) => drainTimeout.test(text))).toBe(true);
  });
});

describe('[N-30] a name in a text of a node stays a name in the commands that are printed', () => {
  const subject = nodeSubject(aWorld({ nodes: [aLiveNode('worker-2')] }), 'worker-2', 'failing');
  const examples = ofNodes.flatMap(({ example }) => (example === undefined ? [] : [example]));

  /** Commands for every example with each of its words in turn replaced. */
  function commandsWith(word: string): readonly string[] {
    return examples.flatMap((example) =>
      [...example.matchAll(/[^\s"',;()[\]]+/g)].flatMap(({ index, 0: { length } }) => {
        const reason = readNodeReason(`${example.slice(0, index)}${word}${example.slice(index + length)}`);
        const remedies = ruleFor(reason)?.explain(reason, subject).remedies ?? [];
        return remedies.flatMap(({ command = '', undo = '' }) => [command, undo]);
      }),
    );
  }

  test('none becomes an option of a program', () => {
    const commands = commandsWith('-Hroot@evil.example');

    expect(commands.length).toBeGreaterThan(2_000);
    expect(commands.filter((line) => /(?:^|[\s'"=])-Hroot/.test(line))).toEqual([]);
  });

  test('none becomes part of a filter of jq', () => {
    const commands = commandsWith('/etc/\\(env.KUBECONFIG)').filter((line) => line.includes('KUBECONFIG'));

    expect(commands.length).toBeGreaterThan(5);
    expect(commands.filter((line) => line.includes('jq') && !line.includes("--arg path '/etc/"))).toEqual([]);
  });
});

describe('every error text that can keep a pool from being rendered', () => {
  const rendering = texts.flatMap(({ surface, text, file, code, example }) =>
    surface !== 'RenderDegraded' || example === undefined ? [] : [[code, file, text, example] as const],
  );

  test.each(rendering)('[S1-4] %s %s: %s', async (code, _file, _text, example) => {
    const message = `Failed to render configuration for pool worker: ${example}`;
    const pool = aRollingPool({ conditions: [aCondition({ type: 'RenderDegraded', status: 'True', message })] });

    const diagnosis = await look(aWorld(), poolSubject(aWorld(), 'render', pool));

    expect(codes(diagnosis)).toEqual([code]);
  });
});

test('every code of the table has an entry in the catalogue', () => {
  const known = ['inner', 'D'];

  expect(texts.filter(({ code }) => !known.includes(code) && causeOf(code) === undefined)).toEqual([]);
  expect(texts.length).toBeGreaterThan(300);
});
