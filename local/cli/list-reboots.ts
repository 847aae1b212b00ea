import * as z from 'zod';
import { changeWords } from '../../functions/core/openshift/change-name.ts';
import { wrapLines } from '../../functions/core/text/columns.ts';
import { Misconfigured, Transient } from '../../functions/core/text/errors.ts';
import { Status } from '../../functions/status/status.ts';
import { askStatus, noStatus } from './ask-status.ts';
import type { ExitStatus, Surroundings } from './command.ts';
import { inForm, type OutputForm } from './output.ts';
import { tableText } from './status/table.ts';

/** Asks a running Poolkeeper and prints what it knows. Throws Misconfigured and Transient. */
export async function listReboots(
  url: string,
  { query, output }: { readonly query: URLSearchParams; readonly output: OutputForm },
  surroundings: Surroundings,
): Promise<ExitStatus> {
  const answer = await ask(url, query, surroundings);
  const { reboots: found, rebootsSearched: searched } = answer;
  surroundings.out(await inForm(output, { data: found, text: () => textOf(answer), wide: () => tableOf(found) }));
  const { words, isShort } = leftOut(answer, Number(query.get('reboots')));
  if (words !== undefined) surroundings.note(`poolkeeper: ${words}`);
  return isShort || searched !== undefined ? 1 : 0;
}

const Reboots = Status.pick({ reboots: true, moreReboots: true, rebootsSearched: true }).extend({
  unread: z.array(z.string()),
});

type Found = z.infer<typeof Reboots>;
type Reboot = Found['reboots'][number];

async function ask(url: string, query: URLSearchParams, surroundings: Surroundings): Promise<Found> {
  const { status, body } = await askStatus(url, surroundings, `?${query}`);
  if (status === 404 && query.has('cluster'))
    throw new Misconfigured(['--cluster: Poolkeeper has no cluster with this name']);
  const read = Reboots.safeParse(body);
  if (!read.success) throw noStatus(url, status);
  if (read.data.unread.includes('reboots')) throw new Transient('the reboots could not be read; try again');
  return read.data;
}

/** What the list does not have. `isShort`: fewer were given than were asked for. */
function leftOut({ reboots, moreReboots, rebootsSearched: searched }: Found, limit: number) {
  if (searched !== undefined)
    return {
      words: `only the last ${searched} updates of all clusters were looked at; older ones were not`,
      isShort: true,
    };
  if (moreReboots !== true) return { words: undefined, isShort: false };
  const words = `these are the newest ${reboots.length}, and there are older ones (--limit: at most 1,000)`;
  return { words, isShort: reboots.length < limit };
}

function textOf({ reboots: found, rebootsSearched: searched }: Found): string {
  if (found.length > 0) return wrapLines(found.map(entryText).join(''));
  return searched === undefined
    ? 'Nothing found. Updates are kept for 90 days, and only those that Poolkeeper observed.\n'
    : `Nothing found among the last ${searched} updates of all clusters.\n`;
}

function tableOf(found: readonly Reboot[]): string {
  const rows = found.map(({ begunAt, cluster, pool, node, from, to, outcome, rebooted, causes }) => ({
    begun: begunAt,
    cluster,
    pool,
    node,
    how: outcomeText(outcome, rebooted),
    from,
    to,
    cause: causes.map(({ why }) => why).join('; ') || 'unknown',
  }));
  return tableText(['begun', 'cluster', 'pool', 'node', 'how', 'from', 'to', 'cause'], rows);
}

function entryText({ begunAt, cluster, pool, node, from, to, outcome, rebooted, course, causes }: Reboot): string {
  return [
    `${begunAt}  ${cluster}/${pool}  ${node} ${outcomeText(outcome, rebooted)}`,
    `    ${changeWords(from)} -> ${changeWords(to)}`,
    `    ${course}`,
    ...(causes.length === 0 ? ['    cause: unknown'] : causes.map(causeText)),
    '',
  ].join('\n');
}

function outcomeText(outcome: Reboot['outcome'], rebooted: boolean | undefined): string {
  if (outcome === 'done') return howText(rebooted);
  return outcome === 'gone' ? 'was removed, or left the pool' : 'was retargeted';
}

function howText(rebooted: boolean | undefined): string {
  if (rebooted === undefined) return 'was updated; reboot not observed';
  return rebooted ? 'rebooted' : 'was updated without a reboot';
}

function causeText({ kind, why }: Reboot['causes'][number]): string {
  return `    cause: ${why}${kind === 'git' ? '' : ` (${kind}; no change in Git)`}`;
}
