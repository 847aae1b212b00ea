import { expect, test } from 'vitest';
import { Transient } from '../../../../functions/core/text/errors.ts';
import { ChangeInDoubt } from '../../../../local/cli/change-in-doubt.ts';
import { oneByOne } from '../../../../local/cli/connection/steps.ts';

test('[C-9] [C-13] [N-29] a first write that nobody answered counts as begun, because it may have been done', async () => {
  const steps = oneByOne(() => {});

  await steps.take('the binding stays', () =>
    Promise.reject(new Transient('DELETE /binding: other side closed', { kind: 'unreachable' })),
  );

  expect(steps.hasBegun()).toBe(true);
  expect(steps.left).toEqual(['the binding stays, as far as is known: DELETE /binding: other side closed']);
});

test('[C-9] [C-13] [N-29] a first write of which an answer does not tell whether it was done counts as begun', async () => {
  const steps = oneByOne(() => {});
  const cause = new Transient('PATCH /worker: 504', { kind: 'unreachable', isAnswered: true });

  await steps.take('pool worker stays paused', () => Promise.reject(new ChangeInDoubt('pool worker', cause)));

  expect(steps.hasBegun()).toBe(true);
  expect(steps.left).toEqual([
    expect.stringMatching(/^pool worker stays paused, as far as is known: pool worker may have been changed or not; /),
  ]);
});

test('[C-9] [C-13] a first write that the API server refuses has begun nothing', async () => {
  const steps = oneByOne(() => {});
  const refused = new Transient('DELETE /binding: 503', { kind: 'unreachable', isAnswered: true });

  await expect(steps.take('the binding stays', () => Promise.reject(refused))).rejects.toBe(refused);

  expect(steps.hasBegun()).toBe(false);
});
