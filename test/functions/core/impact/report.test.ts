import { describe, expect, test } from 'vitest';
import { ImpactDocument, impactDocument } from '../../../../functions/core/impact/report/json.ts';
import { impactText } from '../../../../functions/core/impact/report/text.ts';
import type { ClusterImpact } from '../../../../functions/core/impact/report.ts';
import { anyText, fc } from '../../../property.ts';

const impact: ClusterImpact = {
  cluster: 'prod',
  applications: ['openshift-gitops/nodes'],
  pools: [
    {
      pool: 'worker',
      why: ['MachineConfig 50-chrony is changed: the pool selects role worker'],
      machines: 12,
      maxUnavailable: '1',
      class: 'reboot',
      update: 'files',
      reasons: [
        {
          what: 'file /etc/chrony.conf',
          class: 'reboot',
          why: 'no policy says that less will do',
          source: '50-chrony',
        },
      ],
      diff: [
        {
          what: 'file /etc/chrony.conf',
          change: 'changed',
          lines: ['@@ -1 +1 @@', '-server a', '+  server b'],
          source: { before: '50-chrony', after: '50-chrony' },
          security: ['sshd'],
        },
      ],
      warnings: [{ code: 'overridden', text: 'it is overridden', remedy: 'name it otherwise' }],
    },
  ],
  silent: [{ what: 'ConfigMap a', why: 'not rendered' }],
  unknown: [{ path: 'helm/', why: 'rendered by Helm' }],
  warnings: [],
};

describe('an impact as text', () => {
  test('[S3-6] says for each pool how many nodes, how many at a time, what they suffer, why, and what changes', () => {
    expect(impactText([impact], { width: 100, showDiff: true })).toBe(
      [
        'Cluster prod (through openshift-gitops/nodes)',
        '  Pool worker: 12 nodes, 1 at a time; its nodes are drained and reboot',
        '    files and settings change, not the OS image',
        '    because MachineConfig 50-chrony is changed: the pool selects role worker',
        '    reboot: file /etc/chrony.conf (50-chrony): no policy says that less will do',
        '    changed file /etc/chrony.conf (50-chrony, security: sshd)',
        '      @@ -1 +1 @@',
        '      -server a',
        '      +  server b',
        '    ! overridden: it is overridden',
        '      name it otherwise',
        '  Reaches no pool',
        '    ConfigMap a: not rendered',
        '  Unknown',
        '    helm/: rendered by Helm',
        '',
      ].join('\n'),
    );
  });

  test('says so when nothing is concerned', () => {
    expect(impactText([], { width: 80, showDiff: true })).toBe('No cluster is affected.\n');
    expect(impactText([{ ...impact, pools: [], unknown: [] }], { width: 80, showDiff: true })).toContain(
      'No pool is re-rendered.',
    );
    expect(impactText([{ ...impact, pools: [] }], { width: 80, showDiff: true })).toContain(
      'No pool is known to be re-rendered; what is unknown may do it.',
    );
  });

  test('[S1-15] fits the width and obeys no name: markup, escapes, endless words', () => {
    const anything = fc.oneof(anyText({ maxLength: 300 }), fc.constant('\u001b[2J\u202e<b>'.repeat(30)));

    fc.assert(
      fc.property(anything, anything, fc.integer({ min: 40, max: 120 }), (name, line, width) => {
        const [pool] = impact.pools;
        const hostile = {
          ...impact,
          cluster: name,
          pools:
            pool === undefined
              ? []
              : [{ ...pool, pool: name, diff: pool.diff.map((each) => ({ ...each, what: name, lines: [line] })) }],
        };

        const text = impactText([hostile], { width, showDiff: true });

        expect(text.split('\n').filter((each) => each.length > width)).toEqual([]);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is the point
        expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
      }),
    );
  });
});

describe('an impact as a document', () => {
  test('holds everything, fits its schema, and has null for a class that cannot be told', () => {
    const [pool] = impact.pools;
    const unknown = { ...impact, pools: pool === undefined ? [] : [{ ...pool, class: undefined }] };

    const document = impactDocument([impact, unknown]);

    expect(ImpactDocument.parse(JSON.parse(JSON.stringify(document)))).toEqual(document);
    expect(document.clusters[0]).toEqual(impact);
    expect(document.clusters[1]?.pools[0]?.class).toBeNull();
  });

  test('[N-8] [N-9] [N-16] has what is said ahead of each rollout', () => {
    const estimate = { minutes: 36, atMostMinutes: 63, atOnce: 1, rollouts: 12, text: 'about 36 min' };
    const ahead = {
      window: { kind: 'next', from: '2026-11-24T21:00:00.000Z', to: '2026-11-25T05:00:00.000Z' },
      closedGates: [{ gate: 'window', found: 'no allow window open', needed: 'an allow window open' }],
      neededGates: [{ gate: 'approval', needed: '2 approvals' }],
    } as const;

    const document = impactDocument([impact], () => ({
      estimate,
      ahead: { ...ahead, closedGates: [...ahead.closedGates], neededGates: [...ahead.neededGates] },
    }));

    expect(ImpactDocument.parse(JSON.parse(JSON.stringify(document)))).toEqual(document);
    expect(document.clusters[0]?.pools[0]).toMatchObject({ estimate, ahead });
  });
});
