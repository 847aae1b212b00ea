import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { onCallAt, untilRemedied } from '../../../local/demo/on-call.ts';

function terminal(isTTY: boolean) {
  return Object.assign(new PassThrough(), { isTTY });
}

describe('[N-32] the demo stops where a person decides', () => {
  test('and goes on when Enter is pressed', async () => {
    const input = terminal(true);
    const onCall = onCallAt(input);
    let looks = 0;

    const ended = onCall && untilRemedied(onCall, { isOver: async () => false, sleep: () => pressAt(3) });

    expect(await ended).toBe('enter');
    expect(looks).toBeGreaterThanOrEqual(3);

    async function pressAt(look: number): Promise<void> {
      looks += 1;
      if (looks === look) input.write('\n');
      await new Promise((resolve) => setImmediate(resolve));
    }
  });

  test('and goes on when the person has done what the message advises', async () => {
    const onCall = onCallAt(terminal(true));
    let looks = 0;
    const isOver = async () => {
      looks += 1;
      return looks > 2;
    };

    expect(await (onCall && untilRemedied(onCall, { isOver, sleep: async () => undefined }))).toBe('by-the-person');
  });

  test('unless nobody is there', () => {
    expect(onCallAt(terminal(false))).toBeUndefined();
  });
});
