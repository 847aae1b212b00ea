import { everyFinding } from '../../findings/chain.ts';
import type { Inquiry } from '../../findings/inquiry.ts';
import type { Finding } from '../../findings/trouble.ts';
import { read } from '../../findings/unread.ts';
import { secondsSince } from '../../text/instant.ts';
import { conditionOf } from '../objects/metadata.ts';
import { nodeNamed } from '../questions.ts';
import type { NodeSubject } from '../subject.ts';
import { withMachine } from './lost-machine.ts';
import { unfitNode } from './node-health.ts';
import { reverted } from './node-reverted.ts';
import { withCertificates } from './pending-certificates.ts';

/** A boot takes less, and is nobody's trouble. */
const lostSeconds = 300;

/** The daemon's words stay on a node that is lost since: that it is lost comes first (S2, S3), because whatever is to
 *  be done on the node needs it back. */
export function* lostMeanwhile(subject: NodeSubject, found: Finding): Inquiry<readonly Finding[]> {
  if (everyFinding(found).some(({ code }) => ['S2', 'S3', 'T4'].includes(code))) return [found];
  const { node, pool } = subject;
  // The MCO counts a node that is Degraded and ready as available: without any other there is nothing to ask.
  if (pool.counts.unavailable === 0) return [found];
  const live = yield* read(nodeNamed(node.name));
  if (live.kind !== 'read') return [found];
  const since = conditionOf(live.value.status.conditions, 'Ready')?.lastTransitionTime;
  if (since === undefined || secondsSince(since, new Date(live.readAt)) < lostSeconds) return [found];
  const unfit = unfitNode(live.value, live.readAt, node.postConfigAction === 'Rebooting');
  if (unfit === undefined || unfit.code === 'S11') return [found];
  return [reverted(subject, yield* withCertificates(yield* withMachine(unfit, live.value), node.name)), found];
}
