import { type AttentionAsked, cloudEvent } from '../../../events/index.ts';
import type { IncidentRequest } from './request.ts';

/** The request for send-alerts, which does it. */
export function attentionEvent(
  request: IncidentRequest,
  from: {
    readonly id: string;
    readonly source: AttentionAsked['source'];
    readonly by: string;
    /** Who hears why it was not done; absent: nobody can be told. */
    readonly answer?: AttentionAsked['data']['answer'];
  },
  now: Date,
): AttentionAsked {
  const { kind: wish, incident: number, reason, seenSeq } = request;
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
      ...(seenSeq === undefined ? {} : { seenSeq }),
      by: from.by.slice(0, 100),
      reason,
      forSeconds: 'forSeconds' in request ? request.forSeconds : 0,
      askedAt: now.toISOString(),
      ...(from.answer === undefined ? {} : { answer: from.answer }),
    },
  });
}
