import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { expect, onTestFinished, test } from 'vitest';
import { openTable } from '../../../functions/adapters/aws/table.ts';
import { acceleratedClock } from '../../../local/run/accelerated-clock.ts';
import { startEmbeddedTable } from '../../../local/run/embedded-table.ts';
import { startDeletingExpired } from '../../../local/run/expired-rows.ts';
import { fakeLogger } from '../../fakes/index.ts';

async function tableWithRows() {
  const embedded = await startEmbeddedTable();
  onTestFinished(() => embedded.stop());
  const { client, table } = embedded;
  const clock = acceleratedClock(1);
  const rows = openTable({ client, table, clock: clock.now, newId: () => 'id' });
  for (const keepSeconds of [-60, 3600, 1_000_000]) {
    await rows.write({ pk: 'kept', sk: `${keepSeconds} s`, body: '', version: 0, keepSeconds }, { kind: 'absent' });
  }
  await rows.increment({ pk: 'counter', sk: 'one' });
  return { embedded, clock };
}

async function sortKeys({ client, table }: Awaited<ReturnType<typeof startEmbeddedTable>>) {
  const { Items: items = [] } = await client.send(new ScanCommand({ TableName: table }));
  return items.map(({ sk }) => sk?.S).toSorted();
}

function inSeconds(seconds: number): Date {
  return new Date(Date.now() + seconds * 1000);
}

test('[C-11] rows that have expired are deleted at the start and every day from then on; others and counters are not', async () => {
  const { embedded, clock } = await tableWithRows();
  const sweeps: (() => void)[] = [];
  const time = { ms: 0 };
  const simulated = {
    ...clock,
    now: () => inSeconds(time.ms / 1000),
    setTimeout(run: () => void, ms: number) {
      sweeps.push(() => {
        time.ms += ms;
        run();
      });
      next.resolve();
      return { cancel: () => {} };
    },
  };
  let next = Promise.withResolvers<void>();
  const stop = startDeletingExpired(embedded, simulated, fakeLogger());
  onTestFinished(stop);
  await next.promise;
  expect(await sortKeys(embedded)).toEqual(['1000000 s', '3600 s', 'one']);

  next = Promise.withResolvers();
  sweeps[0]?.();
  await next.promise;

  expect(time.ms).toBe(24 * 3600 * 1000);
  expect(await sortKeys(embedded)).toEqual(['1000000 s', 'one']);
});
