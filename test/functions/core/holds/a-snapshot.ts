import { defaultPolicy } from '../../../../functions/core/configuration/policy.ts';
import { noForecast } from '../../../../functions/core/holds/skip-harmless.ts';
import type { Snapshot } from '../../../../functions/core/holds/snapshot.ts';
import { seen } from '../../../../functions/core/text/observed.ts';

/** A cluster of which only these pools are known; no render is waited for. */
export function aSnapshot(change: Pick<Snapshot, 'pools'> & Partial<Snapshot>): Snapshot {
  return {
    settings: {
      name: 'prod',
      api: { server: 'https://127.0.0.1:6443', ca: undefined, tokenSecret: 'prod', skipTLSVerify: false },
      policy: { ...defaultPolicy, renderSettleSeconds: 0 },
      pools: {},
    },
    applications: [],
    pushes: new Map(),
    changes: new Map(),
    expected: [],
    parents: [],
    machineConfigs: [],
    choosers: seen([]),
    disruption: noForecast,
    published: {},
    evidence: new Map(),
    gatesClosedSince: {},
    ...change,
  };
}
