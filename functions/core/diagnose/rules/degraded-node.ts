import type { Inquiry } from '../../findings/inquiry.ts';
import { evidence, finding, lower, notKnown, ref, without } from '../../findings/make-finding.ts';
import type { Evidence, Finding } from '../../findings/trouble.ts';
import { read, unreadOf } from '../../findings/unread.ts';
import { condition } from '../../openshift/pool.ts';
import { clipped, quoted } from '../../text/phrases.ts';
import { conditionOf } from '../objects/metadata.ts';
import { configDaemonOn, machineConfigHead, machineConfigNode, nodeNamed } from '../questions.ts';
import { remedy } from '../remedies.ts';
import type { NodeSubject } from '../subject.ts';
import { parseNodeDegraded, withoutPrefix } from '../text/node-degraded-text.ts';
import { errorText, isDrainTimeout, readNodeReason } from '../text/node-reason.ts';
import { causeGone } from './cause-gone.ts';
import { onPlatform } from './cluster-operator.ts';
import { ruleFor } from './degraded-catalogue.ts';
import { daemonLog } from './degraded-rule.ts';
import { explainDrain } from './drain.ts';
import { mayHaveFallenBack, missingRendered } from './drift-errors.ts';
import { explainedBy } from './explained-by.ts';
import { fellBack } from './known-good.ts';
import { goneByAnnotations } from './no-retry.ts';
import { unfitNode } from './node-health.ts';
import { reverted } from './node-reverted.ts';
import { whyNotUncordoned } from './not-uncordoned.ts';
import { withCertificates } from './pending-certificates.ts';
import { otherRelease } from './release-skew.ts';

/** Why a node is Degraded or Unreconcilable (N rules), from what its own daemon says: no log is read. */
export function* explainDegradedNode(subject: NodeSubject): Inquiry<Finding> {
  const said = yield* whatTheDaemonSays(subject);
  const reason = readNodeReason(said.reason);
  const isDrain = isDrainTimeout(reason);
  const gone = goneByAnnotations(subject, said.reason, isDrain);
  const rule = ruleFor(reason);
  const over = gone && (yield* causeGone(subject, gone, isDrain ? 'D0' : (rule?.code ?? 'N0')));
  if (over !== undefined) return { ...over, evidence: [...over.evidence, ...said.evidence] };
  if (isDrain) return yield* drainTimedOut(subject, said);
  const back = yield* fellBack(subject, {
    wrongSystem: mayHaveFallenBack(reason),
    isExplained: rule !== undefined && rule.class !== 'unknown',
    told: reason.consequence === undefined ? '' : reason.error,
  });
  if (back !== undefined) return { ...back, evidence: [...back.evidence, ...said.evidence] };
  if (rule === undefined) return yield* notInTheCatalogue(subject, said);
  const { sentence, remedies } = yield* explainedBy(rule, reason, subject);
  const found = finding({
    code: rule.code,
    subject: ref('Node', subject.node.name),
    sentence,
    confidence: rule.confidence,
    class: rule.class,
    evidence: said.evidence,
    remedies,
  });
  if (rule.code === 'D5') return yield* notUncordoned(found, subject);
  if (rule.code === 'N4') return yield* confirmMissing(found, missingRendered(reason), subject);
  return ['N11', 'N13'].includes(rule.code) ? yield* onPlatform(found, 'machine-config') : found;
}

interface Said {
  readonly reason: string;
  readonly evidence: readonly Evidence[];
  readonly looked: readonly string[];
}

/** The node's annotation, else its MachineConfigNode, else the pool's condition, which says all of them again. */
function* whatTheDaemonSays(subject: NodeSubject): Inquiry<Said> {
  const { node, pool, readAt } = subject;
  const of = ref('Node', node.name);
  const state = evidence(of, 'metadata.annotations[machineconfiguration.openshift.io/state]', node.state, readAt);
  if (node.reason !== '') {
    const seen = evidence(
      of,
      'metadata.annotations[machineconfiguration.openshift.io/reason]',
      clipped(node.reason),
      readAt,
    );
    return { reason: node.reason, evidence: [state, seen], looked: ["the node's annotations"] };
  }
  const machine = yield* read(machineConfigNode(node.name));
  const told = machine.kind === 'read' ? conditionOf(machine.value.status.conditions, 'NodeDegraded') : undefined;
  if (told !== undefined && told.status === 'True' && told.message !== '') {
    const path = 'status.conditions[NodeDegraded].message';
    const seen = evidence(ref('MachineConfigNode', node.name), path, clipped(told.message), machine.readAt);
    return {
      reason: withoutPrefix(told.message, node.name),
      evidence: [state, seen],
      looked: ["the node's annotations", 'its MachineConfigNode'],
    };
  }
  const reason = parseNodeDegraded(condition(pool, 'NodeDegraded')?.message ?? '').get(node.name) ?? '';
  const path = 'status.conditions[NodeDegraded].message';
  return {
    reason,
    evidence:
      reason === '' ? [state] : [state, evidence(ref('MachineConfigPool', pool.name), path, clipped(reason), readAt)],
    looked: ["the node's annotations", 'its MachineConfigNode', 'the condition NodeDegraded of the pool'],
  };
}

/** N14: the daemon gave up, the drain goes on. What blocks it is the cause. */
function* drainTimedOut(subject: NodeSubject, said: Said): Inquiry<Finding> {
  const drain = yield* explainDrain(subject);
  return { ...drain, evidence: [...drain.evidence, ...said.evidence] };
}

/** The daemon gave up after ten minutes and points to the log of the controller, which says why in the
 *  MachineConfigNode, too. */
function* notUncordoned(found: Finding, subject: NodeSubject): Inquiry<Finding> {
  const machine = yield* read(machineConfigNode(subject.node.name));
  const { because, unread } = yield* whyNotUncordoned(subject, machine);
  return because.length === 0 ? without(found, unread) : { ...found, because, remedies: [] };
}

/** N4 is certain once the API server says that the object is not there, and the node points to it. Only its metadata
 *  is asked for. */
function* confirmMissing(found: Finding, name: string, subject: NodeSubject): Inquiry<Finding> {
  const head = yield* read(machineConfigHead(name));
  const of = ref('MachineConfig', name);
  const isNodes = [subject.node.currentConfig, subject.node.desiredConfig].includes(name);
  switch (head.kind) {
    case 'absent':
      return {
        ...found,
        confidence: isNodes ? 'certain' : found.confidence,
        evidence: [...found.evidence, evidence(of, 'metadata.name', '404 not found', head.readAt)],
      };
    case 'unread':
      return without(found, [head]);
    case 'read': {
      const since = head.value.metadata.creationTimestamp;
      const over = yield* causeGone(subject, { what: `${name} exists again`, since }, found.code);
      if (over !== undefined) return { ...over, evidence: [...over.evidence, ...found.evidence] };
      return {
        ...found,
        sentence: `${name} was missing when ${found.subject.name} asked for it. It exists again now: the daemon's next try may pass.`,
        confidence: lower(found.confidence),
        class: 'self-healing',
        evidence: [...found.evidence, evidence(of, 'metadata.uid', head.value.metadata.uid, head.readAt)],
      };
    }
    default:
      return head satisfies never;
  }
}

/** Nothing in the catalogue: the node itself may say more, and the daemon's words are passed on. */
function* notInTheCatalogue(subject: NodeSubject, said: Said): Inquiry<Finding> {
  const { node } = subject;
  const live = yield* read(nodeNamed(node.name));
  const unfit =
    live.kind === 'read' ? unfitNode(live.value, live.readAt, node.postConfigAction === 'Rebooting') : undefined;
  const base = notKnown({
    code: 'N0',
    subject: ref('Node', node.name),
    sentence:
      said.reason === ''
        ? `${node.name} is ${node.state} and gives no reason.`
        : `${node.name} is ${node.state || 'Degraded'}: ${quoted(errorText(readNodeReason(said.reason)))}.`,
    looked: [...said.looked, 'the node'],
    evidence: said.evidence,
  });
  const lost =
    unfit === undefined || live.kind !== 'read'
      ? undefined
      : reverted(subject, yield* withCertificates(unfit, node.name));
  const other = lost === undefined ? yield* otherRelease(node.name, yield* read(configDaemonOn(node.name))) : undefined;
  const found: Finding = {
    ...base,
    because: [lost, other].filter((each) => each !== undefined),
    remedies: [daemonLog(node.name), remedy('The daemon tries again by itself once the cause is gone')],
  };
  return without(found, unreadOf([live]));
}
