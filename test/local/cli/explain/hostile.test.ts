import { describe, expect, test } from 'vitest';
import type { Explanation } from '../../../../local/cli/explain/explanation.ts';
import { explanationMarkdown } from '../../../../local/cli/explain/explanation-markdown.ts';
import { explanationText } from '../../../../local/cli/explain/explanation-text.ts';

const evil = 'worker\u001b]0;gone\u0007\u202e\n## Pool fine';

/** As a snapshot of a stranger may have it: nobody has checked its names. */
const explanation: Explanation = {
  cluster: evil,
  readAt: '2026-03-02T10:00:00.000Z',
  pools: [
    {
      name: evil,
      counts: { machines: 3, updated: 3, ready: 3, degraded: 0, unavailable: 0 },
      current: evil,
      target: evil,
      pause: undefined,
      change: undefined,
      busy: [],
      troubles: [],
      asked: { node: evil, symptom: undefined, state: evil, place: 'updated', findings: [] },
      early: [{ node: evil, stuckFrom: '2026-03-02T10:15:00.000Z', findings: [] }],
    },
  ],
  notRead: [evil],
};

describe('names of a recording that somebody else made', () => {
  test.each([
    ['text', explanationText],
    ['Markdown', explanationMarkdown],
  ])('as %s neither steer the terminal nor make lines of their own', (_form, render) => {
    const said = render(explanation);

    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    expect(said).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    expect(said).not.toMatch(/^## Pool fine$/m);
  });
});
