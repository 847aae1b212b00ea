import { describe, expect, test } from 'vitest';
import { plain } from '../../../../functions/core/preview/markdown.ts';

describe('text of strangers in a comment', () => {
  test.each([
    ['_www.evil.example', 'www.evil'],
    ['*www.evil.example', 'www.evil'],
    ['see GH-12', 'GH-12'],
    ['acme/platform#12', '#12'],
    ['@acme/team', '@acme'],
    ['mailto:a@evil.example', '@evil'],
    ['https://evil.example', '://evil'],
  ])('[N-30] %s is no link and no mention', (text, linked) => {
    expect(text).toContain(linked);
    expect(plain(text)).not.toContain(linked);
  });
});
