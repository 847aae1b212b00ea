import { Transient } from '../../core/text/errors.ts';
import { openTable, type TableOptions } from './table.ts';

/** Seconds: 4 days. GitHub forgets a delivery after three. */
const keepSeconds = 4 * 24 * 3600;

/** Requested redeliveries, one row each: claimed or released. Conditional writes only, so that of two concurrent runs
 *  one makes the request. The row format is private to this file. */
export function redeliveryNotes(options: TableOptions) {
  const table = openTable(options);
  const keyOf = (hook: string, guid: string) => ({ pk: `redelivery#${hook}`, sk: guid });

  async function claim(hook: string, guid: string): Promise<boolean> {
    const key = keyOf(hook, guid);
    const first = await table.write({ ...key, body: 'claimed', version: 1, keepSeconds }, { kind: 'absent' });
    if (first.kind === 'written') return true;
    if (first.stored?.body !== 'free') return false;
    const { version } = first.stored;
    const second = await table.write(
      { ...key, body: 'claimed', version: version + 1, keepSeconds },
      { kind: 'version', version },
    );
    return second.kind === 'written';
  }

  async function release(hook: string, guid: string): Promise<void> {
    const key = keyOf(hook, guid);
    const stored = await table.read(key);
    if (stored === undefined) return;
    const { version } = stored;
    const written = await table.write(
      { ...key, body: 'free', version: version + 1, keepSeconds },
      { kind: 'version', version },
    );
    if (written.kind === 'refused')
      throw new Transient('another run changed the note of a redelivery', { kind: 'conflict' });
  }

  return { claim, release };
}
