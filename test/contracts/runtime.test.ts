import { describe, expect, test } from 'vitest';
import { systemRuntime } from '../../functions/adapters/time/system-runtime.ts';
import { acceleratedClock } from '../../local/run/accelerated-clock.ts';
import { fakeRuntime } from '../fakes/index.ts';
import { runtimeContract } from './runtime.contract.ts';

runtimeContract('this machine', () => ({ runtime: systemRuntime, run: (task) => task }));
runtimeContract('a faster clock', () => ({ runtime: acceleratedClock(2).runtime, run: (task) => task }));
runtimeContract('a fake', () => {
  const runtime = fakeRuntime();
  return { runtime, run: runtime.run };
});

describe('the fake runtime', () => {
  test('stands still until it is moved, and wakes in order those whose time has come', async () => {
    const runtime = fakeRuntime('2026-03-02T10:00:00Z');
    const woken: string[] = [];
    const noteAfter = (ms: number) => runtime.sleep(ms).then(() => woken.push(runtime.clock().toISOString()));
    const waits = [noteAfter(3_600_000), noteAfter(2_000), noteAfter(1_000)];

    await runtime.advance(10_000);
    const soon = [...woken];
    await runtime.advance(3_600_000);

    await Promise.all(waits);
    expect(soon).toEqual(['2026-03-02T10:00:01.000Z', '2026-03-02T10:00:02.000Z']);
    expect(woken.slice(2)).toEqual(['2026-03-02T11:00:00.000Z']);
    expect(runtime.clock().toISOString()).toBe('2026-03-02T11:00:10.000Z');
  });

  test('runs the same way each time', async () => {
    const course = async () => {
      const runtime = fakeRuntime();
      const steps: string[] = [];
      const worker = async (name: string) => {
        for (let step = 0; step < 5; step += 1) {
          await runtime.sleep(Math.floor(runtime.random() * 1000));
          steps.push(`${name} ${runtime.newId()} ${runtime.clock().toISOString()}`);
        }
      };
      await runtime.run(Promise.all([worker('a'), worker('b'), worker('c')]));
      return steps;
    };

    expect(await course()).toEqual(await course());
  });

  test('says so when a task waits for something that no time brings, and hands on what it throws', async () => {
    const runtime = fakeRuntime();

    await expect(runtime.run(new Promise(() => {}))).rejects.toThrow('waits for no time');
    await expect(runtime.run(runtime.sleep(1).then(() => Promise.reject(new Error('lost'))))).rejects.toThrow('lost');
  });
});
