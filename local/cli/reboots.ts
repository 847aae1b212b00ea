import * as z from 'zod';
import { Misconfigured, Transient } from '../../functions/core/text/errors.ts';
import { Status } from '../../functions/status/status.ts';
import { askStatus } from './ask-status.ts';
import { baseUrl, type Command, oneOf, readArgs, type Surroundings } from './command.ts';

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

const Reboots = z.object({ reboots: Status.shape.reboots, unread: z.array(z.string()) });
type Reboot = z.infer<typeof Reboots>['reboots'][number];

export const reboots: Command = {
  about: 'list which node rebooted when, and because of which change',
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
    const found = await ask(baseUrl(url, '--url'), query, surroundings);
    surroundings.out(output === 'json' ? `${JSON.stringify(found, undefined, 2)}\n` : textOf(found));
    return 0;
  },
};

function withoutUndefined(given: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

async function ask(url: string, query: URLSearchParams, surroundings: Surroundings): Promise<readonly Reboot[]> {
  const { status, body } = await askStatus(url, surroundings, `?${query}`);
  if (status === 404) throw new Misconfigured(['--cluster: Poolkeeper has no cluster with this name']);
  const read = Reboots.safeParse(body);
  if (!read.success) throw new Transient(`${url}/status answers ${status}, and no status`);
  if (read.data.unread.includes('reboots')) throw new Transient('the reboots could not be read; try again');
  return read.data.reboots;
}

function textOf(found: readonly Reboot[]): string {
  if (found.length === 0)
    return 'Nothing found. Updates are kept for 90 days, and only those that Poolkeeper observed.\n';
  return found.map(entryText).join('');
}

function entryText({ begunAt, cluster, pool, node, from, to, outcome, rebooted, course, causes }: Reboot): string {
  const how = outcome === 'done' ? howText(rebooted) : outcome === 'gone' ? 'was removed' : 'was retargeted';
  return [
    `${begunAt}  ${cluster}/${pool}  ${node} ${how}`,
    `    ${from} -> ${to}`,
    `    ${course}`,
    ...(causes.length === 0 ? ['    cause: unknown'] : causes.map(causeText)),
    '',
  ].join('\n');
}

function howText(rebooted: boolean | undefined): string {
  if (rebooted === undefined) return 'was updated; reboot not observed';
  return rebooted ? 'rebooted' : 'was updated without a reboot';
}

function causeText({ kind, why }: Reboot['causes'][number]): string {
  return `    cause: ${why}${kind === 'git' ? '' : ` (${kind}; no change in Git)`}`;
}
