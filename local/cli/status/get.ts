import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { type Command, oneOf, readArgsAndWords } from '../command.ts';
import { outputFlag, outputForms, outputOf } from '../output.ts';
import { statusFlags, statusFlagsHelp, statusUrl } from './status-flags.ts';

const help = `Lists what a running Poolkeeper knows.

  poolkeeper get pools
  poolkeeper get incidents -o wide
  poolkeeper get holds --cluster prod-eu -o json

  pools             every pool: its state, whose pause it is, what it waits for
  incidents         what is wrong, worst first
  holds             who holds which pool, until when and why
  sequences         orders over Applications, operators and pools
  runs              nodes that are taken one at a time: how far, and what it waits for
  windows           when pools may resume, as configured

${statusFlagsHelp}
  -o, --output F    text (default), wide, json, yaml or name

Exit status: 0 = listed, 1 = a part or a cluster could not be read or is left out, 2 = nothing answers, or the command line or the token is wrong.
`;

const names = ['pools', 'incidents', 'holds', 'sequences', 'runs', 'windows'] as const;

export const get: Command = {
  help,
  words: names,
  values: { output: [...outputForms, 'name'] },
  run: async (args, surroundings) => {
    const { values: read, words } = readArgsAndWords(args, {
      ...statusFlags,
      ...outputFlag,
    });
    const [typed, ...more] = words;
    if (typed === undefined || more.length > 0) throw new Misconfigured([`get what? One of ${names.join(', ')}`]);
    // As with kubectl, `get pool` is `get pools`.
    const name = names.find((each) => each === `${typed}s`) ?? oneOf(typed, names, 'get');
    const output = outputOf(read.output, ['name']);
    const url = statusUrl(read.url, surroundings);
    const { listings } = await import('./listings.ts');
    const { listingText } = await import('./listing-text.ts');
    const { readStatus } = await import('./read-status.ts');
    const status = await readStatus(url, read.cluster, surroundings);
    const { gapsIn } = await import('./gaps-in.ts');
    const gaps = gapsIn(status, name);
    const isList = output !== 'json' && output !== 'yaml';
    if (isList && listings[name].rows(status).length === 0)
      surroundings.note(`No ${name} found${gaps.length === 0 ? '' : ' in what could be read'}.`);
    else surroundings.out(await listingText(listings[name], status, output));
    for (const gap of gaps) surroundings.note(`poolkeeper: ${gap}`);
    return gaps.length === 0 ? 0 : 1;
  },
};
