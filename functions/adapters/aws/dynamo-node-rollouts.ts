import type { ClusterRollouts } from '../../core/node-rollouts/follow.ts';
import { foundAmong, wantedOf } from '../../core/node-rollouts/rollout-query.ts';
import type { NodeRollout } from '../../core/openshift/node-rollout.ts';
import type { NodeRollouts } from '../../ports/tables.ts';
import { inPieces } from '../in-pieces.ts';
import { fittingBody, readBody } from './body.ts';
import { packText, unpackText } from './packed-text.ts';
import { saveVersion } from './save-version.ts';
import { StoredClusterRollouts, StoredKnowledge, StoredNodeRollout } from './stored/node-rollout.ts';
import type { Table } from './table.ts';

const day = 24 * 3600;
/** Seconds. The row of a cluster expires that long after its last write: the pace of a pool that rarely changes should
 *  still be known next quarter. */
const keepSeconds = { open: 180 * day, ended: 90 * day };
/** Writes in parallel. */
const atOnce = 10;

/** One row per cluster for what is in progress, under an optimistic lock, and one for each ended rollout. */
export function dynamoNodeRollouts(table: Table): NodeRollouts {
  async function keepOne(rollout: NodeRollout): Promise<void> {
    // Written again after a crash, it has the same beginning, and so the same row.
    const key = { pk: 'story', sk: [rollout.begun.at, rollout.cluster, rollout.node, rollout.to].join('#') };
    const body = fittingBody(rollout, [(large) => ({ ...large, causes: large.causes.slice(0, 20) })]);
    await table.write({ ...key, body, version: 0, keepSeconds: keepSeconds.ended }, { kind: 'absent' });
  }

  return {
    async load(cluster) {
      const row = await table.read({ pk: 'stories', sk: cluster });
      if (row === undefined) return undefined;
      const { knowledge, ...rollouts } = readBody(StoredClusterRollouts, row);
      return { ...rollouts, ...(await readKnowledge(knowledge)) };
    },
    async save({ known, untold, reboots, ...rollouts }) {
      const knowledge = await packKnowledge({ known, untold, reboots });
      return saveVersion(table, {
        pk: 'stories',
        sk: rollouts.cluster,
        keepSeconds: keepSeconds.open,
        version: rollouts.version,
        bodyOf: (version) =>
          fittingBody({ ...rollouts, version, knowledge }, [withoutCauses, withFew, withoutKnowledge]),
      });
    },
    async keep(ended) {
      await inPieces(ended, atOnce, keepOne);
    },
    async ended(query) {
      const limit = wantedOf(query);
      const rows = limit === 0 ? [] : await table.query({ pk: 'story', newestFirst: true, limit });
      return foundAmong(
        rows.map((row) => readBody(StoredNodeRollout, row)),
        query,
      );
    },
  };
}

/** What a row packs: empty for a row that an earlier version wrote, and for one that cannot be unpacked. */
async function readKnowledge(packed: string | undefined): Promise<StoredKnowledge> {
  const text = packed === undefined ? undefined : await unpackText(packed);
  return text === undefined ? {} : (StoredKnowledge.safeParse(JSON.parse(text)).data ?? {});
}

async function packKnowledge(knowledge: StoredKnowledge): Promise<string | undefined> {
  const isEmpty = Object.values(knowledge).every((each) => each === undefined);
  return isEmpty ? undefined : packText(JSON.stringify(knowledge));
}

/** What the row of a cluster holds. If it is too large, the functions below take something away, in the order in which
 *  `save` names them. */
interface Body extends Omit<ClusterRollouts, keyof StoredKnowledge> {
  readonly knowledge: string | undefined;
}

/** Last: of nodes, only what the marks of the pools say is known then. */
function withoutKnowledge(rollouts: Body): Body {
  return { ...rollouts, knowledge: undefined };
}

/** First: why the nodes are updated. */
function withoutCauses(rollouts: Body): Body {
  return { ...rollouts, open: rollouts.open.map((rollout) => ({ ...rollout, causes: [] })) };
}

/** Second: some of the nodes in progress. About a hundred fit without this. */
function withFew(rollouts: Body): Body {
  return { ...withoutCauses(rollouts), open: rollouts.open.slice(0, 200) };
}
