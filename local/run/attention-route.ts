import { AttentionAsked } from '../../events/index.ts';
import { BadInput } from '../../functions/core/text/errors.ts';
import type { AttentionQueue } from '../../functions/ports/queues.ts';
import type { Logger, Metrics } from '../../functions/ports/telemetry.ts';
import type { NewId } from '../../functions/ports/time.ts';
import { answering, type WebHandler } from '../../functions/shell/answer.ts';
import { mediaType, parseAs, parseJson, readText } from '../../functions/shell/body.ts';

const bodyAtMostBytes = 16 * 1024;

/** `POST /attention`, on this machine only: what the command line asks of an incident. On AWS it goes to the alert
 *  queue with the person's own rights instead. JSON, because a page in a browser may not send that to another
 *  address unasked. */
export function attentionRoute(ports: {
  readonly attention: AttentionQueue;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly newId: NewId;
}): WebHandler {
  return answering({ methods: ['POST'], ...ports }, async (request) => {
    if (mediaType(request.headers) !== 'application/json') throw new BadInput('this is no JSON', { status: 415 });
    const event = parseAs(AttentionAsked, parseJson(await readText(request, bodyAtMostBytes)));
    await ports.attention.send(event);
    return { status: 202, reason: 'queued' };
  });
}
