import type { WebHandler } from '../shell/answer.ts';
import { exposition } from './metrics/exposition.ts';
import { samplesOf } from './metrics/samples-of.ts';
import { readStatus, type StatusPorts } from './read-status.ts';
import { readerRoute, safeHeaders } from './reader-route.ts';

/** `GET /metrics`: the status of every pool, incident and sequence, as OpenMetrics. A part that cannot be read is
 *  absent, and `poolkeeper_unread` says so: the other parts still count. */
export function metricsOf(ports: StatusPorts): WebHandler {
  return readerRoute(ports, async () => {
    const status = await readStatus({ ...ports, ...unused }, { limit: 1 }, 'whole');
    const { contentType, text } = await exposition(samplesOf(status));
    return new Response(text, { headers: { ...safeHeaders, 'content-type': contentType } });
  });
}

/** Read for the page only. */
const unused: Pick<StatusPorts, 'timeline' | 'nodeRollouts'> = {
  timeline: { latest: async () => [] },
  nodeRollouts: { ended: async () => ({ rollouts: [] }) },
};
