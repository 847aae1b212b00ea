import { evidence, finding, lower, ref } from '../../findings/make-finding.ts';
import type { Finding } from '../../findings/trouble.ts';
import { isDraining, isInFlight, isToBeDrained } from '../../openshift/node.ts';
import { ifGiven } from '../../text/if-given.ts';
import { between, counted, listed } from '../../text/phrases.ts';
import { unique } from '../../text/unique.ts';
import { conditionOf } from '../objects/metadata.ts';
import { isNodeReady, type LiveNode, mcoView } from '../objects/node.ts';
import { type Placement, unfitTaints, untolerated, wishesOf } from '../placement.ts';
import { remedy, uncordon } from '../remedies.ts';
import type { SchedulerText } from '../text/scheduler-text.ts';
import { anotherNode, letControlPlaneHelp, othersRefuse } from './another-node.ts';
import { unfitNode } from './node-health.ts';
import { podRef, schedulerEvidence, type UnschedulablePod } from './unschedulable-pod.ts';

/** A pod for which no node is left, with the nodes as they were judged. */
export interface Seen extends UnschedulablePod {
  readonly schedulerText: SchedulerText;
  readonly placement: Placement;
  readonly nodesReadAt: string;
  readonly listed: readonly LiveNode[];
}

/** No node is left after labels, taints, neighbours and cordons. */
export function explainUnschedulable(seen: Seen): Finding {
  const { labelled, tolerated, apart } = seen.placement;
  const found =
    labelled.length === 0
      ? noLabel(seen)
      : tolerated.length === 0
        ? allTainted(seen)
        : apart.length === 0
          ? allTaken(seen)
          : allAway(seen);
  return { ...found, evidence: [...schedulerEvidence(seen.pod, seen.readAt), ...found.evidence] };
}

function noLabel(seen: Seen): Finding {
  const wishes = wishesOf(seen.pod);
  return finding({
    code: 'U2',
    subject: podRef(seen.pod),
    sentence: `${seen.pod.metadata.name} can run nowhere: no node has ${wishes === '' ? 'what it asks for' : wishes}.`,
    confidence: 'strong',
    class: 'structural',
    evidence: [evidence(podRef(seen.pod), 'spec.nodeSelector', wishes, seen.readAt)],
    remedies: [
      ...anotherNode(seen),
      remedy('Widen the node selector or affinity in Git', { who: 'application owner' }),
    ],
  });
}

function allTainted(seen: Seen): Finding {
  const taints = seen.placement.labelled.flatMap((node) =>
    untolerated(seen.pod, node).map((taint) => ({ node, taint })),
  );
  const keys = unique(taints.map(({ taint }) => taint.key));
  return finding({
    code: 'U3',
    subject: podRef(seen.pod),
    sentence: `${seen.pod.metadata.name} can run nowhere: ${counted(seen.placement.labelled.length, 'node')} would fit but bear${
      seen.placement.labelled.length === 1 ? 's' : ''
    } the taint ${listed(keys)}, which it does not tolerate.`,
    confidence: 'strong',
    class: 'structural',
    evidence: taints
      .slice(0, 3)
      .map(({ node, taint }) =>
        evidence(ref('Node', node.metadata.name), 'spec.taints', `${taint.key}:${taint.effect}`, seen.nodesReadAt),
      ),
    remedies: [
      remedy('Add a node without the taint, or a toleration to the workload in Git'),
      ...letControlPlaneHelp(seen),
    ],
  });
}

function allTaken(seen: Seen): Finding {
  return finding({
    code: 'U5',
    subject: podRef(seen.pod),
    sentence: `${seen.pod.metadata.name} can run nowhere: each of the ${counted(
      seen.placement.tolerated.length,
      'node',
    )} that fit already runs a pod it must keep apart from.`,
    confidence: 'strong',
    class: 'structural',
    evidence: [
      evidence(podRef(seen.pod), 'spec.affinity.podAntiAffinity', 'required, per kubernetes.io/hostname', seen.readAt),
    ],
    remedies: [
      remedy('Add a node, or run one replica less'),
      remedy('Make the anti-affinity preferred instead of required, in Git', { who: 'application owner' }),
      ...letControlPlaneHelp(seen),
    ],
  });
}

/** The only nodes that fit are cordoned or unfit: by this rollout, by another drain that will end, by hand, or because
 *  they are lost. */
function allAway(seen: Seen): Finding {
  const fitting = seen.placement.apart;
  const isUnfit = (node: LiveNode) => unfitTaints(seen.pod, node).length > 0;
  const byHand = fitting.filter((node) => !isOfRollout(node) && !isUnfit(node));
  if (byHand.length > 0) return cordonedByHand(seen, byHand);
  const others = fitting.filter((node) => node.metadata.name !== seen.subject.node.name && !isDraining(mcoView(node)));
  const returning = others.filter((node) => isOfRollout(node) && !isAwayTooLong(node, seen.nodesReadAt));
  if (returning.length > 0) return waitsForReturn(seen, returning);
  const lost = others.filter((node) => isUnfit(node) || isOfRollout(node));
  if (lost.length > 0) return waitsForLost(seen, lost);
  return selfDeadlock(seen);
}

/** The headline case: what the drain waits for can only run on what is being drained. */
function selfDeadlock(seen: Seen): Finding {
  const names = seen.placement.apart.map((node) => node.metadata.name);
  const only = names.length === 1;
  const wishes = wishesOf(seen.pod);
  const asked = wishes === '' ? '' : `it asks for ${wishes}`;
  const why = `${asked}${othersRefuse(seen)}`.replace(/^; /, '');
  const mine = only && names[0] === seen.subject.node.name;
  return finding({
    code: 'self-deadlock',
    subject: podRef(seen.pod),
    sentence: `${seen.pod.metadata.name} can only run on ${listed(names)}${why === '' ? '' : ` (${why})`}, and ${
      only ? 'that node is' : 'those nodes are'
    } being drained for this very update: neither can proceed.`,
    confidence: doubtful(seen, mine ? 'strong' : 'likely'),
    class: 'structural',
    evidence: seen.placement.apart.map((node) =>
      evidence(ref('Node', node.metadata.name), 'spec.unschedulable', node.spec.unschedulable, seen.nodesReadAt),
    ),
    remedies: [
      ...anotherNode(seen),
      remedy('Add a second node on which it may run', { risk: 'low' }),
      ...letControlPlaneHelp(seen),
    ],
  });
}

/** Labels of a node were read some moments after the scheduler counted: another number of nodes means that the world
 *  moved. */
function doubtful(seen: Seen, confidence: 'strong' | 'likely'): Finding['confidence'] {
  const { nodes } = seen.schedulerText;
  const everyNode = wishesOf(seen.pod) === '';
  return everyNode && nodes !== undefined && nodes !== seen.listed.length ? lower(confidence) : confidence;
}

function couldRunOn({ pod }: Seen, names: readonly string[], but: string): string {
  return `${pod.metadata.name} could run on ${listed(names)}, but ${names.length === 1 ? 'that node is' : 'those nodes are'} ${but}.`;
}

function cordonedByHand(seen: Seen, byHand: readonly LiveNode[]): Finding {
  const names = byHand.map((node) => node.metadata.name);
  return finding({
    code: 'U1',
    subject: podRef(seen.pod),
    sentence: couldRunOn(seen, names, 'cordoned and not by this update'),
    confidence: 'strong',
    class: 'external',
    evidence: byHand.map((node) =>
      evidence(ref('Node', node.metadata.name), 'spec.unschedulable', node.spec.unschedulable, seen.nodesReadAt),
    ),
    remedies: names.slice(0, 2).map(uncordon),
  });
}

function waitsForReturn(seen: Seen, returning: readonly LiveNode[]): Finding {
  const names = returning.map((node) => node.metadata.name);
  return finding({
    code: 'U1',
    subject: podRef(seen.pod),
    sentence: `${seen.pod.metadata.name} waits for ${listed(names)}, which is being updated and comes back.`,
    confidence: 'strong',
    class: 'self-healing',
    evidence: returning.map((node) =>
      evidence(ref('Node', node.metadata.name), 'desiredConfig', mcoView(node).desiredConfig, seen.nodesReadAt),
    ),
    remedies: [remedy('Wait for that node; a smaller maxUnavailable of the pool avoids this')],
  });
}

/** A node that is not well and that no update brings back, or that has not come back from it: what is wrong there is
 *  the cause. */
function waitsForLost(seen: Seen, lost: readonly LiveNode[]): Finding {
  const names = lost.map((node) => node.metadata.name);
  const why = unique(lost.flatMap((node) => unfitTaints(seen.pod, node)).map(({ key }) => key));
  const [first] = lost;
  return finding({
    code: 'U1',
    subject: podRef(seen.pod),
    sentence: couldRunOn(seen, names, `not well${why.length === 0 ? '' : ` (${listed(why)})`}`),
    confidence: 'strong',
    class: 'external',
    evidence: lost.map(({ metadata, spec }) =>
      evidence(ref('Node', metadata.name), 'spec.taints', listed(spec.taints.map(({ key }) => key)), seen.nodesReadAt),
    ),
    because: ifGiven(first && unfitNode(first, seen.nodesReadAt, isOfRollout(first))),
  });
}

/** Twice as long as a reboot takes by default before it is told (policy `stuckAfter.rebootSeconds`). */
const comesBackMs = 30 * 60_000;

/** Its kubelet has been silent for longer than any reboot takes. */
function isAwayTooLong(node: LiveNode, readAt: string): boolean {
  const since = conditionOf(node.status.conditions, 'Ready')?.lastTransitionTime;
  return isNodeReady(node) === false && since !== undefined && between(since, readAt) >= comesBackMs;
}

/** Cordoned by the MCO: it asked for a drain, or the node is on its way to another config. */
function isOfRollout(node: LiveNode): boolean {
  const view = mcoView(node);
  return isInFlight(view) || isToBeDrained(view);
}
