import { describe, expect, test } from 'vitest';
import { middle, safeHeadline, safeSubject } from '../../../../functions/core/text/safe-text.ts';
import { fc } from '../../../property.ts';

const drain = 'drain of worker-2 blocked by PDB openshift-ingress/router-default';

describe('a headline that is too long', () => {
  test.each([
    [65, drain],
    [52, 'drain … worker-2 … openshift-ingress/router-default'],
    [31, '… worker-2 … openshif…-default'],
  ])('[N-29] leaves out prose before names: at most %i characters', (limit, shown) => {
    expect(safeHeadline(drain, limit)).toBe(shown);
  });

  test('[N-29] where the words are the news, most of them stay', () => {
    const text = 'worker-2 degraded: the operating system image cannot be pulled because the registry does not answer';

    expect(safeHeadline(text, 60)).toBe('worker-2 degraded: the operating … registry does not answer');
  });

  test('[N-29] no name is lost or cut if all of them fit, and the limit holds', () => {
    const name = fc.constantFrom('worker-2', 'shop/web', 'rendered-worker-7f3a', 'quay.io/app:v1', '99-worker-chrony');
    const prose = fc.constantFrom('drain', 'of', 'blocked', 'by', 'because', 'and', 'degraded', 'Pod');
    fc.assert(
      fc.property(
        fc.array(fc.oneof(name, prose), { maxLength: 24 }),
        fc.integer({ min: 20, max: 150 }),
        (all, limit) => {
          const shown = safeHeadline(all.join(' '), limit).split(' ');
          const names = all.filter((word) => /[-/]/.test(word));
          const fit = names.join(' … ').length + 4 <= limit;

          expect(shown.join(' ').length).toBeLessThanOrEqual(limit);
          if (fit) expect(shown.filter((word) => /[-/]/.test(word))).toEqual(names);
        },
      ),
    );
  });

  test('[N-29] one word longer than the limit keeps its ends', () => {
    expect(safeHeadline('a'.repeat(300), 60)).toMatch(/^a{29}…a{29}$/);
  });
});

test('[C-6] [N-29] a subject that is too long says what has happened rather than what follows from it', () => {
  const headline = 'demo/worker: sync of openshift-gitops/platform-machine-config failed, pool stays paused';

  expect(safeSubject(headline, 76, 230)).toBe(
    'demo/worker: sync of openshift-gitops/platform-machine-config failed, pool …',
  );
});

test('[N-29] a text is cut between words where it can be', () => {
  const shown = middle(`first ${'word '.repeat(40)}last`, 60);

  expect(shown).toMatch(/^first (?:word )*… \(\+\d+ chars\) …(?: word)* last$/);
});
