import { type Command, oneOf } from '../command.ts';
import { parseReplay } from './parse-replay.ts';

const help = `Replays a recording of \`npx poolkeeper record --follow\` on its own clock: which incidents open, and which messages are sent when.
Sends nothing and reads no cluster.

  npx poolkeeper replay worker.jsonl

  --config FILE     use the policy of the recorded cluster in FILE instead of the defaults, to compare policies
  --messages        every message in full, not only its first line
  --output F        text (default) or json
`;

export const replay: Command = {
  help,
  run: async (args, { out }) => {
    const read = parseReplay(args);
    const output = oneOf(read.output, ['text', 'json'], '--output');
    const { replayRecording } = await import('./replay-recording.ts');
    out(await replayRecording({ ...read, output }));
    return 0;
  },
};
