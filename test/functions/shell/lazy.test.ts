import { expect, it, vi } from 'vitest';
import { lazy } from '../../../functions/shell/lazy.ts';

it('builds once, also when two ask at the same time', async () => {
  const build = vi.fn(async () => ({}));
  const get = lazy(build);

  const [one, two] = await Promise.all([get(), get()]);

  expect(one).toBe(two);
  expect(build).toHaveBeenCalledTimes(1);
});

it('does not remember a failed build', async () => {
  const get = lazy(vi.fn(async () => 'built').mockRejectedValueOnce(new Error('not yet')));

  await expect(get()).rejects.toThrow('not yet');
  await expect(get()).resolves.toBe('built');
});
