import type { AlertWork, WorkEvent } from '../../events/index.ts';
import { openTable, type TableOptions } from '../../functions/adapters/aws/table.ts';
import type { KeptMessages } from './local-queue.ts';

/** What a person asked for, and nobody would find again by looking at a cluster. Everything else a tick does. */
const commands: ReadonlySet<(AlertWork | WorkEvent)['type']> = new Set([
  'poolkeeper.attention.asked.v1',
  'poolkeeper.approval.asked.v1',
  'poolkeeper.request.asked.v1',
  'poolkeeper.freeze.asked.v1',
]);

/** Seconds: a day. Whoever handles a command judges whether it is too late for it. */
const keepSeconds = 24 * 3600;

export interface KeptCommands<Event> extends KeptMessages<Event> {
  /** What was accepted and not carried out, by this process or one before it. Throws Transient. */
  left(): Promise<readonly Event[]>;
}

/** A row for each command in a queue, from before it is accepted until it has been carried out: a process that ends in
 *  between leaves it to the next one.
 *  @param parse an event as it is read back; undefined: of another version, which is left alone */
export function keptCommands<Event extends AlertWork | WorkEvent>(
  queue: string,
  parse: (stored: unknown) => Event | undefined,
  options: TableOptions,
): KeptCommands<Event> {
  const table = openTable(options);
  const pk = `command#${queue}`;
  return {
    async keep(event) {
      if (!commands.has(event.type)) return undefined;
      const row = { pk, sk: event.id, body: JSON.stringify(event), version: 1, keepSeconds };
      await table.write(row, { kind: 'absent' });
      return event.id;
    },
    async done(id) {
      await table.write({ pk, sk: id, body: '', version: 1, keepSeconds: 0 }, { kind: 'not newer' });
    },
    async left() {
      const rows = await table.query({ pk, consistent: true });
      // What was done is an empty row until it has expired, which a clock that is behind sees later.
      const open = rows.filter(({ body }) => body !== '');
      return open.map(({ body }) => parse(JSON.parse(body))).filter((event) => event !== undefined);
    },
  };
}
