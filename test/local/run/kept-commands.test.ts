import { tmpdir } from 'node:os';
import { describe, expect, onTestFinished, test } from 'vitest';
import { AlertWork, makeTick } from '../../../events/index.ts';
import { attentionEvent } from '../../../functions/core/requests/attention-event.ts';
import type { Logger } from '../../../functions/ports/telemetry.ts';
import { noMetrics } from '../../../functions/shell/metric-names.ts';
import { acceleratedClock } from '../../../local/run/accelerated-clock.ts';
import { compose } from '../../../local/run/compose.ts';
import { type EmbeddedTable, startEmbeddedTable } from '../../../local/run/embedded-table.ts';
import { keptCommands } from '../../../local/run/kept-commands.ts';
import { localQueue } from '../../../local/run/local-queue.ts';
import { fakeLogger } from '../../fakes/index.ts';

const clock = acceleratedClock(1000);

async function openTable(): Promise<EmbeddedTable> {
  const table = await startEmbeddedTable();
  onTestFinished(() => table.stop());
  return table;
}

function keptIn({ client, table }: EmbeddedTable, now = clock.runtime.clock) {
  const { newId } = clock.runtime;
  return keptCommands('alerts', (event) => AlertWork.safeParse(event).data, { client, table, clock: now, newId });
}

/** A process over this table; `handled` resolves with what came of the first request about an incident. */
function startProcess(table: EmbeddedTable) {
  const handled = Promise.withResolvers<unknown>();
  const logger: Logger = {
    ...fakeLogger(),
    info(message, fields) {
      if (message === 'request could not be applied to incident') handled.resolve(fields);
    },
  };
  const configuration = { clusters: [], argocd: [], alerts: { targets: [], statusUrl: undefined } };
  const connections = new Map();
  const secrets = { read: async () => ['secret'] };
  const outside = { secrets, table, logger, metrics: noMetrics, outbox: tmpdir() };
  const keeper = compose({ configuration, connections, clock, ...outside });
  onTestFinished(() => keeper.stop());
  return { keeper, handled: handled.promise };
}

function acknowledgement(id: string) {
  const asked = { kind: 'acknowledge', incident: 7, reason: '', forSeconds: 3600 } as const;
  return attentionEvent(asked, { id, source: '/test', by: 'anna' }, clock.now());
}

describe('[C-11] a command that was accepted', () => {
  test('and not carried out when the process ended is carried out by the next one, once', async () => {
    const table = await openTable();
    const before = startProcess(table);
    await before.keeper.alerts.send(acknowledgement('one'));
    await before.keeper.stop();

    const after = startProcess(table);
    await after.keeper.takeUp();
    const outcome = await after.handled;
    await after.keeper.stop();

    expect(outcome).toMatchObject({ incident: 7, wish: 'acknowledge' });
    expect(await keptIn(table).left()).toEqual([]);
  });

  test('and carried out is not taken up by a process whose clock is behind', async () => {
    const table = await openTable();
    await keptIn(table).keep(acknowledgement('one'));
    await keptIn(table).done('one');

    expect(await keptIn(table, () => new Date(Date.now() - 3_600_000)).left()).toEqual([]);
  });

  test('is kept while it fails, and as long as nobody has carried it out', async () => {
    const table = await openTable();
    const kept = keptIn(table);
    const dead = Promise.withResolvers<void>();
    const queue = localQueue<AlertWork>({
      name: 'alerts',
      clock,
      groupOf: () => undefined,
      handle: () => Promise.reject(new Error('no')),
      retryAfterSeconds: 1,
      receiveAtMost: 2,
      concurrency: 1,
      onFailure: ({ isDead }) => isDead && dead.resolve(),
      kept,
    });
    onTestFinished(async () => void (await queue.stop()));

    await queue.send(acknowledgement('one'));
    await dead.promise;

    expect((await kept.left()).map(({ id }) => id)).toEqual(['one']);
  });

  test('is not accepted if it cannot be kept, and what a tick finds again is not kept', async () => {
    const table = await openTable();
    const { keeper } = startProcess(table);
    await keeper.work.send(makeTick({ cluster: 'prod', why: 'clock' }, clock.now()));
    await keeper.stop();
    expect(await keptIn(table).left()).toEqual([]);

    await table.stop();
    const { alerts } = startProcess(table).keeper;

    await expect(alerts.send(acknowledgement('one'))).rejects.toThrow('DynamoDB PutItem');
  });
});
