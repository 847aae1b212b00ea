import { setTimeout } from 'node:timers/promises';
import type { Sequence } from '../../../functions/core/configuration/sequence.ts';
import { planOf } from '../../../functions/core/sequences/plan.ts';
import {
  emptySequenceRecord,
  parseSequenceRecord,
  type SequenceRecord,
  type SequenceRequest,
  sequenceRecordText,
  withRequest,
} from '../../../functions/core/sequences/record.ts';
import { sequenceView } from '../../../functions/core/sequences/sequence-view.ts';
import { Misconfigured, Transient } from '../../../functions/core/text/errors.ts';
import type { SequenceRecords, StoredSequence } from '../../../functions/ports/sequences.ts';
import { type Command, oneOf, readArgsAndWords, type Surroundings } from '../command.ts';
import { readConfigurationFile } from '../configured-clusters.ts';
import { clusterFlags, clusterFlagsHelp, pickCluster, whoAmI } from '../pick-cluster.ts';
import { sequenceText } from './sequence-text.ts';

const flags = { ...clusterFlags, config: { type: 'string', default: 'poolkeeper.yaml' } } as const;

const flagsHelp = `  --config FILE     poolkeeper.yaml, which has the sequence (default: poolkeeper.yaml)
${clusterFlagsHelp}

The record of a sequence is kept by the first of its clusters: the context must be one of that cluster.
`;

/** Lost races before giving up; Poolkeeper writes a record once a minute at most. */
const attempts = 5;

export const status: Command = {
  about: 'show the waves of a sequence, and what each step waits for',
  help: `Shows a sequence as the last tick left it: its steps in waves, what each waits for, since when, until when and what
happens then, and its timeline.

  npx poolkeeper sequence status virtualization
  npx poolkeeper sequence status virtualization --output json

  --output FORM     text (default) or json
${flagsHelp}
Exit status: 0 = done, 1 = it is not done.
`,
  run: async (args, surroundings) => {
    const { values, words } = readArgsAndWords(args, { ...flags, output: { type: 'string', default: 'text' } });
    const output = oneOf(values.output, ['text', 'json'], '--output');
    const { name, sequence } = await sequenceNamed(words, values.config);
    const { connection } = await pickCluster(values, surroundings);
    try {
      const record = recordIn(await connection.sequenceRecords.load(sequence.namespace, name));
      const view = sequenceView({
        plan: planOf(name, sequence),
        rules: sequence,
        record,
        readings: new Map(),
        waitsForSequences: [],
        fingerprint: record.done?.of ?? '',
        now: surroundings.now(),
      });
      surroundings.out(
        output === 'json' ? `${JSON.stringify(view, null, 2)}\n` : sequenceText(view, surroundings.now()),
      );
      return view.state === 'done' ? 0 : 1;
    } finally {
      await connection.close();
    }
  },
};

const acts = {
  pause: {
    about: 'let no further step of a sequence begin',
    help: 'Lets no further step begin. What has begun goes on. `go-on` ends it.',
    done: 'is paused: what has begun goes on, nothing more begins',
  },
  'go-on': {
    about: 'let a paused or aborted sequence go on',
    help: 'Lets a paused or aborted sequence go on. Gates are waited for as long as at first.',
    done: 'goes on with the next tick',
  },
  abort: {
    about: 'end a sequence, and take back what it applied',
    help: 'Ends a sequence. What it applied is deleted, unless it has `onAbort: keep`; it holds nothing back any longer.',
    done: 'is aborted; within five minutes, what it applied is taken back',
  },
} as const satisfies Readonly<Record<string, { about: string; help: string; done: string }>>;

function steering(kind: keyof typeof acts): Command {
  const act = acts[kind];
  return {
    about: act.about,
    help: `${act.help}

  npx poolkeeper sequence ${kind} virtualization --reason "wrong cluster"

  --reason "..."    why; kept in the record and shown on its timeline
${flagsHelp}`,
    run: async (args, surroundings) => {
      const { values, words } = readArgsAndWords(args, { ...flags, reason: { type: 'string' } });
      const { name, sequence } = await sequenceNamed(words, values.config);
      const why = reasonOf(values.reason);
      await ask({ name, sequence, values }, surroundings, (said) => ({ kind, said: { ...said, why } }));
      surroundings.out(`Sequence ${name} ${act.done}.\n`);
      return 0;
    },
  };
}

export const pause = steering('pause');
export const goOn = steering('go-on');
export const abort = steering('abort');

export const skip: Command = {
  about: 'count a step or gate of a sequence as healthy',
  help: `Counts a step or a gate as healthy, whatever is found. \`status\` shows their names.

  npx poolkeeper sequence skip virtualization storage@prod/waitFor --reason "class comes later"

  --reason "..."    why; kept in the record and shown on its timeline
${flagsHelp}`,
  run: async (args, surroundings) => {
    const { values, words } = readArgsAndWords(args, { ...flags, reason: { type: 'string' } });
    const [written, item, ...more] = words;
    const { name, sequence } = await sequenceNamed([written, ...more], values.config);
    const plan = planOf(name, sequence);
    const known = [...plan.steps, ...plan.gates].map(({ id }) => id);
    if (item === undefined || !known.includes(item))
      throw new Misconfigured([`sequence ${name} has no ${item ?? 'step without a name'}; it has ${known.join(', ')}`]);
    const why = reasonOf(values.reason);
    await ask({ name, sequence, values }, surroundings, (said) => ({ kind: 'skip', item, said: { ...said, why } }));
    surroundings.out(`${item} of sequence ${name} counts as healthy from the next tick on.\n`);
    return 0;
  },
};

interface Named {
  readonly name: string;
  readonly sequence: Sequence;
}

async function sequenceNamed(words: readonly (string | undefined)[], config: string): Promise<Named> {
  const { sequences = {} } = await readConfigurationFile(config);
  const [name, ...more] = words;
  const sequence = name !== undefined && Object.hasOwn(sequences, name) ? sequences[name] : undefined;
  if (name !== undefined && sequence !== undefined && more.length === 0) return { name, sequence };
  const known = Object.keys(sequences).join(', ');
  throw new Misconfigured([`name one sequence of ${config}, which has ${known === '' ? 'none' : known}`]);
}

function reasonOf(reason: string | undefined): string {
  const why = reason?.trim() ?? '';
  if (why === '' || why.length > 300)
    throw new Misconfigured(['--reason "..." is needed, with at most 300 characters']);
  return why;
}

/** Writes the request into the record, which Poolkeeper may be writing too. */
async function ask(
  { name, sequence, values }: Named & { readonly values: Parameters<typeof pickCluster>[0] },
  surroundings: Surroundings,
  request: (said: { readonly who: string; readonly at: string }) => SequenceRequest,
): Promise<void> {
  const { connection } = await pickCluster(values, surroundings);
  try {
    const who = await whoAmI(connection, surroundings);
    const asked = request({ who, at: surroundings.now().toISOString() });
    await change(connection.sequenceRecords, { name, sequence }, asked);
  } finally {
    await connection.close();
  }
}

async function change(
  records: SequenceRecords,
  { name, sequence: { namespace } }: Named,
  request: SequenceRequest,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const stored = await records.load(namespace, name);
    const text = sequenceRecordText(withRequest(recordIn(stored), request));
    try {
      return await records.save(namespace, name, { text, resourceVersion: stored?.resourceVersion });
    } catch (cause) {
      if (!(cause instanceof Transient) || cause.kind !== 'conflict' || attempt === attempts) throw cause;
      await setTimeout(50);
    }
  }
}

function recordIn(stored: StoredSequence | undefined): SequenceRecord {
  if (stored === undefined || stored.text === '') return emptySequenceRecord;
  const record = parseSequenceRecord(stored.text);
  if (record === 'unreadable') throw new Misconfigured(['the record of the sequence cannot be understood']);
  return record;
}
