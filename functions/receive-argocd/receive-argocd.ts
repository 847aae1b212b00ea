import { BadInput } from '../core/text/errors.ts';
import type { WorkQueue } from '../ports/queues.ts';
import type { Logger, Metrics } from '../ports/telemetry.ts';
import type { NewId } from '../ports/time.ts';
import { answering, type Reply, type WebHandler } from '../shell/answer.ts';
import { mediaType, parseAs, parseJson, readText } from '../shell/body.ts';
import { liveSecret, type SecretPorts } from '../shell/live-secret.ts';
import { bearerToken, requireToken } from '../shell/token.ts';
import { OperationNotified, operationType, TypedEvent } from './operation-notified.ts';
import { operationSeen } from './operation-seen.ts';

/** `secret` is the token that Argo CD's notifications send. */
export interface ReceiveArgocdPorts extends SecretPorts {
  readonly work: WorkQueue;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly newId: NewId;
}

/** One event is about 1.3 kB and 150 bytes for each MachineConfig; etcd does not hold an Application larger than
 *  this. */
const argocdBodyAtMostBytes = 1024 * 1024;

const contentTypes = ['application/cloudevents+json', 'application/json'];

/** `POST /argocd`: a notification of Argo CD becomes one OperationSeen on the work queue. Argo CD's notifications have
 *  one worker and no timeout, so a slow answer would delay everyone's: only the queue is called. The sender retries a
 *  5xx four times, a 4xx never. */
export function receiveArgocd(ports: ReceiveArgocdPorts): WebHandler {
  const { logger, metrics, newId } = ports;
  const live = liveSecret(ports);
  const methodHint = 'a GET means that the template has no section for this webhook service';
  return answering({ methods: ['POST'], methodHint, logger, metrics, newId }, async (request) => {
    const token = bearerToken(request.headers);
    refusePlaceholder(token);
    await requireToken(token, live);
    if (!contentTypes.includes(mediaType(request.headers)))
      throw new BadInput(`send content type ${contentTypes[0]}`, { status: 415 });

    const body = parseJson(await readText(request, argocdBodyAtMostBytes));
    const { type } = parseAs(TypedEvent, body);
    if (type !== operationType)
      return { status: 202, reason: 'events of this type are not used', body: { accepted: false } };
    return queueOperation(parseAs(OperationNotified, body), ports);
  });
}

async function queueOperation(notified: OperationNotified, { work, clock }: ReceiveArgocdPorts): Promise<Reply> {
  const event = operationSeen(notified, clock());
  await work.send(event);
  const { id, correlation, data } = event;
  const { argocd, namespace, name, phase } = data;
  return {
    status: 202,
    reason: 'operation queued',
    body: { accepted: true, event: id },
    about: { event: id, correlation: correlation ?? id, argocd, application: `${namespace}/${name}`, phase },
  };
}

/** A key missing in argocd-notifications-secret stays in the header as written in the configuration, `$key`. This is no
 *  attack but the most common mistake, so it gets a specific message. Source: notifications-engine,
 *  replaceStringSecret. */
function refusePlaceholder(token: string | undefined): void {
  const key = /^\$([\w-]{1,64})$/.exec(token ?? '')?.[1];
  if (key === undefined) return;
  throw new BadInput(`the token is the literal $${key}: argocd-notifications-secret has no key ${key}`, {
    status: 401,
  });
}
