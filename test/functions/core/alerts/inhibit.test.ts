import { describe, expect, test } from 'vitest';
import { inhibitorOf, mergeChildren } from '../../../../functions/core/alerts/inhibit.ts';
import type { Finding, TroubleKey, TroubleKind } from '../../../../functions/core/findings/trouble.ts';
import { aTrouble } from '../../../fakes/index.ts';

function key(kind: TroubleKind, pool = 'worker', cluster = 'prod'): TroubleKey {
  return { cluster, pool, kind };
}

function aNodeFinding(node: string, code: string): Finding {
  return {
    code,
    subject: { kind: 'Node', namespace: '', name: node },
    sentence: `${node} is in trouble.`,
    confidence: 'strong',
    class: 'unknown',
    evidence: [],
    because: [],
    remedies: [],
  };
}

describe('what is explained by something else', () => {
  test.each([
    [
      'a blind watcher explains everything of its cluster',
      key('node-degraded'),
      { open: [key('watcher-blind', '*')] },
      true,
    ],
    [
      'a blind watcher of another cluster explains nothing',
      key('node-degraded'),
      { open: [key('watcher-blind', '*', 'test')] },
      false,
    ],
    [
      'a blind watcher does not explain itself away',
      key('watcher-blind', '*'),
      { open: [key('watcher-blind', '*')] },
      false,
    ],
    [
      'a blind watcher does not hide failing messengers',
      key('notify-failing', '*'),
      { open: [key('watcher-blind', '*')] },
      false,
    ],
    [
      'a blind watcher does not hide machines that are in no cluster',
      key('lock-overdue', '*'),
      { open: [key('watcher-blind', '*')] },
      false,
    ],
    [
      'a failed rendering does not explain a node without progress',
      key('no-progress'),
      { open: [key('render-failed')] },
      false,
    ],
    ['nothing that is open explains nothing', key('paused-too-long'), { open: [] }, false],
  ] as const)('%s', (_name, about, { open }, explained) => {
    expect(inhibitorOf(about, open) !== undefined).toBe(explained);
  });
});

describe('a node that the MCO calls degraded because its drain did not end', () => {
  const drain = aTrouble({ findings: [aNodeFinding('worker-2', 'D1')], severity: 'high' });
  const degraded = (findings: readonly Finding[], severity: 'critical' | 'high' = 'high') =>
    aTrouble({ key: key('node-degraded'), findings, severity, digest: 'degraded' });

  test('joins the blocked drain of its pool, and raises it to its own severity', () => {
    const child = degraded([aNodeFinding('worker-2', 'N14')], 'critical');

    const { troubles, absorbed } = mergeChildren([drain, child]);

    expect(troubles).toHaveLength(1);
    expect(troubles[0]).toMatchObject({ key: drain.key, severity: 'critical', headline: drain.headline });
    expect(troubles[0]?.findings.map(({ code }) => code)).toEqual(['D1', 'N14']);
    expect(troubles[0]?.digest).not.toBe(drain.digest);
    expect(absorbed).toEqual([{ key: child.key, into: drain.key }]);
  });

  test('leaves nodes that are degraded for another reason where they are', () => {
    const child = degraded([aNodeFinding('worker-2', 'N14'), aNodeFinding('worker-3', 'N1')]);

    const { troubles, absorbed } = mergeChildren([drain, child]);

    expect(troubles.map(({ key: { kind }, findings }) => [kind, findings.length])).toEqual([
      ['drain-blocked', 2],
      ['node-degraded', 1],
    ]);
    expect(absorbed).toEqual([]);
  });

  test('stays by itself when another node is drained, when nothing is, and in another pool', () => {
    const child = degraded([aNodeFinding('worker-9', 'N14')]);

    expect(mergeChildren([drain, child]).troubles).toHaveLength(2);
    expect(mergeChildren([child]).troubles).toEqual([child]);
    const elsewhere = { ...child, key: key('node-degraded', 'infra'), findings: [aNodeFinding('worker-2', 'N14')] };
    expect(mergeChildren([drain, elsewhere]).troubles).toHaveLength(2);
  });
});
