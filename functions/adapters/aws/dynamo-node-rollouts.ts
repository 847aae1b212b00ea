import type { ClusterRollouts } from '../../core/node-rollouts/follow.ts';
import { asksForAll, fitsQuery } from '../../core/node-rollouts/rollout-query.ts';
import type { NodeRollout } from '../../core/openshift/node-rollout.ts';
import type { NodeRollouts } from '../../ports/tables.ts';
import { fittingBody, readBody } from './body.ts';
import { saveVersion } from './save-version.ts';
import { StoredClusterRollouts, StoredNodeRollout } from './stored/node-rollout.ts';
import type { Table } from './table.ts';

const day = 24 * 3600;
/** Seconds. Open ones since the last write: the pace of a pool that rarely changes should still be known next
 *  quarter. */
const keepSeconds = { open: 180 * day, ended: 90 * day };
/** Ended rollouts read by one query at most, a little more than 1 kB each. */
const mostRead = 5_000;
/** Parallel writes. */
const atOnce = 10;

/** One row per cluster for what is in progress, under an optimistic lock, and one for each ended rollout. */
export function dynamoNodeRollouts(table: Table): NodeRollouts {
  async function keepOne(rollout: NodeRollout): Promise<void> {
    // Repeated after a crash it has the same beginning, and so is the same row.
    const key = { pk: 'story', sk: [rollout.begun.at, rollout.cluster, rollout.node, rollout.to].join('#') };
    const body = fittingBody(rollout, [(large) => ({ ...large, causes: large.causes.slice(0, 20) })]);
    await table.write({ ...key, body, version: 0, keepSeconds: keepSeconds.ended }, { kind: 'absent' });
  }

  return {
    async load(cluster) {
      const row = await table.read({ pk: 'stories', sk: cluster });
      return row && readBody(StoredClusterRollouts, row);
    },
    save(rollouts) {
      return saveVersion(table, {
        pk: 'stories',
        sk: rollouts.cluster,
        keepSeconds: keepSeconds.open,
        version: rollouts.version,
        bodyOf: (version) => fittingBody({ ...rollouts, version }, [withoutCauses, withFew]),
      });
    },
    async keep(ended) {
      for (let start = 0; start < ended.length; start += atOnce)
        await Promise.all(ended.slice(start, start + atOnce).map(keepOne));
    },
    async ended(query) {
      const limit = asksForAll(query) ? query.limit : mostRead;
      const rows = await table.query({ pk: 'story', newestFirst: true, limit });
      return rows
        .map((row) => readBody(StoredNodeRollout, row))
        .filter((rollout) => fitsQuery(rollout, query))
        .slice(0, query.limit);
    },
  };
}

function withoutCauses(rollouts: ClusterRollouts): ClusterRollouts {
  return { ...rollouts, open: rollouts.open.map((rollout) => ({ ...rollout, causes: [] })) };
}

/** About a hundred nodes in progress fit at once. */
function withFew(rollouts: ClusterRollouts): ClusterRollouts {
  return { ...withoutCauses(rollouts), open: rollouts.open.slice(0, 200) };
}
