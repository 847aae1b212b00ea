import { type AttentionAsked, cloudEvent } from '../../../events/index.ts';
import { given } from '../text/given.ts';
import type { IncidentRequest } from './request.ts';

/** The event that asks send-alerts to carry out a request about an incident. */
export function attentionEvent(
  request: IncidentRequest,
  from: {
    readonly id: string;
    readonly source: AttentionAsked['source'];
    /** The person, as shown in messages; cut to 100 characters. */
    readonly by: string;
    /** Where to answer if the request is not carried out; absent: nowhere. */
    readonly answer?: AttentionAsked['data']['answer'];
    /** The approval that was given by the same press; absent: none. */
    readonly pressed?: AttentionAsked['data']['pressed'];
    /** What was asked of a sequence by the same press; absent: nothing. */
    readonly steered?: AttentionAsked['data']['steered'];
  },
  now: Date,
): AttentionAsked {
  const { kind: wish, incident: number, reason, seenSeq, episode } = request;
  const name = `PK-${number}`;
  return cloudEvent({
    type: 'poolkeeper.attention.asked.v1',
    id: from.id,
    source: from.source,
    subject: name,
    time: now,
    correlation: name,
    data: {
      wish,
      number,
      ...given({ seenSeq, episode }),
      by: from.by.slice(0, 100),
      reason,
      forSeconds: 'forSeconds' in request ? request.forSeconds : 0,
      ...('scope' in request ? { scope: request.scope } : {}),
      ...given({ pressed: from.pressed, steered: from.steered }),
      askedAt: now.toISOString(),
      ...given({ answer: from.answer }),
    },
  });
}
