import { hasPendingRollout, mayHaveNodesBehind } from '../openshift/pool.ts';
import { type ClosedGate, type GateQuestion, unread, unseen } from './gate.ts';

/** What a resume does to the nodes of a pool. */
export type Rollout =
  /** None is taken to another config or image, besides those that have just joined. */
  | { readonly kind: 'none' }
  /** `takesBack`: no change is pending, and nodes have another config, as after one that was reverted in the middle of
   *  its rollout, or another image, of which the pool says nothing. */
  | { readonly kind: 'rolls'; readonly takesBack: boolean }
  /** Which config the nodes have is not known: what a gate says that depends on it. One that only keeps to its rule
   *  takes what cannot be read for a rollout. */
  | { readonly kind: 'unread' | 'unreadable'; readonly answer: ClosedGate };

/** Whether a resume is a rollout, about which people, windows and budgets decide. Nodes that have just joined make
 *  none: they take what the others have, and a cluster that grows waits for nobody. */
export function rolloutOf({ pool, evidence: { nodesBehind } }: Pick<GateQuestion, 'pool' | 'evidence'>): Rollout {
  if (hasPendingRollout(pool)) return { kind: 'rolls', takesBack: false };
  if (!mayHaveNodesBehind(pool)) return { kind: 'none' };
  switch (nodesBehind.kind) {
    case 'not-asked':
      return { kind: 'unread', answer: unread('which config its nodes have', known, 'nodesBehind') };
    case 'unreadable':
      return { kind: 'unreadable', answer: notReadable(nodesBehind.why) };
    case 'seen':
      return nodesBehind.value.some(({ hasJustJoined }) => !hasJustJoined)
        ? { kind: 'rolls', takesBack: true }
        : { kind: 'none' };
    default:
      return nodesBehind satisfies never;
  }
}

const known = 'the configs of its nodes';

function notReadable(why: string): ClosedGate {
  return unseen({
    why: `which config its nodes have could not be read: ${why}`,
    value: 'unknown',
    threshold: known,
    opens: 'the next successful read of its nodes, by which it is decided',
    who: 'Poolkeeper, by itself',
  });
}
