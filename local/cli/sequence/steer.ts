import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { clusterFlags, clusterFlagsHelp } from '../cluster-flags.ts';
import { type Command, readArgsAndWords } from '../command.ts';
import { configFlag, configHelp, configurationFile } from '../configuration-file.ts';
import { outputFlag, outputHelp, outputOf } from '../output.ts';

const flags = { ...clusterFlags, ...configFlag } as const;

const flagsHelp = `${configHelp}
${clusterFlagsHelp}

The record of a sequence is kept by the first of its clusters: the context must be one of that cluster.
`;

export const status: Command = {
  help: `Shows a sequence as the last tick left it: its steps in waves, what each waits for, since when, until when and what
happens then, and its timeline.

  poolkeeper sequence status virtualization
  poolkeeper sequence status virtualization --output json

${outputHelp}
${flagsHelp}
Exit status: 0 = done, 1 = it is not done.
`,
  run: async (args, surroundings) => {
    const { values, words } = readArgsAndWords(args, { ...flags, ...outputFlag });
    const output = outputOf(values.output);
    const { showSequence } = await import('./steer-sequence.ts');
    return showSequence(
      { ...values, config: await configurationFile(values.config, surroundings), words, output },
      surroundings,
    );
  },
};

const acts = {
  pause: {
    help: 'Lets no further step begin. What has begun goes on. `go-on` ends it.',
    done: 'is paused: what has begun goes on, nothing more begins',
  },
  'go-on': {
    help: 'Lets a paused or aborted sequence go on. Gates are waited for as long as at first.',
    done: 'goes on with the next tick',
  },
  abort: {
    help: 'Ends a sequence. What it applied is deleted, unless it has `onAbort: keep`; it holds nothing back any longer.',
    done: 'is aborted; within five minutes, what it applied is taken back',
  },
} as const satisfies Readonly<Record<string, { help: string; done: string }>>;

function steering(kind: keyof typeof acts): Command {
  const act = acts[kind];
  return {
    help: `${act.help}

  poolkeeper sequence ${kind} virtualization --reason "wrong cluster"

  --reason "..."    why; kept in the record and shown on its timeline
${flagsHelp}`,
    run: async (args, surroundings) => {
      const { values, words } = readArgsAndWords(args, { ...flags, reason: { type: 'string' } });
      const why = reasonOf(values.reason);
      const config = await configurationFile(values.config, surroundings);
      const { steerSequence } = await import('./steer-sequence.ts');
      const name = await steerSequence({ ...values, config, words, kind, why }, surroundings);
      surroundings.out(`Sequence ${name} ${act.done}.\n`);
      return 0;
    },
  };
}

export const pause = steering('pause');
export const goOn = steering('go-on');
export const abort = steering('abort');

export const skip: Command = {
  help: `Counts a step or a gate as healthy, whatever is found. \`status\` shows their names.

  poolkeeper sequence skip virtualization storage@prod/waitFor --reason "class comes later"

  --reason "..."    why; kept in the record and shown on its timeline
${flagsHelp}`,
  run: async (args, surroundings) => {
    const { values, words } = readArgsAndWords(args, { ...flags, reason: { type: 'string' } });
    const why = reasonOf(values.reason);
    const config = await configurationFile(values.config, surroundings);
    const { skipItem } = await import('./steer-sequence.ts');
    const { name, item } = await skipItem({ ...values, config, words, why }, surroundings);
    surroundings.out(`${item} of sequence ${name} counts as healthy from the next tick on.\n`);
    return 0;
  },
};

function reasonOf(reason: string | undefined): string {
  const why = reason?.trim() ?? '';
  if (why === '' || why.length > 300)
    throw new Misconfigured(['--reason "..." is needed, with at most 300 characters']);
  return why;
}
