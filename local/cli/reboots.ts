import { Misconfigured } from '../../functions/core/text/errors.ts';
import { type Command, readArgs } from './command.ts';
import { outputFlag, outputHelp, outputOf } from './output.ts';
import { typedUrl, typedUrlHelp } from './status/status-flags.ts';

const help = `Lists which node rebooted when, and because of which change: commit -> MachineConfig -> rendered config -> node. Kept for 90 days.

  poolkeeper reboots --url https://... --node worker-3
  poolkeeper reboots --url https://... --commit a1b2c3d --output json

${typedUrlHelp}
  --cluster C       only this cluster
  --pool P          only this pool
  --node N          only this node
  --commit C        only what this commit caused, or one of several sources with it; a prefix is enough
  --limit N         at most N, newest first (default 100; one answer has room for 1,000)
${outputHelp}

A change that came from no commit is marked: certificates, the release, the pull secret, a manual change.
Exit status: 0 = success, 1 = the answer is incomplete: with a filter, of a large fleet, only the last 5,000 updates of
all clusters are looked at; 2 = nothing answers, or the command line or the token is wrong.
`;

export const reboots: Command = {
  help,
  run: async (args, surroundings) => {
    const read = readArgs(args, {
      url: { type: 'string' },
      cluster: { type: 'string' },
      pool: { type: 'string' },
      node: { type: 'string' },
      commit: { type: 'string' },
      limit: { type: 'string', default: '100' },
      ...outputFlag,
    });
    const output = outputOf(read.output);
    const { url: typed, output: _, limit, ...chosen } = read;
    if (!/^[1-9]\d{0,4}$/.test(limit)) throw new Misconfigured([`--limit ${limit}: must be a number`]);
    const query = new URLSearchParams({ ...withoutUndefined(chosen), reboots: limit });
    const url = typedUrl(typed, surroundings);
    const { listReboots } = await import('./list-reboots.ts');
    return listReboots(url, { query, output }, surroundings);
  },
};

function withoutUndefined(given: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
