import * as z from 'zod';
import { Misconfigured, Transient } from '../../functions/core/text/errors.ts';
import { Status } from '../../functions/status/status.ts';
import { askStatus } from './ask-status.ts';
import { baseUrl, type Command, oneOf, readArgs, type Surroundings } from './command.ts';

const help = `Which node was rebooted when, and because of which change: commit -> MachineConfig -> rendered config -> node. Kept for 90 days.

  npx poolkeeper reboots --url https://... --node worker-3
  npx poolkeeper reboots --url https://... --commit a1b2c3d --output json

  --url URL         address of Poolkeeper; its token in POOLKEEPER_STATUS_TOKEN
  --cluster C       only this cluster
  --pool P          only this pool
  --node N          only this node
  --commit C        only what this commit caused; its first characters are enough
  --limit N         at most so many, the newest first (default 100)
  --output F        text (default) or json

A change that came from no commit is said to: certificates, the release, the pull secret, somebody by hand.
Exit status: 0 = told, 1 = Poolkeeper could not be asked, 2 = the command line or the token is wrong.
`;

const Reboots = z.object({ reboots: Status.shape.reboots, unread: z.array(z.string()) });
type Reboot = z.infer<typeof Reboots>['reboots'][number];

export const reboots: Command = {
  about: 'which node was rebooted when, and because of which change',
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
    if (read.url === undefined) throw new Misconfigured(['--url: the address of Poolkeeper is needed']);
    const { url, output: _, limit, ...chosen } = read;
    if (!/^[1-9]\d{0,4}$/.test(limit)) throw new Misconfigured([`--limit ${limit}: must be a number`]);
    const query = new URLSearchParams({ ...withoutGaps(chosen), reboots: limit });
    const found = await ask(baseUrl(url, '--url'), query, surroundings);
    surroundings.out(output === 'json' ? `${JSON.stringify(found, undefined, 2)}\n` : textOf(found));
    return 0;
  },
};

function withoutGaps(given: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

async function ask(url: string, query: URLSearchParams, surroundings: Surroundings): Promise<readonly Reboot[]> {
  const { status, body } = await askStatus(url, surroundings, `?${query}`);
  if (status === 404) throw new Misconfigured(['--cluster: Poolkeeper knows no cluster of this name']);
  const read = Reboots.safeParse(body);
  if (!read.success) throw new Transient(`${url}/status answers ${status}, and no status`);
  if (read.data.unread.includes('reboots')) throw new Transient('the reboots could not be read just now; try again');
  return read.data.reboots;
}

function textOf(found: readonly Reboot[]): string {
  if (found.length === 0) return 'Nothing was found. What happened more than 90 days ago, or unseen, is not kept.\n';
  return found.map(entryText).join('');
}

function entryText({ begunAt, cluster, pool, node, from, to, outcome, rebooted, course, causes }: Reboot): string {
  const how = outcome === 'done' ? howText(rebooted) : outcome === 'gone' ? 'went away' : 'was given another target';
  return [
    `${begunAt}  ${cluster}/${pool}  ${node} ${how}`,
    `    ${from} -> ${to}`,
    `    ${course}`,
    ...(causes.length === 0 ? ['    because of: not known'] : causes.map(causeText)),
    '',
  ].join('\n');
}

function howText(rebooted: boolean | undefined): string {
  if (rebooted === undefined) return 'was updated; whether it rebooted was not seen';
  return rebooted ? 'rebooted' : 'was updated without a reboot';
}

function causeText({ kind, why }: Reboot['causes'][number]): string {
  return `    because of: ${why}${kind === 'git' ? '' : ` (${kind}; no change in Git)`}`;
}
