import type { RunPlan } from '../../core/node-turns/run-plan.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import type { WrittenPass } from '../pass-state.ts';
import { gatherEvidence } from '../resume/gather-evidence.ts';
import { askAsOneNode } from './ask-as-one-node.ts';
import type { NodeGates } from './node-gates.ts';
import { whetherPlace } from './run-places.ts';

/** Why no node of the pool may go now, though its run would let it: the same holds and gates as for a resume of the
 *  pool, which are asked as if it were one node. */
export async function whyNoNodeGoes(pool: Pool, plan: RunPlan, written: WrittenPass): Promise<NodeGates> {
  const { snapshot, cluster, ports, performed } = written;
  const now = ports.clock();
  const pools = performed.map((each) => each.pool);
  const place = await whetherPlace(pool, plan.run.atOnce, { snapshot, pools, ports });
  return askAsOneNode(pool, { run: plan.name, snapshot, place, now }, (decided) =>
    gatherEvidence(decided, { cluster, now, ports }),
  );
}
