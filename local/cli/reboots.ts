import { Misconfigured } from '../../functions/core/text/errors.ts';
import { baseUrl, type Command, oneOf, readArgs } from './command.ts';

const help = `Lists which node rebooted when, and because of which change: commit -> MachineConfig -> rendered config -> node. Kept for 90 days.

  npx poolkeeper reboots --url https://... --node worker-3
  npx poolkeeper reboots --url https://... --commit a1b2c3d --output json

  --url URL         address of Poolkeeper; its token in POOLKEEPER_STATUS_TOKEN
  --cluster C       only this cluster
  --pool P          only this pool
  --node N          only this node
  --commit C        only what this commit caused; a prefix is enough
  --limit N         at most N, newest first (default 100)
  --output F        text (default) or json

A change that came from no commit is marked: certificates, the release, the pull secret, a manual change.
Exit status: 0 = success, 1 = the answer is incomplete, 2 = nothing answers, or the command line or the token is wrong.
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
      output: { type: 'string', default: 'text' },
    });
    const output = oneOf(read.output, ['text', 'json'], '--output');
    if (read.url === undefined) throw new Misconfigured(['--url is missing: the address of Poolkeeper']);
    const { url, output: _, limit, ...chosen } = read;
    if (!/^[1-9]\d{0,4}$/.test(limit)) throw new Misconfigured([`--limit ${limit}: must be a number`]);
    const query = new URLSearchParams({ ...withoutUndefined(chosen), reboots: limit });
    const base = baseUrl(url, '--url');
    const { listReboots } = await import('./list-reboots.ts');
    await listReboots(base, { query, output }, surroundings);
    return 0;
  },
};

function withoutUndefined(given: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
