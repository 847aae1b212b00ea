import { expect, test } from 'vitest';
import { slackFallback } from '../../../../functions/core/alerts/slack-text.ts';

test('[C-6] [N-34] what stands for the blocks in a notification is escaped once, and cut at no entity', () => {
  expect(slackFallback('a &lt; b &amp; c')).toBe('a &lt; b &amp; c');
  for (let room = 140; room < 156; room += 1) {
    const cut = slackFallback(`${'x'.repeat(room)}&amp;${'y'.repeat(40)}`);
    expect(cut.replace('&amp;', '')).not.toContain('&');
    expect(cut.length).toBeLessThanOrEqual(151);
  }
});
