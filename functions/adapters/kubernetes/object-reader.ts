import { Transient } from '../../core/text/errors.ts';
import { foreignJson } from '../../core/text/foreign-text.ts';
import type { ObjectReader } from '../../ports/cluster.ts';
import type { Clock } from '../../ports/time.ts';
import type { KubeClient } from './kube-client.ts';

/** Reads for a diagnosis. Never throws Transient: a failed read is an answer too, and lowers the confidence of the
 *  finding. */
export function clusterReader(client: KubeClient, clock: Clock): ObjectReader {
  return {
    async read({ path, query, form }) {
      try {
        const body = await client.get(path, { query, form, mayBeUnserved: true });
        if (body === undefined) return { kind: 'absent', readAt: clock() };
        // Logs are cut line by line where they are read.
        return { kind: 'found', body: form === 'text' ? body : foreignJson(body), readAt: clock() };
      } catch (cause) {
        if (!(cause instanceof Transient)) throw cause;
        return { kind: 'failed', why: cause.message, readAt: clock(), isForbidden: cause.kind === 'forbidden' };
      }
    },
  };
}
