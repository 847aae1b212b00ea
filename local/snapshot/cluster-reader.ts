import type { KubeClient } from '../../functions/adapters/kubernetes/kube-client.ts';
import { clusterPools } from '../../functions/adapters/kubernetes/pools.ts';
import type { KnownApplication } from '../../functions/core/diagnose/managed-by.ts';
import type { Answer, Question } from '../../functions/core/findings/question.ts';
import type { PendingChange } from '../../functions/core/machine-config/pending-change.ts';
import type { Node } from '../../functions/core/openshift/node.ts';
import type { Pool } from '../../functions/core/openshift/pool.ts';
import { Transient } from '../../functions/core/text/errors.ts';
import type { ObjectReader, Pools } from '../../functions/ports/cluster.ts';
import { answersFrom } from './answer-from.ts';
import { itemsOf } from './items-of.ts';
import type { Snapshot } from './snapshot.ts';

/** Read access to a cluster: the same for a live cluster and a snapshot. */
export interface ClusterReader {
  readonly pools: Pools;
  readonly reader: ObjectReader;
  /** The change that is pending or rolling out on a pool with these nodes; undefined if unknown. */
  readonly change?: ((pool: Pool, members: readonly Node[]) => Promise<PendingChange | undefined>) | undefined;
  /** The Argo CD Applications that are known, for the place in Git of a remedy. Asked once, and only where something is
   *  to be explained. */
  readonly applications?: (() => Promise<readonly KnownApplication[]>) | undefined;
  /** The same cluster for one more look, which reads again what one look reads once; absent: it never changes. */
  readonly anew?: (() => ClusterReader) | undefined;
  /** Logs are asked for as well. A recording has none. */
  readonly withLogs?: boolean | undefined;
}

/** The cluster in a snapshot.
 *  @param heard each question and its answer, as they are asked */
export function readerOfSnapshot(
  snapshot: Snapshot,
  heard: (question: Question, answer: Answer) => void = () => {},
): ClusterReader {
  const answer = answersFrom(snapshot);
  return {
    ...readerBy(async (question) => {
      const known = answer(question);
      heard(question, known);
      return known;
    }),
    change: async ({ name }) => snapshot.changes[name],
    applications: async () => snapshot.applications,
  };
}

/** A cluster whose answers come from elsewhere. Lists that are unknown throw Transient, like those of an unreachable
 *  cluster; so does every write. */
export function readerBy(answer: (question: Question) => Promise<Answer>): ClusterReader {
  return {
    pools: clusterPools({
      ...refusing,
      async get(path, { query = {}, form } = {}) {
        return bodyOf(path, await answer({ path, query, form }));
      },
      async list(path, { query = {}, form = 'object' }) {
        const body = bodyOf(path, await answer({ path, query, form }));
        if (body === undefined) throw new Transient(`${path}: there is none`);
        return itemsOf(body);
      },
    }),
    reader: { read: answer },
  };
}

/** Undefined: it is absent. */
function bodyOf(path: string, answer: Answer): unknown {
  if (answer.kind === 'found') return answer.body;
  if (answer.kind === 'absent') return undefined;
  throw new Transient(`${path}: ${answer.why}`, answer.isForbidden === true ? { kind: 'forbidden' } : {});
}

const refusing: KubeClient = {
  get: refuse,
  pages: async function* () {
    yield await refuse();
  },
  list: refuse,
  count: refuse,
  mergePatch: refuse,
  post: refuse,
  apply: refuse,
  remove: refuse,
  close: async () => {},
};

async function refuse(): Promise<never> {
  throw new Transient('a recording is read-only');
}
