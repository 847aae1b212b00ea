import { cloudEvent, type PublishedEvent } from '../../../events/index.ts';
import type { NodeRollout } from '../openshift/node-rollout.ts';
import type { PausedPool } from '../openshift/paused-pool.ts';
import { given } from '../text/given.ts';
import { courseOf } from './in-order.ts';
import { rolloutText } from './rollout-text.ts';

const source = '/poolkeeper/keep-pools';

/** Events for updates that ended. Those abandoned for another target are covered by the events of their successors. */
export function rolloutEvents(ended: readonly NodeRollout[], now: Date): readonly PublishedEvent[] {
  return ended.flatMap((rollout) => {
    const { cluster, pool, node, from, to, begun, steps, rebooted, causes, unseen } = rollout;
    if (rollout.ended?.how !== 'done') return [];
    const told = courseOf({ steps }).map(({ name, begun: from, ended }) => ({
      name,
      ...(from && { begunAt: from.at }),
      ...(ended && { endedAt: ended.at }),
    }));
    return [
      cloudEvent({
        type: 'poolkeeper.node.updated.v1' as const,
        id: `${cluster}/${pool}/${node}/updated/${begun.at}/${to}`,
        source,
        subject: `${cluster}/${pool}/${node}`,
        time: now,
        correlation: causes.find(({ by }) => by !== undefined)?.by?.revision ?? '',
        data: {
          cluster,
          pool,
          node,
          from,
          to,
          begunAt: begun.at,
          endedAt: rollout.ended.at.at,
          ...(unseen && { unseen: unseen.after === undefined ? {} : { after: unseen.after } }),
          ...given({ rebooted }),
          steps: told,
          course: rolloutText(rollout),
          causes: causes.map(({ why }) => why),
        },
      }),
    ];
  });
}

/** Events for nodes that joined while their pool is paused and have reported their config; each once. */
export function joinedEvents(
  cluster: string,
  before: Readonly<Record<string, PausedPool>>,
  after: Readonly<Record<string, PausedPool>>,
  now: Date,
): readonly PublishedEvent[] {
  return Object.entries(after).flatMap(([pool, { joined }]) => {
    const told = new Set(before[pool]?.joined.flatMap(({ name, config }) => (config === '' ? [] : [name])));
    return joined
      .filter(({ name, config }) => config !== '' && !told.has(name))
      .map(({ name, at, config }) =>
        cloudEvent({
          type: 'poolkeeper.node.joined.v1' as const,
          id: `${cluster}/${pool}/${name}/joined/${at}`,
          source,
          subject: `${cluster}/${pool}/${name}`,
          time: now,
          correlation: '',
          data: { cluster, pool, node: name, joinedAt: at, config },
        }),
      );
  });
}
