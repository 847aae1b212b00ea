import { afterEach, describe, expect, test } from 'vitest';
import { Transient } from '../../../functions/core/text/errors.ts';
import { acceleratedClock } from '../../../local/run/accelerated-clock.ts';
import { type LocalQueue, localQueue } from '../../../local/run/local-queue.ts';

const clock = acceleratedClock(1000);
const running: LocalQueue<string>[] = [];

function queue(handle: (event: string) => Promise<void>, receiveAtMost = 3) {
  const failures: boolean[] = [];
  const made = localQueue<string>({
    name: 'work',
    clock,
    groupOf: (event) => /^(\w+)\//.exec(event)?.[1],
    handle,
    retryAfterSeconds: 5,
    receiveAtMost,
    concurrency: 2,
    onFailure: ({ isDead }) => failures.push(isDead),
  });
  running.push(made);
  return { queue: made, failures };
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.stop()));
});

describe('the queue of the local mode', () => {
  test('delivers a copy, outside the turn of the sender', async () => {
    const done = Promise.withResolvers<string>();
    let sending = true;
    const { queue: work } = queue(async (event) => {
      expect(sending).toBe(false);
      done.resolve(event);
    });

    const sent = work.send('one');
    sending = false;
    await sent;

    expect(await done.promise).toBe('one');
  });

  test('brings a failed message again, and gives it up into the dead letters after too many receives', async () => {
    const dead = Promise.withResolvers<void>();
    let receives = 0;
    const { queue: work, failures } = queue(async () => {
      receives += 1;
      if (receives === 3) setImmediate(dead.resolve);
      throw new Error('no');
    });

    await work.send('poison');
    await dead.promise;

    expect(receives).toBe(3);
    expect(failures).toEqual([false, false, true]);
    expect(work.dead).toEqual(['poison']);
  });

  test('[C-11] waits longer before it brings a message again if the failure asks for it', async () => {
    const again = Promise.withResolvers<void>();
    const receivedAt: number[] = [];
    const { queue: work } = queue(async () => {
      receivedAt.push(clock.now().getTime());
      if (receivedAt.length === 2) return again.resolve();
      throw new Transient('another pass carries it out', { retryAfterSeconds: 60 });
    });

    await work.send('one');
    await again.promise;

    const [first = 0, second = 0] = receivedAt;
    expect(second - first).toBeGreaterThanOrEqual(60_000);
  });

  test('works on no more messages at once than it may, and on all of them in the end', async () => {
    const all = Promise.withResolvers<void>();
    let atOnce = 0;
    let most = 0;
    let done = 0;
    const { queue: work } = queue(async () => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await new Promise(setImmediate);
      atOnce -= 1;
      done += 1;
      if (done === 6) all.resolve();
    });

    for (let index = 0; index < 6; index += 1) await work.send(`${index}`);
    await all.promise;

    expect(most).toBe(2);
  });

  test("[N-30] lets those who have messages take turns, and what is nobody's wait for none", async () => {
    const all = Promise.withResolvers<void>();
    const order: string[] = [];
    const { queue: work } = queue(async (event) => {
      await new Promise(setImmediate);
      order.push(event);
      if (order.length === 45) all.resolve();
    });

    for (let index = 0; index < 40; index += 1) await work.send(`evil/${index}`);
    const begun = order.length;
    for (const event of ['team/0', 'team/1', 'shop/0', 'a command', 'another']) await work.send(event);
    await all.promise;

    // Two were being handled at once.
    const after = order.slice(begun).filter((event) => !event.startsWith('evil'));
    expect(after).toEqual(['a command', 'another', 'team/0', 'shop/0', 'team/1']);
    expect(order.indexOf('team/1') - begun).toBeLessThan(12);
    expect(order.filter((event) => event.startsWith('evil'))).toHaveLength(40);
  });

  test('[N-26] lets a delayed message wait, and hands it over when stopped before, with what came or failed later', async () => {
    const [begun, stopped] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const seen: string[] = [];
    const { queue: work } = queue(async (event) => {
      seen.push(event);
      begun.resolve();
      await stopped.promise;
      await work.send('sent by it');
      throw new Error('no');
    });

    await work.send('later', 3600);
    await work.send('now');
    await begun.promise;
    const waiting = work.stop();
    stopped.resolve();

    expect((await waiting).toSorted()).toEqual(['later', 'now', 'sent by it']);
    expect(seen).toEqual(['now']);
  });
});
