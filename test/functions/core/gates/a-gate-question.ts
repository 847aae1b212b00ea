import { defaultPoolSettings } from '../../../../functions/core/configuration/cluster.ts';
import { defaultPolicy } from '../../../../functions/core/configuration/policy.ts';
import { noEvidence } from '../../../../functions/core/gates/evidence.ts';
import type { GateQuestion } from '../../../../functions/core/gates/gate.ts';
import { aPool } from '../../../fakes/builders.ts';

/** A paused pool without holds, of which nothing was read; the only one of its cluster. */
export function aGateQuestion(change: Partial<GateQuestion> = {}): GateQuestion {
  const pool = change.pool ?? aPool({ paused: true });
  return {
    cluster: 'prod',
    pool,
    settings: defaultPoolSettings,
    pools: [pool],
    settingsOf: () => defaultPoolSettings,
    release: undefined,
    machineConfigs: [],
    evidence: noEvidence,
    closedSince: {},
    windows: [],
    policy: defaultPolicy,
    now: new Date('2026-03-02T10:00:00Z'),
    ...change,
  };
}
