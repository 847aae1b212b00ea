import { beforeEach, describe, expect, test } from 'vitest';
import { Transient } from '../../../functions/core/text/errors.ts';
import { fc } from '../../property.ts';
import { createVirtualClock, type VirtualClock } from '../openshift/virtual-clock.ts';
import { candidate, type SharedLease, sharedLease } from './shared-lease.ts';

let clock: VirtualClock;
let lease: SharedLease;

beforeEach(() => {
  clock = createVirtualClock(new Date('2026-03-02T10:00:00Z'));
  lease = sharedLease();
});

const seconds = (count: number) => count * 1000;

describe('[C-11] leader by Lease', () => {
  test('the first to come leads at once, and renews its Lease every two seconds', async () => {
    const one = candidate({ clock, identity: 'one', lease: lease.storeFor() });
    await clock.advance(0);

    expect(one.leads()).toBe(true);
    await clock.advance(seconds(60));
    expect(one.leads()).toBe(true);
    expect(lease.record()).toEqual({
      holder: 'one',
      durationSeconds: 15,
      acquireTime: '2026-03-02T10:00:00.000000Z',
      renewTime: '2026-03-02T10:01:00.000000Z',
      transitions: 0,
    });
  });

  test('of two that come at the same moment, one leads', async () => {
    const both = ['one', 'two'].map((identity) => candidate({ clock, identity, lease: lease.storeFor() }));
    await clock.advance(seconds(5));

    expect(both.map(({ leads }) => leads())).toEqual([true, false]);
  });

  test('who waits takes over once the Lease was seen unchanged for its whole duration, and not before', async () => {
    let isAlive = true;
    const dead = new Promise<void>(() => {});
    candidate({ clock, identity: 'one', lease: lease.storeFor(() => (isAlive ? Promise.resolve() : dead)) });
    await clock.advance(seconds(1));
    const two = candidate({ clock, identity: 'two', lease: lease.storeFor() });
    await clock.advance(seconds(60));
    isAlive = false;

    await clock.advance(seconds(14));
    expect(two.term()).toBeUndefined();
    await clock.advance(seconds(5));

    expect(two.leads()).toBe(true);
    expect(lease.record()).toMatchObject({ holder: 'two', transitions: 1 });
  });

  test.each([-3600, 3600])('a clock that is %i s ahead of the other makes no difference', async (ahead) => {
    const one = candidate({ clock, identity: 'one', lease: lease.storeFor() });
    await clock.advance(0);
    const two = candidate({ clock, identity: 'two', lease: lease.storeFor(), aheadMs: seconds(ahead) });
    await clock.advance(seconds(120));

    expect([one.leads(), two.term()]).toEqual([true, undefined]);
  });

  test('who ends gives the Lease back, and the next one need not wait for it to expire', async () => {
    const one = candidate({ clock, identity: 'one', lease: lease.storeFor() });
    await clock.advance(0);
    const two = candidate({ clock, identity: 'two', lease: lease.storeFor() });
    await clock.advance(seconds(10));

    const released = one.term()?.release();
    await clock.advance(seconds(5));
    await released;

    expect(two.leads()).toBe(true);
    expect(one.term()?.over.aborted).toBe(false);
  });

  test('who ends before it leads takes no Lease', async () => {
    const one = candidate({ clock, identity: 'one', lease: lease.storeFor() });
    await clock.advance(0);
    const two = candidate({ clock, identity: 'two', lease: lease.storeFor() });
    await clock.advance(seconds(5));
    two.stop();

    void one.term()?.release();
    await clock.advance(seconds(60));

    expect(lease.record()).toMatchObject({ holder: '', durationSeconds: 1 });
    expect(two.term()).toBeUndefined();
  });

  test('a leader that cannot renew ends in time, before anybody else may begin', async () => {
    let isReachable = true;
    const cut = () => (isReachable ? Promise.resolve() : Promise.reject(new Transient('no answer')));
    const one = candidate({ clock, identity: 'one', lease: lease.storeFor(cut) });
    await clock.advance(0);
    const two = candidate({ clock, identity: 'two', lease: lease.storeFor() });
    await clock.advance(seconds(30));
    isReachable = false;

    const lost = await clock.advanceUntil(() => one.term()?.over.aborted === true, seconds(60));
    const taken = await clock.advanceUntil(() => two.leads(), seconds(60));

    expect(lost).toBeLessThanOrEqual(seconds(10));
    expect(lost + taken).toBeGreaterThanOrEqual(seconds(15));
  });

  test('a renewal that hangs ends the term as one that fails', async () => {
    let isAnswering = true;
    const hang = () => (isAnswering ? Promise.resolve() : new Promise<void>(() => {}));
    const one = candidate({ clock, identity: 'one', lease: lease.storeFor(hang) });
    await clock.advance(seconds(30));
    isAnswering = false;

    expect(await clock.advanceUntil(() => one.term()?.over.aborted === true, seconds(60))).toBeLessThanOrEqual(
      seconds(10),
    );
  });

  test('what was begun in a term ends with it, and keeps its own deadline otherwise', async () => {
    let isReachable = true;
    const cut = () => (isReachable ? Promise.resolve() : Promise.reject(new Transient('no answer')));
    const one = candidate({ clock, identity: 'one', lease: lease.storeFor(cut) });
    await clock.advance(0);
    const own = new AbortController();
    const deadline = one.term()?.deadline((ms) => (ms === 5 ? own.signal : new AbortController().signal));
    const [short, long] = [deadline?.(5), deadline?.(10_000)];

    own.abort(new Error('its time is up'));
    expect([short?.reason.message, long?.aborted]).toEqual(['its time is up', false]);
    isReachable = false;
    await clock.advance(seconds(20));

    expect(long?.reason.message).toContain('leads no more');
    expect(deadline?.(10_000).aborted).toBe(true);
  });

  test('a Lease that somebody else holds ends the term with the next look', async () => {
    const one = candidate({ clock, identity: 'one', lease: lease.storeFor() });
    await clock.advance(seconds(4));
    const [held] = [lease.record()];
    if (held !== undefined) lease.write({ ...held, holder: 'an intruder' });

    await clock.advance(seconds(2));

    expect(one.leads()).toBe(false);
  });

  test('a write of somebody who leaves the holder alone is a conflict, and ends no term', async () => {
    const isBetween = { readAndWrite: false };
    const store = lease.storeFor();
    const one = candidate({
      clock,
      identity: 'one',
      lease: {
        ...store,
        async read() {
          const read = await store.read();
          if (isBetween.readAndWrite && read !== undefined) lease.write(read.record);
          isBetween.readAndWrite = false;
          return read;
        },
      },
    });
    await clock.advance(seconds(1));
    isBetween.readAndWrite = true;

    await clock.advance(seconds(30));

    expect(one.leads()).toBe(true);
    expect(lease.record()?.transitions).toBe(0);
  });

  test('a process that stood still begins nothing when it goes on, whatever its timers say', async () => {
    // A machine that sleeps: its monotonic clock and its timers stand still, the wall clock does not.
    const startMs = clock.now().getTime();
    const asleep = { ms: 0 };
    const one = candidate({
      clock,
      identity: 'one',
      lease: lease.storeFor(),
      own: {
        clock: () => new Date(clock.now().getTime() + asleep.ms),
        monotonic: () => clock.now().getTime() - startMs,
      },
    });
    await clock.advance(seconds(5));
    expect(one.leads()).toBe(true);

    asleep.ms = seconds(20);

    expect(one.leads()).toBe(false);
    expect(one.term()?.over.aborted).toBe(true);
  });

  test('a Lease that was made by hand, empty, is taken', async () => {
    lease.write({ holder: '', durationSeconds: 0, acquireTime: '', renewTime: '', transitions: 0 });
    const one = candidate({ clock, identity: 'one', lease: lease.storeFor() });
    await clock.advance(0);

    expect(one.leads()).toBe(true);
  });

  test('two never lead at once, however slow and unreliable the way to the Lease is', async () => {
    const calls = fc.array(fc.record({ delayMs: fc.integer({ min: 0, max: 12_000 }), isLost: fc.boolean() }), {
      minLength: 5,
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(fc.tuple(calls, calls, calls), fc.integer({ min: -60, max: 60 }), async (ways, ahead) => {
        const time = createVirtualClock(new Date('2026-03-02T10:00:00Z'));
        const shared = sharedLease();
        const candidates = ways.map((way, index) =>
          candidate({
            clock: time,
            identity: `c${index}`,
            lease: shared.storeFor(unreliable(time, way)),
            aheadMs: seconds(ahead * index),
          }),
        );
        for (let at = 0; at < 60; at += 1) {
          await time.advance(seconds(1));
          expect(candidates.filter(({ leads }) => leads()).length).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: 25 },
    );
  });
});

/** Each call is late, before and after it arrives, and some are lost on either way. Plays the list again and again. */
function unreliable(time: VirtualClock, way: readonly { readonly delayMs: number; readonly isLost: boolean }[]) {
  let count = 0;
  return async () => {
    const { delayMs = 0, isLost = false } = way[count % way.length] ?? {};
    count += 1;
    await new Promise<void>((resolve) => {
      time.setTimeout(resolve, delayMs);
    });
    if (isLost) throw new Transient('lost');
  };
}
