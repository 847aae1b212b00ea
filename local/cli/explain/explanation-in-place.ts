import type { Finding } from '../../../functions/core/findings/trouble.ts';
import { inPlace, type TypedCluster } from '../in-place.ts';
import type { Explanation } from './explanation.ts';

/** With commands for the cluster that was looked at. */
export function explanationInPlace(explanation: Explanation, typed: TypedCluster): Explanation {
  const placed = (found: Finding): Finding => ({
    ...found,
    because: found.because.map(placed),
    remedies: found.remedies.map((remedy) => ({
      ...remedy,
      command: remedy.command && inPlace(remedy.command, typed),
      undo: remedy.undo && inPlace(remedy.undo, typed),
    })),
  });
  return {
    ...explanation,
    pools: explanation.pools.map((pool) => ({
      ...pool,
      pause: pool.pause && placed(pool.pause),
      troubles: pool.troubles.map((each) => ({ ...each, findings: each.findings.map(placed) })),
      asked: pool.asked && { ...pool.asked, findings: pool.asked.findings.map(placed) },
      early: pool.early.map((each) => ({ ...each, findings: each.findings.map(placed) })),
    })),
  };
}
