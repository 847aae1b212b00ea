import { BadInput } from '../core/text/errors.ts';
import { unique } from '../core/text/unique.ts';
import type { WorkQueue } from '../ports/queues.ts';
import type { Logger, Metrics } from '../ports/telemetry.ts';
import type { NewId } from '../ports/time.ts';
import { answering, type WebHandler } from '../shell/answer.ts';
import { eachValid, mediaType, parseAs, parseJson, readText } from '../shell/body.ts';
import type { RequestHeaders } from '../shell/exchange.ts';
import { liveSecret, type SecretPorts } from '../shell/live-secret.ts';
import { bearerToken, requireToken } from '../shell/token.ts';
import { AlertmanagerMessage, hintOfAlert } from './alertmanager.ts';
import { IncomingEvent, readCloudEvents } from './cloud-events.ts';
import { ClusterName, clusterSeen, firstOfEachCluster, type Hint } from './hint.ts';
import { hintOfKnative } from './knative.ts';

/** `secret` is the token that the clusters' event sources send. */
export interface ReceiveClusterPorts extends SecretPorts {
  readonly work: WorkQueue;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly newId: NewId;
}

/** Resource mode sends whole objects, and etcd has none above 1.5 MiB. */
const clusterBodyAtMostBytes = 2 * 1024 * 1024;

/** `POST /cluster`: events of Knative's ApiServerSource (CloudEvents, binary, structured or batched) and alerts of
 *  Alertmanager become ClusterSeen hints on the work queue. Other types are accepted and dropped. Only here the token
 *  may also be in the URL, `?token=`: Knative can set no header, only the URI of its sink. It is never logged, permits
 *  nothing but a pass that would happen within a minute anyway, and is a separate token for that reason. The cluster is
 *  named by `?cluster=`, else by the CloudEvents extension or alert label `cluster`. */
export function receiveCluster(ports: ReceiveClusterPorts): WebHandler {
  const { work, clock, logger, metrics, newId } = ports;
  const live = liveSecret(ports);
  return answering({ methods: ['POST'], logger, metrics, newId }, async (request) => {
    const { searchParams } = new URL(request.url);
    await requireToken(bearerToken(request.headers) ?? searchParams.get('token') ?? undefined, live);
    const text = await readText(request, clusterBodyAtMostBytes);
    const named = parseAs(ClusterName, searchParams.get('cluster') ?? undefined);
    const { hints: read, invalid } = readHints(request.headers, text);
    const hints = namedBy(named, read);
    if (hints.length === 0)
      return { status: 202, reason: 'events of this type are not used', body: { accepted: false } };

    const now = clock();
    const forwarded = firstOfEachCluster(hints);
    await Promise.all(forwarded.map((hint) => work.send(clusterSeen(hint, now))));
    const events = forwarded.length;
    const leftOut = hints.length - events;
    return {
      status: 202,
      reason:
        leftOut === 0 ? 'events queued' : 'some of the events queued: every cluster is looked at each minute anyway',
      body: { accepted: true, events, ...(leftOut > 0 && { leftOut }) },
      about: {
        events,
        cluster: unique(forwarded.map(({ cluster }) => cluster)).join(' '),
        ...(leftOut > 0 && { leftOut }),
        ...(invalid > 0 && { invalid }),
      },
    };
  });
}

/** Hints only: an event that cannot be parsed is counted, and the others are passed on. */
function readHints(
  headers: RequestHeaders,
  text: string,
): { readonly hints: readonly Hint[]; readonly invalid: number } {
  const events = readCloudEvents(headers, text);
  if (events !== undefined) {
    const { valid, invalid } = eachValid(events, (event) => hintOfKnative(parseAs(IncomingEvent, event)));
    return { hints: valid.filter((hint) => hint !== undefined), invalid };
  }
  if (mediaType(headers) !== 'application/json')
    throw new BadInput('send CloudEvents or the JSON of Alertmanager', { status: 415 });
  const { alerts } = parseAs(AlertmanagerMessage, parseJson(text));
  const { valid, invalid } = eachValid(alerts, hintOfAlert);
  return { hints: valid, invalid };
}

/** The name in the URL wins: it is written by whoever installs the event source; events and alerts only pass one on. */
function namedBy(cluster: string, hints: readonly Hint[]): readonly Hint[] {
  return cluster === '' ? hints : hints.map((hint) => ({ ...hint, cluster }));
}
