import * as z from 'zod';
import { Transient } from '../../functions/core/text/errors.ts';
import { Status } from '../../functions/status/status.ts';
import { askStatus, noStatus } from './ask-status.ts';
import type { ExitStatus, Surroundings } from './command.ts';
import { inForm, type OutputForm } from './output.ts';
import { tableText } from './status/table.ts';

const Locks = z.object({ locks: Status.shape.locks, unread: z.array(z.string()) });

type Group = NonNullable<z.infer<typeof Locks>['locks']>[number];

/** Asks a running Poolkeeper and prints who has a slot. Throws Misconfigured and Transient. */
export async function listLocks(url: string, output: OutputForm, surroundings: Surroundings): Promise<ExitStatus> {
  const { status, body } = await askStatus(url, surroundings, '?reboots=0');
  const read = Locks.safeParse(body);
  if (!read.success) throw noStatus(url, status);
  if (read.data.unread.includes('locks')) throw new Transient('the slots could not be read; try again');
  const groups = read.data.locks ?? [];
  surroundings.out(await inForm(output, { data: groups, text: () => textOf(groups), wide: () => tableOf(groups) }));
  return groups.some(({ held }) => held.some(({ overdue }) => overdue)) ? 1 : 0;
}

function textOf(groups: readonly Group[]): string {
  if (groups.length === 0) return 'No machine asks by FleetLock: poolkeeper.yaml has no fleetLock.\n';
  return groups.map(groupText).join('\n');
}

function tableOf(groups: readonly Group[]): string {
  const rows = groups.flatMap(({ group, held }) =>
    held.map(({ id, since, dueAt = '', overdue }) => ({
      group,
      since,
      due: dueAt,
      overdue: overdue ? 'yes' : 'no',
      machine: id,
    })),
  );
  return tableText(['group', 'since', 'due', 'overdue', 'machine'], rows);
}

function groupText({ group, slots, held, closed, opensAt }: Group): string {
  const of = slots === undefined ? `${held.length} taken, no longer configured` : `${held.length} of ${slots} taken`;
  const windows =
    closed === true ? `; no window is open${opensAt === undefined ? '' : `, the next at ${opensAt}`}` : '';
  return [`${group}: ${of}${windows}`, ...held.map(lockText), ''].join('\n');
}

function lockText({ id, since, dueAt, overdue }: Group['held'][number]): string {
  const due = dueAt === undefined ? '' : overdue ? `, should have been back at ${dueAt}` : `, due back at ${dueAt}`;
  return `  ${id}  since ${since}${due}`;
}
