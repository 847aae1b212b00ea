import { AttentionAsked } from '../../events/index.ts';
import { BadInput } from '../../functions/core/text/errors.ts';
import type { AttentionQueue } from '../../functions/ports/queues.ts';
import type { Logger, Metrics } from '../../functions/ports/telemetry.ts';
import type { NewId } from '../../functions/ports/time.ts';
import { answering, type WebHandler } from '../../functions/shell/answer.ts';
import { mediaType, parseAs, parseJson, readText } from '../../functions/shell/body.ts';

const bodyAtMostBytes = 16 * 1024;

/** `POST /attention`, only on this machine: acknowledge, snooze or re-check an incident from the command line; no
 *  freeze. On AWS that goes to the alert queue with the caller's own permissions. JSON only, because a web page may not
 *  send that to another origin without asking. */
export function attentionRoute(ports: {
  readonly attention: AttentionQueue;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly newId: NewId;
}): WebHandler {
  return answering({ methods: ['POST'], ...ports }, async (request) => {
    if (mediaType(request.headers) !== 'application/json')
      throw new BadInput('the content type must be application/json', { status: 415 });
    const event = parseAs(AttentionAsked, parseJson(await readText(request, bodyAtMostBytes)));
    // Who pressed is what Slack has signed, and here anybody may write it.
    if (event.data.wish === 'freeze-here')
      throw new BadInput('freezes are not taken here: poolkeeper freeze', { status: 403 });
    await ports.attention.send(event);
    return { status: 202, reason: 'queued' };
  });
}
