import { describe, expect, test } from 'vitest';
import { hideNames, type ShownNames } from '../../../../functions/core/preview/hide-names.ts';
import { previewMarkdown } from '../../../../functions/core/preview/preview-markdown.ts';
import { aPreview, aPreviewedPool } from './samples.ts';

const many = 20_000;
const foot = { foot: '' };

/** Items that count how often what they say is asked for. */
function counted<T extends object>(
  item: (at: number) => T,
): { readonly items: readonly T[]; readonly asked: () => number } {
  let asked = 0;
  const items = Array.from(
    { length: many },
    (_, at) =>
      new Proxy(item(at), {
        get: (target, name) => {
          asked += 1;
          return Reflect.get(target, name);
        },
      }),
  );
  return { items, asked: () => asked };
}

describe('a comment on a change of any size', () => {
  const reasons = counted((at) => ({ what: `file /etc/${at}`, class: 'reboot' as const, why: 'no policy' }));
  const unknown = counted((at) => ({ path: `nodes/${at}.yaml`, why: 'no YAML' }));
  const silent = counted((at) => ({ what: `MachineConfig ${at}`, why: 'no pool selects it' }));
  const warnings = counted((at) => ({ text: `text ${at}`, remedy: 'Do it' }));

  test('[N-14] [N-30] only what is shown of a list is put into words, and how much it is stays true', () => {
    const pool = aPreviewedPool({ reasons: reasons.items });
    const cluster = { cluster: 'a', applications: [], pools: [pool], silent: silent.items, warnings: warnings.items };

    const text = previewMarkdown(aPreview({ clusters: [cluster], unknown: unknown.items }), foot);

    const asked = [reasons, unknown, silent, warnings].map((each) => each.asked());
    expect(asked.every((times) => times >= 20)).toBe(true);
    expect(Math.max(...asked)).toBeLessThan(100);
    expect(text.match(/^- and 19980 more$/gm)).toHaveLength(4);
  });

  test('[N-14] [N-29] changes that were not even described are counted', () => {
    const entry = { what: 'file /a', change: 'added' as const, lines: [], note: '', source: '50-a', security: [] };
    const diff = [...Array.from({ length: 100 }, () => entry), { ...entry, what: '24900 more', more: 24_900 }];
    const clusters = [{ cluster: 'a', applications: [], pools: [aPreviewedPool({ diff })], silent: [], warnings: [] }];

    expect(previewMarkdown(aPreview({ clusters }), foot)).toContain('And 24960 changes more.');
  });

  test('[N-14] Applications are listed in one sentence, also where they are many', () => {
    const applications = Array.from({ length: 22 }, (_, at) => `argo/app-${at}`);
    const clusters = [{ cluster: 'a', applications, pools: [], silent: [], warnings: [] }];

    expect(previewMarkdown(aPreview({ clusters }), foot)).toContain('`argo/app-19`, and 2 more.');
  });

  test('[N-14] [N-30] a sentence that thousands of reasons share is searched for names once', () => {
    let searched = 0;
    const why = Object.assign('', {
      replace: () => {
        searched += 1;
        return 'said';
      },
    });
    const pool = {
      pool: 'worker',
      why: [],
      machines: 1,
      maxUnavailable: '1',
      class: 'reboot' as const,
      update: 'files' as const,
      reasons: Array.from({ length: many }, () => ({ what: 'file /a', class: 'reboot' as const, why, source: '' })),
      diff: [],
      warnings: [],
    };
    const impact = {
      cluster: 'site',
      applications: ['argo/app'],
      pools: [pool],
      silent: [],
      unknown: [],
      warnings: [],
    };
    const seen: ShownNames = { impact, ofGit: { pools: [] }, own: new Set(), pools: [], alias: 'cluster 1' };

    const [hidden] = hideNames(seen, 'hide').pools;

    expect(hidden?.reasons).toHaveLength(many);
    expect(searched).toBe(1);
  });
});
