import { describe, expect, test } from 'vitest';
import { composeMessage } from '../../../../functions/core/alerts/message/compose-message.ts';
import { aStory, lasting, minute, passing } from './incident-lab.ts';

const blocked = lasting({ headline: 'drain of worker-2 blocked by PDB shop/web', digest: 'blocked' });
const fading = passing({ headline: 'drain of worker-2 does not finish', digest: 'fading' });

const headlineAt = (story: ReturnType<typeof aStory>, minutes: number) =>
  composeMessage(story.now, {
    now: minute(minutes),
    statusUrl: undefined,
    product: 'poolkeeper',
    occasion: 'refreshed',
  }).headline;

describe('what had been the cause, while it fades', () => {
  test('is kept, and is what the end is told of', () => {
    const story = aStory();
    story.wrong(0, blocked);

    story.wrong(1, fading);
    expect(story.now.cause).toEqual(blocked);
    expect(headlineAt(story, 1)).toBe(fading.headline);

    story.gone(2);
    story.gone(8);
    expect(story.now.state).toBe('ok');
    expect(headlineAt(story, 8)).toBe(blocked.headline);
  });

  test('gives way to another cause that does not heal by itself, and is not carried into another episode', () => {
    const story = aStory();
    story.wrong(0, blocked);
    story.wrong(1, fading);

    story.wrong(2, lasting({ headline: 'another', digest: 'another' }));
    expect(story.now.cause).toBeUndefined();

    story.wrong(3, fading);
    story.gone(4);
    story.gone(10);
    story.wrong(500, fading);
    story.wrong(510, fading);
    expect(story.now).toMatchObject({ state: 'firing', number: 2, cause: undefined });
  });
});
