import { Misconfigured } from '../../../functions/core/errors.ts';
import { readArgs } from '../command.ts';

/** The file may stand anywhere among the flags. Throws Misconfigured. */
export function parseReplay(args: readonly string[]) {
  const files = args.filter(
    (arg, index) => !arg.startsWith('-') && !['--config', '--output'].includes(args[index - 1] ?? ''),
  );
  const [file] = files;
  if (file === undefined || files.length > 1)
    throw new Misconfigured(['one file is wanted, as `npx poolkeeper record --follow` writes it']);
  const flags = args.filter((arg) => arg !== file);
  return {
    file,
    ...readArgs(flags, {
      config: { type: 'string' },
      messages: { type: 'boolean', default: false },
      output: { type: 'string', default: 'text' },
    }),
  };
}
