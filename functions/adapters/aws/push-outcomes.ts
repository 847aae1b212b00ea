import { isComplete, oneHoldPerPool, type PushOutcome, somePools } from '../../core/relay/push-outcome.ts';
import type { PushOutcomes } from '../../ports/tables.ts';
import { fittingBody, readBody } from './body.ts';
import { StoredPushOutcome } from './stored/push-outcome.ts';
import { openTable, type TableOptions } from './table.ts';

/** Seconds: 4 days. GitHub redelivers a push for three. */
const keepSeconds = 4 * 24 * 3600;

/** The outcome of each reception of a push, one row each. Complete ones have version 1 and incomplete ones 0, and a
 *  lower version never overwrites a higher one: a pass that could not read a cluster must not overwrite the result of
 *  one that could. */
export function pushOutcomes(options: TableOptions): PushOutcomes {
  const table = openTable(options);
  const keyOf = ({ delivery, receivedAt }: Pick<PushOutcome, 'delivery' | 'receivedAt'>) => ({
    pk: `push#${delivery}`,
    sk: `outcome#${receivedAt}`,
  });

  return {
    async load(reception) {
      const row = await table.read(keyOf(reception));
      return row && readBody(StoredPushOutcome, row);
    },
    async save(outcome) {
      const version = isComplete(outcome) ? 1 : 0;
      const body = fittingBody(outcome, [oneHoldPerPool, somePools]);
      await table.write({ ...keyOf(outcome), body, version, keepSeconds }, { kind: 'not newer' });
    },
  };
}
