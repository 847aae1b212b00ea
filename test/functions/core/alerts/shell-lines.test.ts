import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { shellLines } from '../../../../functions/core/alerts/message/shell-lines.ts';
import { columns, width } from '../../../../functions/core/text/columns.ts';
import { fc } from '../../../property.ts';

/** What a shell makes of the arguments of a command. */
function wordsOfShell(script: string): readonly string[] {
  const output = execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${script}`], { encoding: 'utf8' });
  return output.split('\0').slice(0, -1);
}

const long = 'x'.repeat(150);

describe('a command in a mail', () => {
  test.each([
    ['a short one', 'oc label node worker-6 disk=ssd'],
    [
      'many words',
      `oc annotate node worker-6 ${Array.from({ length: 30 }, (_, index) => `key-${index}=value`).join(' ')}`,
    ],
    [
      'spaces inside quotes',
      `oc patch pdb web -n shop --type merge -p '{"spec": {"minAvailable": 1, "unhealthyPodEvictionPolicy": "AlwaysAllow"}}'`,
    ],
    [
      'double quotes',
      `oc patch pdb web -p "{\\"spec\\": {\\"minAvailable\\": 1, \\"selector\\": {\\"matchLabels\\": {\\"app\\": \\"web\\"}}}}"`,
    ],
    ['one endless word', `oc get pod ${long}`],
    ['one endless quoted word', `oc get pod '${long} ${long}' after`],
    ['an endless word with quotes inside', `oc get --field=${long}'${long} "a"'${long} after`],
    ['escapes at the break', `oc get ${'\\ '.repeat(90)}`],
  ])('means the same to a shell: %s', (_name, command) => {
    const lines = shellLines(command);

    expect(Math.max(...lines.map(width))).toBeLessThanOrEqual(columns);
    expect(wordsOfShell(lines.join('\n'))).toEqual(wordsOfShell(command));
  });

  test('means the same to a shell whatever single-quoted text it carries', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme-ascii', maxLength: 120 }), { minLength: 1, maxLength: 5 }),
        (words) => {
          const plain = words.map((word) => word.replaceAll("'", ''));
          const command = plain.map((word) => `'${word}'`).join(' ');

          expect(wordsOfShell(shellLines(command).join('\n'))).toEqual(plain);
        },
      ),
      { numRuns: 100 },
    );
  });

  test('never gets wider than a mail, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (command) => {
        for (const line of shellLines(command)) expect(width(line)).toBeLessThanOrEqual(columns);
      }),
    );
  });
});
