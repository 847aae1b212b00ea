import type { Command } from '../command.ts';
import { outputHelp, outputOf } from '../output.ts';
import { parseReplay } from './parse-replay.ts';

const help = `Replays a recording of \`poolkeeper record --follow\` on its own clock: which incidents open, and which messages are sent when.
Sends nothing and reads no cluster.

  poolkeeper replay worker.jsonl

  --config FILE     use the policy of the recorded cluster in FILE instead of the defaults, to compare policies
  --messages        every message in full, not only its first line
${outputHelp}
`;

export const replay: Command = {
  help,
  run: async (args, { out }) => {
    const read = parseReplay(args);
    const output = outputOf(read.output);
    const { replayRecording } = await import('./replay-recording.ts');
    out(await replayRecording({ ...read, output }));
    return 0;
  },
};
