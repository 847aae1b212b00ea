import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { WebHandler } from '../shell/answer.ts';
import { exposition } from './metrics/exposition.ts';
import { samplesOf } from './metrics/samples-of.ts';
import { takesGzip } from './negotiate.ts';
import { readStatus, type StatusPorts } from './read-status.ts';
import { readerRoute, safeHeaders } from './reader-route.ts';

const compress = promisify(gzip);

/** `GET /metrics`: the status of every pool, incident and sequence, as OpenMetrics, by gzip for whoever takes that,
 *  which makes a tenth or less of it. What cannot be read, or has no room, is absent, and `poolkeeper_unread` says so:
 *  the rest still counts. */
export function metricsOf(ports: StatusPorts): WebHandler {
  return readerRoute(ports, async ({ headers }) => {
    const status = await readStatus({ ...ports, ...unused }, { limit: 1 }, 'whole');
    const isPacked = takesGzip(headers.get('accept-encoding'));
    const { contentType, body } = await exposition(samplesOf(status), isPacked ? packed : plain);
    const coding = isPacked ? { 'content-encoding': 'gzip' } : {};
    const vary = `${safeHeaders.vary}, accept-encoding`;
    return new Response(body, { headers: { ...safeHeaders, vary, 'content-type': contentType, ...coding } });
  });
}

/** The fastest level, two thirds of the time of the usual one, makes a tenth more of it. */
function packed(text: string) {
  return compress(text, { level: 1 });
}

async function plain(text: string) {
  return Buffer.from(text);
}

/** Read for the page only. */
const unused: Pick<StatusPorts, 'timeline' | 'nodeRollouts'> = {
  timeline: { latest: async () => [] },
  nodeRollouts: { ended: async () => ({ rollouts: [] }) },
};
