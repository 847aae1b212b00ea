import { describe, expect, it } from 'vitest';
import { defaultPoolSettings } from '../../../../functions/core/configuration/cluster.ts';
import { defaultPolicy } from '../../../../functions/core/configuration/policy.ts';
import { settingsOf } from '../../../../functions/core/openshift/managed-pools.ts';
import { membershipOf, type SelectingPool } from '../../../../functions/core/openshift/membership.ts';
import { selects } from '../../../../functions/core/openshift/selector.ts';

const role = (name: string) => `node-role.kubernetes.io/${name}`;
const worker: SelectingPool = { name: 'worker', nodeSelector: { matchLabels: { [role('worker')]: '' } } };
const master: SelectingPool = { name: 'master', nodeSelector: { matchLabels: { [role('master')]: '' } } };
const infra: SelectingPool = { name: 'infra', nodeSelector: { matchLabels: { [role('infra')]: '' } } };
const canary: SelectingPool = {
  name: 'canary',
  nodeSelector: {
    matchLabels: { [role('worker')]: '' },
    matchExpressions: [{ key: 'isCanary', operator: 'Exists' }],
  },
};
const pools = [worker, master, infra, canary];

function ofLabels(...keys: readonly string[]) {
  return membershipOf({ labels: Object.fromEntries(keys.map((key) => [key, ''])) }, pools);
}

describe('the pool of a node', () => {
  it('[S4-4] is found by labels and expressions: a custom pool beats worker', () => {
    expect(ofLabels(role('worker'))).toEqual({ kind: 'member', pool: 'worker' });
    expect(ofLabels(role('worker'), 'isCanary')).toEqual({ kind: 'member', pool: 'canary' });
    expect(ofLabels(role('worker'), role('infra'))).toEqual({ kind: 'member', pool: 'infra' });
  });

  it('[S4-4] master beats a custom pool, also on nodes that are workers too', () => {
    expect(ofLabels(role('master'), role('worker'))).toEqual({ kind: 'member', pool: 'master' });
    expect(ofLabels(role('master'), role('infra'))).toEqual({ kind: 'member', pool: 'master' });
  });

  it('[S4-36] two custom pools are an error, whatever else selects the node', () => {
    const both = { kind: 'several', pools: ['canary', 'infra'] };

    expect(ofLabels(role('worker'), role('infra'), 'isCanary')).toEqual(both);
    expect(ofLabels(role('master'), role('worker'), role('infra'), 'isCanary')).toEqual(both);
  });

  it('is none for Windows nodes, nodes that nothing selects, and pools without a selector', () => {
    expect(membershipOf({ labels: { [role('worker')]: '', 'kubernetes.io/os': 'windows' } }, pools)).toEqual({
      kind: 'none',
    });
    expect(ofLabels('other')).toEqual({ kind: 'none' });
    expect(membershipOf({ labels: {} }, [{ name: 'empty', nodeSelector: {} }])).toEqual({ kind: 'none' });
  });
});

describe('[N-30] names that every object has a member of', () => {
  it.each([
    ['Exists', false],
    ['DoesNotExist', true],
  ] as const)('are no labels: %s', (operator, expected) => {
    expect(selects({ matchExpressions: [{ key: 'constructor', operator }] }, { zone: 'a' })).toBe(expected);
  });

  it('are no pools of the configuration', () => {
    const api = { server: 'https://api.example.com:6443', ca: undefined, tokenSecret: 'token', skipTLSVerify: false };
    const cluster = { name: 'prod', api, policy: defaultPolicy, pools: {} };

    expect(settingsOf(cluster, 'constructor')).toBe(defaultPoolSettings);
  });
});
