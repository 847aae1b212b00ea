import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { clusterFlags, clusterFlagsHelp } from '../cluster-flags.ts';
import { type Command, readArgsAndWords } from '../command.ts';
import { configFlag, configHelp, configurationFile } from '../configuration-file.ts';
import { outputFlag, outputHelp, outputOf } from '../output.ts';

const flags = { ...clusterFlags, ...configFlag } as const;

const flagsHelp = `${configHelp}
${clusterFlagsHelp}

The record of a run is kept on its cluster: the context must be one of that cluster.
`;

export const status: Command = {
  help: `Shows a run: its nodes, and what each does or waits for; who paused it; why it is blocked; its timeline.

  poolkeeper run status upgrade
  poolkeeper run status upgrade --watch

  --watch           show it again every 5 s until it is idle or aborted, or until Ctrl-C
${outputHelp}
${flagsHelp}
Exit status: 0 = all nodes are at their targets, 1 = they are not.
`,
  run: async (args, surroundings) => {
    const { values, words } = readArgsAndWords(args, {
      ...flags,
      watch: { type: 'boolean', default: false },
      ...outputFlag,
    });
    const output = outputOf(values.output);
    const { showRun } = await import('./steer-run.ts');
    return showRun(
      { ...values, config: await configurationFile(values.config, surroundings), words, output },
      surroundings,
    );
  },
};

/** What each does, for its help. */
const acts = {
  start: 'Begins an aborted run anew. Nodes that are at their target have no turn; nodes that were skipped have one.',
  pause: 'Lets no further node go. Jobs that run and nodes that were let go go on. `go-on` ends it.',
  'go-on': 'Lets a paused run go on. What was rendered meanwhile is what its nodes are taken to.',
  abort: `Ends a run. Clean-up Jobs of nodes whose Jobs had begun still run. Nodes that were let go come back first: nothing
stops an update that a node has begun. Then its holds end, and the MCO takes what is left, without Jobs.`,
} as const;

function steering(kind: keyof typeof acts): Command {
  return {
    help: `${acts[kind]}

  poolkeeper run ${kind} upgrade --reason "wrong night"

  --reason "..."    why; kept in the record and shown on its timeline
${flagsHelp}`,
    run: async (args, surroundings) => {
      const { values, words } = readArgsAndWords(args, { ...flags, reason: { type: 'string' } });
      const why = reasonOf(values.reason);
      const config = await configurationFile(values.config, surroundings);
      const { steerRun } = await import('./steer-run.ts');
      surroundings.out(`${await steerRun({ ...values, config, words, kind, why }, surroundings)}\n`);
      return 0;
    },
  };
}

export const start = steering('start');
export const pause = steering('pause');
export const goOn = steering('go-on');
export const abort = steering('abort');

const nodeActs = {
  retry: {
    help: 'What failed for a node is tried again, as another Job; a node that was skipped has its turn.',
    done: 'is tried again with the next tick',
  },
  skip: {
    help: `A node whose Jobs run or failed is left as it is: its clean-up Jobs run, and the next node has its turn. A clean-up that
failed is left out. A node that was let go cannot be skipped: it is on its way. As long as a node is not at its target, the
pool stays paused: otherwise the MCO would take it without Jobs.`,
    done: 'is skipped with the next tick',
  },
} as const satisfies Readonly<Record<string, { help: string; done: string }>>;

function steeringNode(kind: keyof typeof nodeActs): Command {
  const act = nodeActs[kind];
  return {
    help: `${act.help}

  poolkeeper run ${kind} upgrade worker-3 --reason "fixed by hand"

  --reason "..."    why; kept in the record and shown on its timeline
${flagsHelp}`,
    run: async (args, surroundings) => {
      const { values, words } = readArgsAndWords(args, { ...flags, reason: { type: 'string' } });
      const why = reasonOf(values.reason);
      const config = await configurationFile(values.config, surroundings);
      const { steerNode } = await import('./steer-run.ts');
      const { name, node } = await steerNode({ ...values, config, words, kind, why }, surroundings);
      surroundings.out(`Node ${node} of run ${name} ${act.done}.\n`);
      return 0;
    },
  };
}

export const retry = steeringNode('retry');
export const skip = steeringNode('skip');

function reasonOf(reason: string | undefined): string {
  const why = reason?.trim() ?? '';
  if (why === '' || why.length > 300)
    throw new Misconfigured(['--reason "..." is needed, with at most 300 characters']);
  return why;
}
