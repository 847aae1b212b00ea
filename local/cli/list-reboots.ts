import * as z from 'zod';
import { changeWords } from '../../functions/core/openshift/change-name.ts';
import { wrapLines } from '../../functions/core/text/columns.ts';
import { Misconfigured, Transient } from '../../functions/core/text/errors.ts';
import { Status } from '../../functions/status/status.ts';
import { askStatus, noStatus } from './ask-status.ts';
import type { Surroundings } from './command.ts';
import { inForm, type OutputForm } from './output.ts';
import { tableText } from './status/table.ts';

/** Asks a running Poolkeeper and prints what it knows. Throws Misconfigured and Transient. */
export async function listReboots(
  url: string,
  { query, output }: { readonly query: URLSearchParams; readonly output: OutputForm },
  surroundings: Surroundings,
): Promise<void> {
  const found = await ask(url, query, surroundings);
  surroundings.out(await inForm(output, { data: found, text: () => textOf(found), wide: () => tableOf(found) }));
}

const Reboots = z.object({ reboots: Status.shape.reboots, unread: z.array(z.string()) });

type Reboot = z.infer<typeof Reboots>['reboots'][number];

async function ask(url: string, query: URLSearchParams, surroundings: Surroundings): Promise<readonly Reboot[]> {
  const { status, body } = await askStatus(url, surroundings, `?${query}`);
  if (status === 404 && query.has('cluster'))
    throw new Misconfigured(['--cluster: Poolkeeper has no cluster with this name']);
  const read = Reboots.safeParse(body);
  if (!read.success) throw noStatus(url, status);
  if (read.data.unread.includes('reboots')) throw new Transient('the reboots could not be read; try again');
  return read.data.reboots;
}

function textOf(found: readonly Reboot[]): string {
  if (found.length === 0)
    return 'Nothing found. Updates are kept for 90 days, and only those that Poolkeeper observed.\n';
  return wrapLines(found.map(entryText).join(''));
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
  return outcome === 'gone' ? 'was removed' : 'was retargeted';
}

function howText(rebooted: boolean | undefined): string {
  if (rebooted === undefined) return 'was updated; reboot not observed';
  return rebooted ? 'rebooted' : 'was updated without a reboot';
}

function causeText({ kind, why }: Reboot['causes'][number]): string {
  return `    cause: ${why}${kind === 'git' ? '' : ` (${kind}; no change in Git)`}`;
}
