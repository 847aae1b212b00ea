import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { messengersFor } from '../../../../functions/adapters/messengers/messenger-for.ts';
import { readOutbox } from '../../../../functions/adapters/messengers/outbox.ts';
import { systemRuntime } from '../../../../functions/adapters/time/system-runtime.ts';
import type { AlertTarget } from '../../../../functions/core/configuration/alerts.ts';
import { Misconfigured } from '../../../../functions/core/text/errors.ts';
import { sampleNow } from '../../core/alerts/samples.ts';

const filter = { clusters: [], pools: [], severities: [], causes: [] };
const parts = { ...systemRuntime, secrets: { read: async () => [] }, clock: () => sampleNow };
const outbox: AlertTarget = { kind: 'outbox', name: 'outbox', filter };
const mail: AlertTarget = {
  kind: 'email',
  name: 'mail',
  from: 'a@example.com',
  to: ['b@example.com'],
  via: 'smtp',
  filter,
};

describe('the messenger of a target', () => {
  test('is made once', () => {
    const messengerOf = messengersFor({ ...parts, outbox: '/nowhere' });

    expect(messengerOf(outbox)).toBe(messengerOf(outbox));
  });

  test('of every kind can be made', () => {
    const messengerOf = messengersFor(parts);
    const targets: readonly AlertTarget[] = [
      { kind: 'slack', name: 'ops', channel: 'C1', tokenSecret: 'slack', apiUrl: 'https://slack.example/api', filter },
      { kind: 'slack-webhook', name: 'hook', urlSecret: 'hook', filter },
    ];

    for (const target of targets) expect(messengerOf(target)).toHaveProperty('post');
  });

  test('says what is missing', () => {
    const messengerOf = messengersFor(parts);

    expect(() => messengerOf(outbox)).toThrow(Misconfigured);
    expect(() => messengerOf(mail)).toThrow(Misconfigured);
  });
});

describe('the outbox', () => {
  test('keeps edits, threads and the order under many writers', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'poolkeeper-outbox-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const messenger = messengersFor({ ...parts, outbox: directory })(outbox);
    const message = (deliveryId: string) => ({
      deliveryId,
      occasion: 'opened' as const,
      slack: { text: deliveryId, blocks: [], broadcast: false },
    });

    await Promise.all(['a', 'b', 'c'].map((id) => messenger.post(message(id))));
    await messenger.reply({ channel: 'outbox', id: '0002' }, message('d'));
    await messenger.edit({ channel: 'outbox', id: '0001' }, message('e'));

    const entries = await readOutbox(directory);
    expect(entries.map(({ name, deliveryId, thread, edits, text }) => [name, deliveryId, thread, edits, text])).toEqual(
      [
        ['0001', 'a', undefined, 1, 'e'],
        ['0002', 'b', undefined, 0, 'b'],
        ['0003', 'c', undefined, 0, 'c'],
        ['0002-r01', 'd', '0002', 0, 'd'],
      ],
    );
  });

  test('a message that somebody deleted is gone', async () => {
    const messenger = messengersFor({
      ...parts,
      outbox: join(tmpdir(), 'poolkeeper-no-such-outbox'),
    })(outbox);
    const message = { deliveryId: 'a', occasion: 'opened' as const };

    expect(await messenger.edit({ channel: 'outbox', id: '0001' }, message)).toMatchObject({ kind: 'gone' });
    expect(await messenger.reply({ channel: 'outbox', id: '0001' }, message)).toMatchObject({ kind: 'gone' });
  });
});
