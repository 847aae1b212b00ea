import { cloudEvent } from './envelope.ts';
import type { Tick } from './seen.ts';

/** Requests a pass over this cluster now. Sent by the clock, a pass that follows up, or a person. The same cluster,
 *  sender and instant give the same event, however often it is sent. */
export function makeTick({ cluster, why }: Tick['data'], time: Date): Tick {
  const [idPrefix, source] = senders[why];
  return cloudEvent({
    type: 'poolkeeper.tick.v1',
    id: `${idPrefix}/${cluster}/${time.toISOString()}`,
    source,
    subject: cluster,
    time,
    correlation: '',
    data: { cluster, why },
  });
}

const senders = {
  clock: ['tick', '/poolkeeper/clock'],
  recheck: ['recheck', '/poolkeeper/keep-pools'],
  person: ['person', '/poolkeeper/person'],
} as const satisfies Record<Tick['data']['why'], readonly [string, string]>;
