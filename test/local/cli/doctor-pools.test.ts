import { describe, expect, test } from 'vitest';
import { type ClusterSettings, defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { defaultPolicy } from '../../../functions/core/configuration/policy.ts';
import { Window } from '../../../functions/core/configuration/window.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { checkPools } from '../../../local/cli/doctor/check-pools.ts';
import { aPool } from '../../fakes/index.ts';

const api = { server: 'https://api.example.com:6443', ca: undefined, tokenSecret: 'token', skipTLSVerify: false };
const settings = (pools: ClusterSettings['pools'] = {}): ClusterSettings => ({
  name: 'prod',
  api,
  policy: defaultPolicy,
  pools,
});
const ofMachines = (name: string, machines: number) =>
  aPool({ name, counts: { machines, updated: machines, ready: machines, unavailable: 0, degraded: 0 } });

async function told(items: readonly ReturnType<typeof aPool>[], pools?: ClusterSettings['pools']) {
  const findings = await checkPools('prod', settings(pools), { listPools: async () => ({ items, unreadable: [] }) });
  return findings.map(({ state, what }) => `${state} ${what}`);
}

describe('[C-13] the doctor on the pools of a cluster', () => {
  test.each([1, 3])('in which all %d nodes are of the control plane: no sync is protected', async (machines) => {
    const pools = [ofMachines('master', machines), ofMachines('worker', 0)];

    expect(await told(pools)).toEqual([
      'ok pools: worker may be paused, of 2',
      'warning pools: no pool that may be paused has a node, so no sync is protected: all nodes are in master',
    ]);
    const optedIn = { master: { ...defaultPoolSettings, manageRequired: true } };
    expect(await told(pools, optedIn)).toEqual(['ok pools: master, worker may be paused, of 2']);
  });

  test('[N-28] of which another program has taken the pause back', async () => {
    const program = { at: '2026-03-02T10:00:00Z', holds: [] };
    const letGo = { at: program.at, by: 'sriov-operator', config: 'rendered-worker-aaa', program };
    const record = { kind: 'record' as const, record: { v: 1 as const, holds: [], letGo } };

    expect(await told([{ ...ofMachines('worker', 2), record }])).toContainEqual(
      'warning pools: sriov-operator, which is no person as far as is known, has resumed worker in spite of a hold',
    );
  });

  test.each([
    ['argocd-controller', true],
    ['kubectl-edit', false],
  ])('[N-28] of which %s has taken the pause back: told: %s', async (by, isTold) => {
    const letGo = { at: '2026-03-02T10:00:00Z', by, config: 'rendered-worker-aaa' };
    const record = { kind: 'record' as const, record: { v: 1 as const, holds: [], letGo } };

    const findings = await told([{ ...ofMachines('worker', 2), record }]);

    expect(findings.some((each) => each.includes('Argo CD has resumed worker in spite of a hold'))).toBe(isTold);
  });

  test('[N-8] [N-30] of which a window names one that does not exist, as after it was renamed', async () => {
    const windows = [
      Window.parse({
        kind: 'allow',
        schedule: '0 22 * * *',
        durationSeconds: 21_600,
        pools: ['worker', 'gpu'],
        description: 'nights',
      }),
      Window.parse({ kind: 'deny', from: '2026-12-20', to: '2027-01-07' }),
    ];
    const items = [ofMachines('worker', 2)];

    const findings = await checkPools(
      'prod',
      { ...settings(), windows },
      { listPools: async () => ({ items, unreadable: [] }) },
    );

    expect(findings.map(({ state, what }) => `${state} ${what}`)).toEqual([
      'ok pools: worker may be paused, of 1',
      'wrong pools: a window (nights) is for gpu, which does not exist',
    ]);
  });

  test('[decoy] a custom pool without nodes beside workers is nothing to tell', async () => {
    const pools = [ofMachines('master', 3), ofMachines('worker', 2), ofMachines('infra', 0)];

    expect(await told(pools)).toEqual(['ok pools: worker, infra may be paused, of 3']);
  });

  test('which has none, or does not know the kind, as with a hosted control plane', async () => {
    const message = 'GET /apis/machineconfiguration.openshift.io/v1/machineconfigpools: 404';
    const unserved = async () => {
      throw new Transient(message, { kind: 'unknown' });
    };

    const [finding] = await checkPools('prod', settings(), { listPools: unserved });

    expect(finding).toMatchObject({ state: 'wrong', remedy: expect.stringContaining('HyperShift') });
    expect(await told([])).toEqual([`wrong ${finding?.what}`]);
  });

  test('[decoy] which cannot be read proves nothing', async () => {
    const forbidden = async () => {
      throw new Transient('GET /apis: 403', { kind: 'forbidden' });
    };

    await expect(checkPools('prod', settings(), { listPools: forbidden })).rejects.toThrow(Transient);
  });
});
