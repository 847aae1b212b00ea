import type { YieldToEventLoop } from '../../ports/time.ts';
import type { Row } from './row.ts';

type RowKey = Pick<Row, 'pk' | 'sk'>;

/** Rows of one request. A row is 400 KiB at most, and the answer must come within the time of one. */
const rowsAtMost = 4;

export interface Reads {
  /** One row, consistently. */
  readonly one: (key: RowKey) => Promise<Row | undefined>;
  /** Several rows, each as consistently as by itself, in the order of the keys; `left`: it was not read, and may be. */
  readonly several: (keys: readonly RowKey[]) => Promise<readonly (Row | undefined | 'left')[]>;
  readonly yieldToEventLoop: YieldToEventLoop;
}

interface Waiting {
  readonly key: RowKey;
  readonly resolve: (row: Row | undefined) => void;
  readonly reject: (cause: unknown) => void;
}

/** Reads that begin within one turn of the event loop are one request: building one takes a millisecond of processor
 *  time, and a pause waits for two. What one request leaves is read by itself. */
export function readsTogether({ one, several, yieldToEventLoop }: Reads): (key: RowKey) => Promise<Row | undefined> {
  let waiting: Waiting[] = [];

  async function readAll(all: readonly Waiting[]): Promise<void> {
    const [first, ...others] = all;
    if (first === undefined) return;
    if (others.length === 0) return settle(first, one(first.key));
    const distinct = all.filter(({ key }, index) => all.findIndex((each) => isSame(each.key, key)) === index);
    const found = several(distinct.map(({ key }) => key));
    for (const each of all) {
      const at = distinct.findIndex(({ key }) => isSame(key, each.key));
      const row = found.then((rows) => {
        const answer = rows[at];
        return answer === 'left' ? one(each.key) : answer;
      });
      void settle(each, row);
    }
  }

  function begin(): void {
    const begun = waiting;
    waiting = [];
    for (let from = 0; from < begun.length; from += rowsAtMost) void readAll(begun.slice(from, from + rowsAtMost));
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (waiting.length === 1) void yieldToEventLoop().then(begin);
    });
}

async function settle({ resolve, reject }: Waiting, row: Promise<Row | undefined>): Promise<void> {
  await row.then(resolve, reject);
}

function isSame(a: RowKey, b: RowKey): boolean {
  return a.pk === b.pk && a.sk === b.sk;
}
