import type { KubeClient } from '../../functions/adapters/kubernetes/kube-client.ts';
import { clusterPools } from '../../functions/adapters/kubernetes/pools.ts';
import { Transient } from '../../functions/core/errors.ts';
import type { Looker, Pools } from '../../functions/ports.ts';
import { answersFrom } from './answer-from.ts';
import type { Snapshot } from './snapshot.ts';

/** What an explanation reads a cluster by: the same whether it is asked now or was asked once. */
export interface ClusterSight {
  readonly pools: Pick<Pools, 'listPools' | 'listNodes'>;
  readonly looker: Looker;
}

/** A cluster as a snapshot has it. Reads throw Transient where the snapshot says nothing. */
export function sightOf(snapshot: Snapshot): ClusterSight {
  const answer = answersFrom(snapshot);
  const client: Pick<KubeClient, 'list'> = {
    async list(path, { query = {}, form = 'object' }) {
      const found = answer({ path, query, form });
      if (found.kind === 'found') return itemsOf(found.body);
      throw new Transient(`${path}: ${found.kind === 'failed' ? found.why : 'there is none'}`);
    },
  };
  return {
    // Only what lists is called of it.
    pools: clusterPools({ ...refusing, ...client }),
    looker: { look: async (question) => answer(question) },
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
  throw new Transient('a snapshot can only be looked at');
}

function itemsOf(body: unknown): readonly unknown[] {
  const items = typeof body === 'object' && body !== null && 'items' in body ? body.items : undefined;
  return Array.isArray(items) ? items : [];
}
