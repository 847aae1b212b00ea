import { duration } from '../../core/text/durations.ts';
import { type Html, html } from '../html.ts';
import type { LockGroupStatus } from '../status.ts';
import { column, table } from './table.ts';
import { moment, pill } from './words.ts';

const columns = [column('Machine'), column('Group'), column('Has its slot since')];

/** Machines outside OpenShift that may be down now. */
export function locksTable(locks: readonly LockGroupStatus[], now: Date): Html {
  const rows = locks.flatMap(({ group, held }) =>
    held.map(({ id, since, ageSeconds, dueAt, overdue }) => ({
      cells: [
        html`<span class="name">${id}</span>`,
        group,
        html`${moment(since, now)}<small>${duration(ageSeconds)}</small>`,
      ],
      ...(overdue &&
        dueAt !== undefined && {
          note: html`${pill('bad', 'Not back')} It should have been back at ${moment(dueAt, now)}.`,
        }),
    })),
  );
  const free = html`<p class="mute">${locks.map(groupText).join('; ')}.</p>`;
  if (rows.length === 0) return free;
  return html`${table({ caption: 'Machines that have a slot', kind: 'holders', columns, rows })}${free}`;
}

function groupText({ group, slots, held, closed, opensAt }: LockGroupStatus): string {
  if (slots === undefined) return `${group}: no longer configured`;
  const windows = closed === true ? `, no window open${opensAt === undefined ? '' : ` until ${opensAt}`}` : '';
  return `${group}: ${held.length} of ${slots} ${slots === 1 ? 'slot' : 'slots'} taken${windows}`;
}
