import { cloudEvent, type PublishedEvent } from '../../../events/index.ts';
import type { PendingChange } from '../machine-config/pending-change.ts';
import { causeText, contentText } from '../machine-config/pending-text.ts';
import { given } from '../text/given.ts';

/** Events for changes that are pending or rolling out: each once, with its causes. A change about which nothing is
 *  known is not published. */
export function renderedEvents(
  cluster: string,
  { before, after }: Readonly<Record<'before' | 'after', Readonly<Record<string, PendingChange>>>>,
  now: Date,
): readonly PublishedEvent[] {
  return Object.entries(after).flatMap(([pool, change]) => {
    const { from, to, causes, security, unread } = change;
    const isTold = before[pool]?.from === from && before[pool].to === to;
    if (isTold || unread !== undefined || causes.length === 0) return [];
    return [
      cloudEvent({
        type: 'poolkeeper.pool.rendered.v1',
        id: [cluster, pool, 'rendered', from, to].join('/'),
        source: '/poolkeeper/keep-pools',
        subject: `${cluster}/${pool}`,
        time: now,
        correlation: causes.find(({ by }) => by !== undefined && by.revision !== '')?.by?.revision ?? to,
        data: {
          cluster,
          pool,
          from,
          to,
          causes: causes.map(({ kind, why }) => ({ kind, why })),
          why: causeText(change),
          content: contentText(change),
          ...given({ class: change.class }),
          security: [...security],
        },
      }),
    ];
  });
}
