import { type ApprovalAsked, makeTick } from '../../events/index.ts';
import { takeApproval } from '../core/requests/take-approval.ts';
import { secondsSince } from '../core/text/instant.ts';
import type { ReceivedMessage } from '../shell/queue.ts';
import type { AttendPorts } from './attend-incident.ts';

/** Seconds. A message that lay for longer, in a dead-letter queue for example, may have another sender by now: whoever
 *  moved it. Longer than all attempts at one message take. */
const freshSeconds = 15 * 60;

/** Stores an approval that came by the queue, in the name of who sent the message by SQS's own note of it, and requests
 *  a pass over the cluster. Repeated, it does nothing. Throws Transient. */
export async function approveConfig(
  { data }: ApprovalAsked,
  received: ReceivedMessage | undefined,
  { configuration, approvals, timeline, work, clock, logger }: AttendPorts,
): Promise<void> {
  const { verb: kind, cluster, pool, config, by, reason, askedAt } = data;
  const about = { cluster, pool, config, verb: kind };
  const now = clock();
  if (Math.abs(secondsSince(askedAt, now)) > freshSeconds) {
    logger.warn('request to approve is too old and dropped', about);
    return;
  }
  const sentAt = received?.sentAt === undefined ? new Date(askedAt) : new Date(received.sentAt);
  const requester = { surface: 'queue', who: by, sender: received?.sender } as const;
  const taken = takeApproval({ kind, cluster, pool, config, reason }, requester, configuration, sentAt);
  if (taken.entry !== undefined) await timeline.append([taken.entry]);
  if (taken.kind === 'refused') {
    logger.warn('request to approve is refused', { ...about, why: taken.why });
    return;
  }
  for (const approval of taken.approvals) await approvals.save(approval);
  logger.info('request to approve is stored', { ...about, by: taken.approvals[0]?.who });
  await work.send(makeTick({ cluster, why: 'person' }, now));
}
