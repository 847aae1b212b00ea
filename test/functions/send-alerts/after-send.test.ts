import { expect, test } from 'vitest';
import type { Delivery } from '../../../functions/core/alerts/incident.ts';
import { isFailing } from '../../../functions/core/alerts/notify-failing.ts';
import { afterSend } from '../../../functions/send-alerts/after-send.ts';
import { aDelivery } from '../../fakes/builders.ts';

const askedToWait = { kind: 'not-sent', why: 'Slack asks to wait', retryAfterSeconds: 30 } as const;

function tried(delivery: Delivery, at: string): Delivery {
  const attempt = { kind: 'post', seq: 1, style: 'chat', isFirst: true } as const;
  return afterSend(delivery, attempt, askedToWait, { now: new Date(at), random: () => 0 });
}

test.each([
  ['the next morning, after quiet hours', ['2026-03-02T21:59:00Z', '2026-03-03T07:00:00Z'], false],
  ['again and again', ['2026-03-02T21:59:00Z', '2026-03-02T22:04:00Z', '2026-03-02T22:09:00Z'], true],
])(
  '[N-18] [N-24] a target that asks to wait %s counts as unreachable by the time that it has been asked',
  (_, at, is) => {
    const delivery = at.reduce(tried, aDelivery());

    expect(isFailing(delivery)).toBe(is);
  },
);
