import { defaultPolicy } from '../../functions/core/configuration/policy.ts';
import { rootsOf } from '../../functions/core/findings/chain.ts';
import { refText } from '../../functions/core/findings/trouble.ts';
import type { ExplainedTrouble, Explanation } from '../../local/cli/explain/explanation.ts';
import { explainCluster } from '../../local/cli/explain/look.ts';
import { readerOfSnapshot } from '../../local/snapshot/cluster-reader.ts';
import type { Snapshot } from '../../local/snapshot/snapshot.ts';
import type { Expected } from './situation.ts';

/** As `poolkeeper explain --snapshot` does. */
export async function explainSituation(snapshot: Snapshot): Promise<Explanation> {
  const { cluster, takenAt, firstSeen, waitsForRender } = snapshot;
  return explainCluster(
    { cluster, now: new Date(takenAt), policy: defaultPolicy, pools: [], node: undefined, firstSeen, waitsForRender },
    readerOfSnapshot(snapshot),
  );
}

/** `worker/drain-blocked P1 PodDisruptionBudget shop/web`, worst first: what is wrong, and the end of each chain. */
export function causesOf({ pools }: Explanation): readonly string[] {
  return pools.flatMap(({ troubles }) => troubles.flatMap(causesOfTrouble));
}

function causesOfTrouble({ key, findings }: ExplainedTrouble): readonly string[] {
  const roots = findings.flatMap(rootsOf).map(({ code, subject }) => `${code} ${refText(subject)}`);
  return [...new Set(roots)].map((root) => `${key.pool}/${key.kind} ${root}`);
}

/** In the same words. */
export function expectedCauses(expected: Expected): readonly string[] {
  if (expected === 'nothing') return [];
  const { pool, kind, code, about, alsoOf = [] } = expected;
  return [
    `${pool}/${kind} ${code} ${about}`,
    ...alsoOf.map((other) => `${other}/${kind} ${code} MachineConfigPool ${other}`),
  ];
}
