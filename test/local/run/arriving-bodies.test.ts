import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { arrivingBodies } from '../../../local/run/arriving-bodies.ts';

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
    const bodies = arrivingBodies({ atMostBytes: 1000 });
    const slow = Array.from({ length: 3 }, () => new PassThrough());
    const ofSlow = slow.map((caller) => bodies.read(caller));
    for (const caller of slow) caller.write(Buffer.alloc(400, 'x'));

    const caller = new PassThrough();
    const read = bodies.read(caller);
    caller.write(Buffer.alloc(500, 'y'));
    slow[1]?.write(Buffer.alloc(400, 'x'));
    caller.end();

    expect((await read)?.toString()).toBe('y'.repeat(500));
    expect(await Promise.all(ofSlow.slice(0, 2))).toEqual([undefined, undefined]);
    slow[2]?.end();
    expect((await ofSlow[2])?.length).toBe(400);
  });

  test('[N-30] who leaves takes no room any more', async () => {
    const bodies = arrivingBodies({ atMostBytes: 1000 });
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
