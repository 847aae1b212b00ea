import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { readArgsAndWords } from '../command.ts';
import { outputFlag } from '../output.ts';

/** The file may be anywhere among the flags. Throws Misconfigured. */
export function parseReplay(args: readonly string[]) {
  const { values, words } = readArgsAndWords(args, {
    config: { type: 'string' },
    messages: { type: 'boolean', default: false },
    ...outputFlag,
  });
  const [file] = words;
  if (file === undefined || words.length > 1)
    throw new Misconfigured(['give one file, as written by `poolkeeper record --follow`']);
  return { file, ...values };
}
