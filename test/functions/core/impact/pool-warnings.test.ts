import { describe, expect, test } from 'vitest';
import { nodesAtOnce } from '../../../../functions/core/impact/nodes-at-once.ts';
import { poolWarnings } from '../../../../functions/core/impact/pool-warnings.ts';
import { aNode } from '../../../fakes/builders.ts';
import { poolOfRoles, usualPools } from './live.ts';

function codes(...asked: Parameters<typeof poolWarnings>): readonly string[] {
  return poolWarnings(...asked).map(({ code, pools }) => `${code}: ${pools.join(', ')}`);
}

const label = (role: string) => ({ [`node-role.kubernetes.io/${role}`]: '' });

describe('what is told of pools before any pause', () => {
  test('ordinary pools are worth no warning', () => {
    expect(codes(usualPools)).toEqual([]);
  });

  test('[S3-3] a node in two custom pools is named with them', () => {
    const nodes = [
      aNode({ name: 'n2', labels: { ...label('worker'), ...label('infra'), ...label('edge') } }),
      aNode({ name: 'n1', labels: { ...label('worker'), ...label('infra') } }),
      aNode({ name: 'n0', labels: label('worker') }),
    ];

    const [warning, ...others] = poolWarnings(usualPools, nodes);

    expect(others).toEqual([]);
    expect(warning).toMatchObject({ code: 'node-in-several-pools', pools: ['infra', 'edge'] });
    expect(warning?.text).toContain('infra and edge both select n2');
  });

  test('[S3-3] on a node of the control plane master wins, and on Windows nobody does', () => {
    const nodes = [
      aNode({ name: 'm1', labels: { ...label('master'), ...label('infra') } }),
      aNode({ name: 'w1', labels: { 'kubernetes.io/os': 'windows', ...label('infra'), ...label('edge') } }),
    ];

    expect(codes(usualPools, nodes)).toEqual(['node-in-master-and-custom-pool: master, infra']);
  });

  test('[S3-3] pools that select everything, nothing, or the same nodes are flagged from their selectors alone', () => {
    const broad = poolOfRoles('broad', [], {
      machineConfigSelector: { matchExpressions: [{ key: 'role', operator: 'NotIn', values: ['master'] }] },
      nodeSelector: { matchExpressions: [{ key: 'gpu', operator: 'DoesNotExist' }] },
    });
    const empty = poolOfRoles('empty', [], { machineConfigSelector: {}, nodeSelector: undefined });
    const twin = poolOfRoles('twin', ['twin'], { nodeSelector: { matchLabels: label('edge') } });

    expect(codes([...usualPools, broad, empty, twin])).toEqual([
      'pool-selects-everything: broad',
      'pool-selects-everything: broad',
      'pool-selects-no-machine-config: empty',
      'pool-selects-no-node: empty',
      'node-in-several-pools: edge, twin',
    ]);
  });

  test('[S3-3] a custom pool that has every node of the cluster is flagged', () => {
    const nodes = ['a', 'b'].map((name) => aNode({ name, labels: { 'kubernetes.io/os': 'linux' } }));
    const all = poolOfRoles('all', ['all'], { nodeSelector: { matchLabels: { 'kubernetes.io/os': 'linux' } } });

    expect(codes([all], nodes)).toEqual(['pool-selects-everything: all']);
  });

  test.each([
    [undefined, []],
    ['1', []],
    ['3', ['max-unavailable-large: edge']],
    ['20%', ['max-unavailable-percentage: edge']],
    ['50%', ['max-unavailable-percentage: edge', 'max-unavailable-large: edge']],
    ['many', ['max-unavailable-unreadable: edge']],
  ])('[S3-6] maxUnavailable %s of six nodes', (maxUnavailable, expected) => {
    const counts = { machines: 6, updated: 6, ready: 6, unavailable: 0, degraded: 0 };

    expect(codes([poolOfRoles('edge', ['edge'], { maxUnavailable, counts })])).toEqual(expected);
  });

  test.each([
    ['10%', 6, 1],
    ['50%', 5, 2],
    ['0', 5, 1],
    [undefined, 5, 1],
    ['-1', 5, undefined],
  ])(
    '[S3-6] %s of %i nodes are %s at once: percentages are rounded down, and none becomes one',
    (written, machines, expected) => {
      expect(nodesAtOnce(written, machines)).toBe(expected);
    },
  );
});
