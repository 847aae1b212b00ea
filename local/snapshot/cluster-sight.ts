import type { KubeClient } from '../../functions/adapters/kubernetes/kube-client.ts';
import { clusterPools } from '../../functions/adapters/kubernetes/pools.ts';
import { Transient } from '../../functions/core/errors.ts';
import type { Pool } from '../../functions/core/pool.ts';
import type { PendingChange } from '../../functions/core/rendering/pending-change.ts';
import type { Answer, Looker, Pools, Question } from '../../functions/ports.ts';
import { answersFrom } from './answer-from.ts';
import { itemsOf } from './items-of.ts';
import type { Snapshot } from './snapshot.ts';

/** What an explanation reads a cluster by: the same whether it is asked now or was asked once. */
export interface ClusterSight {
  readonly pools: Pick<Pools, 'listPools' | 'listNodes'>;
  readonly looker: Looker;
  /** What waits for a pool or rolls over it, where that is known; absent: it is not. */
  readonly change?: ((pool: Pool) => Promise<PendingChange | undefined>) | undefined;
}

/** A cluster as a snapshot has it. */
export function sightOf(snapshot: Snapshot): ClusterSight {
  const answer = answersFrom(snapshot);
  return sightBy(async (question) => answer(question));
}

/** A cluster that answers from elsewhere. Lists that are not known throw Transient, as those of a cluster out of reach do. */
export function sightBy(answer: (question: Question) => Promise<Answer>): ClusterSight {
  return {
    pools: clusterPools({
      ...refusing,
      async list(path, { query = {}, form = 'object' }) {
        const found = await answer({ path, query, form });
        if (found.kind === 'found') return itemsOf(found.body);
        throw new Transient(`${path}: ${found.kind === 'failed' ? found.why : 'there is none'}`);
      },
    }),
    looker: { look: answer },
  };
}

const refusing: KubeClient = {
  get: refuse,
  list: refuse,
  count: refuse,
  mergePatch: refuse,
  post: refuse,
  apply: refuse,
  remove: refuse,
  close: async () => {},
};

async function refuse(): Promise<never> {
  throw new Transient('what was recorded can only be looked at');
}
