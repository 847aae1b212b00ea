import type { Inquiry } from '../../findings/inquiry.ts';
import type { Finding } from '../../findings/trouble.ts';
import { read, readTogether, type Unread, unreadOf } from '../../findings/unread.ts';
import type { Node } from '../../openshift/node.ts';
import { configDaemonOn, configDaemons, operatorPods } from '../questions.ts';
import { brokenDaemon } from '../rules/config-daemon.ts';
import { deadParts } from '../rules/operator-parts.ts';
import type { Obstacle } from './obstacle.ts';

/** Nodes whose config daemon is looked at one by one, once the DaemonSet says that one is missing. */
const daemonsRead = 5;

interface AtWork {
  readonly obstacles: readonly Obstacle[];
  /** The server hands configurations to new machines; nodes that are there do not need it. */
  readonly besides: readonly Finding[];
  readonly unread: readonly Unread[];
}

/** Will anybody do what a resume asks for? The Machine Config Operator's own parts, in two calls while all is well.
 *  A part that this account cannot see, or that has no such object here, is no obstacle; nor is the daemon of a node
 *  that reboots, as in a rollout in the middle of which a sync came: it starts with its node. */
export function* partsAtWork(touched: readonly Node[]): Inquiry<AtWork> {
  const [pods, daemons] = yield* readTogether(operatorPods(), configDaemons());
  const parts = pods.kind === 'read' ? deadParts(pods.value.items, pods.readAt) : [];
  const besides = parts.filter(({ code }) => code === 'S14');
  const obstacles: Obstacle[] = parts
    .filter((each) => !besides.includes(each))
    .map((finding) => ({ nodes: [], finding }));
  const unread = [...unreadOf([pods, daemons])];
  const complete =
    daemons.kind !== 'read' || daemons.value.status.numberReady >= daemons.value.status.desiredNumberScheduled;
  const up = touched.filter(({ postConfigAction }) => postConfigAction !== 'Rebooting');
  for (const { name: node } of complete ? [] : up.slice(0, daemonsRead)) {
    const daemon = yield* read(configDaemonOn(node));
    unread.push(...unreadOf([daemon]));
    const broken = daemon.kind === 'read' ? brokenDaemon(node, daemon.value.items, daemon.readAt) : undefined;
    if (broken !== undefined) obstacles.push({ nodes: [node], finding: broken });
  }
  return { obstacles, besides, unread };
}
