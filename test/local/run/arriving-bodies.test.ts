import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { arrivingBodies } from '../../../local/run/arriving-bodies.ts';

/** What a request counts besides its body. */
const requestBytes = 64 * 1024;

const kibibyte = 1024;

describe('bodies that are on their way', () => {
  test('[N-30] one in chunks of a byte takes a buffer of its size, whatever its chunks', async () => {
    const caller = new PassThrough();
    const read = arrivingBodies().read(caller);
    const text = 'pool '.repeat(4000);

    for (const byte of Buffer.from(text)) caller.write(Buffer.of(byte));
    caller.end();

    const body = await read;
    expect(body?.toString()).toBe(text);
    expect(body?.buffer.byteLength).toBeLessThan(2 * text.length);
  });

  test('[C-1] [N-30] one that is too large for every function is kept as far as that can be seen', async () => {
    const caller = new PassThrough();
    const read = arrivingBodies().read(caller);

    for (let mebibytes = 0; mebibytes < 10; mebibytes += 1) caller.write(Buffer.alloc(1024 * 1024, 'x'));
    caller.end();

    expect((await read)?.length).toBe(4 * 1024 * 1024 + 1);
  });

  test('one that Git pushes is kept as far as it is asked for', async () => {
    const caller = new PassThrough();
    const read = arrivingBodies({ keptAtMostBytes: 6 * 1024 * 1024 }).read(caller);

    caller.end(Buffer.alloc(5 * 1024 * 1024, 'x'));

    expect((await read)?.length).toBe(5 * 1024 * 1024);
  });

  test('[N-30] whoever sends slowly, in however many requests, loses the oldest of them, and others are read', async () => {
    const bodies = arrivingBodies({ atMostBytes: 3 * requestBytes + 900 * kibibyte });
    const slow = Array.from({ length: 3 }, () => new PassThrough());
    const ofSlow = slow.map((caller) => bodies.read(caller));
    for (const caller of slow) caller.write(Buffer.alloc(400 * kibibyte, 'x'));

    const caller = new PassThrough();
    const read = bodies.read(caller);
    caller.write(Buffer.alloc(500 * kibibyte, 'y'));
    slow[1]?.write(Buffer.alloc(400 * kibibyte, 'x'));
    caller.end();

    expect((await read)?.toString()).toBe('y'.repeat(500 * kibibyte));
    expect(await Promise.all(ofSlow.slice(0, 2))).toEqual([undefined, undefined]);
    slow[2]?.end();
    expect((await ofSlow[2])?.length).toBe(400 * kibibyte);
  });

  test('[N-30] requests of which nothing comes after the headers are given up from a thousand on', async () => {
    const bodies = arrivingBodies();
    const callers = Array.from({ length: 1026 }, () => new PassThrough());
    const given = new Set<number>();
    const reads = callers.map(async (caller, nth) => {
      const body = await bodies.read(caller);
      if (body === undefined) given.add(nth);
      return body;
    });

    for (const caller of callers) caller.end();

    expect((await Promise.all(reads)).filter((body) => body !== undefined)).toHaveLength(1024);
    expect([...given]).toEqual([0, 1]);
  });

  test('[N-30] who leaves takes no room any more', async () => {
    const bodies = arrivingBodies({ atMostBytes: requestBytes + 1000 });
    const gone = new PassThrough();
    const left = bodies.read(gone).catch((cause: unknown) => cause);
    gone.write(Buffer.alloc(900, 'x'));
    gone.destroy(new Error('aborted'));
    expect(await left).toEqual(new Error('aborted'));

    const caller = new PassThrough();
    const read = bodies.read(caller);
    caller.end(Buffer.alloc(900, 'y'));

    expect((await read)?.length).toBe(900);
  });
});
