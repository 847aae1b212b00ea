import { describe, expect, it, vi } from 'vitest';
import { liveSecret } from '../../../functions/shell/live-secret.ts';
import { isToken } from '../../../functions/shell/token.ts';
import { fakeClock } from '../../fakes/index.ts';

/** A secret whose cache holds `cached` and whose store has moved on to `stored`. */
function rotated(cached: readonly string[], stored: readonly string[]) {
  const clock = fakeClock();
  const read = vi.fn(async (_name: string, options?: { readonly fresh?: boolean }) =>
    options?.fresh ? stored : cached,
  );
  return { clock, read, live: liveSecret({ secrets: { read }, secret: 'token', clock: clock.now }) };
}

describe('a secret that callers must know', () => {
  it('[C-1] [C-2] may be either of two live values, without asking past the cache', async () => {
    const { live, read } = rotated(['new', 'old'], []);

    const known = await Promise.all(['new', 'old'].map((value) => live.isKnown((each) => isToken(value, each))));

    expect(known).toEqual([true, true]);
    expect(read.mock.calls.every(([, options]) => options?.fresh === false)).toBe(true);
  });

  it('[C-1] [C-2] works at once after a rotation that the cache has not seen', async () => {
    const { live } = rotated(['old'], ['new', 'old']);

    const known = await live.isKnown((value) => isToken('new', value));

    expect(known).toBe(true);
  });

  it('[C-1] [C-2] is not read anew for each guess', async () => {
    const { live, read, clock } = rotated(['old'], ['old']);
    const guess = () => live.isKnown((value) => isToken('guess', value));

    const known = [await guess(), await guess(), await guess()];
    const freshReads = read.mock.calls.filter(([, options]) => options?.fresh).length;
    clock.advance(30);
    await guess();
    const freshReadsLater = read.mock.calls.filter(([, options]) => options?.fresh).length;

    expect(known).toEqual([false, false, false]);
    expect([freshReads, freshReadsLater]).toEqual([1, 2]);
  });

  it('is known without the line end that its file ends with', async () => {
    const { live } = rotated(['the-token\n'], []);

    await expect(live.isKnown((value) => isToken('the-token', value))).resolves.toBe(true);
  });

  it.each([[[]], [['']], [['\n', '']]])('lets nobody in when it is empty: %j', async (values) => {
    const { live } = rotated(values, values);

    await expect(live.isKnown(() => true)).rejects.toThrow('secret token has no live value');
  });
});
