import type { Inquiry } from '../../findings/inquiry.ts';
import { evidence, notKnown, ref, without } from '../../findings/make-finding.ts';
import type { Finding } from '../../findings/trouble.ts';
import { type Reading, read, readTogether, unreadOf } from '../../findings/unread.ts';
import { ifGiven } from '../../text/if-given.ts';
import { ageText, between, quoted } from '../../text/phrases.ts';
import type { MachineConfigNode } from '../objects/machine-config-node.ts';
import type { Condition } from '../objects/metadata.ts';
import { configDaemonOn, machineConfigNode, nodeNamed } from '../questions.ts';
import type { NodeSubject } from '../subject.ts';
import { onPlatform } from './cluster-operator.ts';
import { brokenDaemon } from './config-daemon.ts';
import { withMachine } from './lost-machine.ts';
import { unfitNode } from './node-health.ts';
import { reverted } from './node-reverted.ts';
import { whyNotUncordoned } from './not-uncordoned.ts';
import { withCertificates } from './pending-certificates.ts';
import { pendingReboot } from './pending-reboot.ts';
import { otherRelease } from './release-skew.ts';
import { failedStep } from './step-failed.ts';

/** A node whose step takes too long and that is not Degraded: first the node itself, then its config daemon, then its
 *  step, which may have failed and be tried again; a reboot that is pending comes before them where its boot shows
 *  it. */
export function* explainSlowNode(subject: NodeSubject): Inquiry<Finding> {
  const { node, symptom } = subject;
  const [live, machine] = yield* readTogether(nodeNamed(node.name), machineConfigNode(node.name));
  const unfit = live.kind === 'read' ? unfitNode(live.value, live.readAt, symptom === 'rebooting') : undefined;
  if (unfit !== undefined && live.kind === 'read') {
    const told = reverted(subject, yield* withCertificates(yield* withMachine(unfit, live.value), node.name));
    return saysNetwork(unfit) ? yield* onPlatform(told, 'network') : told;
  }
  const pending = live.kind === 'read' ? pendingReboot(subject, live.value, live.readAt) : undefined;
  if (pending?.confidence === 'strong') return pending;
  if (symptom === 'uncordoning') return without(yield* notUncordoned(subject, machine), unreadOf([live]));
  const daemon = yield* read(configDaemonOn(node.name));
  const broken = daemon.kind === 'read' ? brokenDaemon(node.name, daemon.value.items, daemon.readAt) : undefined;
  if (broken !== undefined) return without(broken, unreadOf([live]));
  const step = machine.kind === 'read' ? yield* failedStep(subject, machine.value, machine.readAt) : undefined;
  if (step !== undefined) return without(step, unreadOf([live, daemon]));
  if (pending !== undefined) return without(pending, unreadOf([daemon]));
  const other = yield* otherRelease(node.name, daemon);
  const found = slowStep(subject, machine);
  return without({ ...found, because: ifGiven(other) }, unreadOf([live, daemon]));
}

/** A kubelet that is up and says NotReady for want of the network plugin, or the plugin itself. */
function saysNetwork({ evidence: seen }: Finding): boolean {
  return seen.some(({ path, value }) => path.includes('NetworkUnavailable') || /network ?plugin/i.test(value));
}

/** The daemon is done and asks for its cordon to be taken away: that is the controller's part. */
function* notUncordoned(subject: NodeSubject, machine: Reading<MachineConfigNode>): Inquiry<Finding> {
  const { because, unread } = yield* whyNotUncordoned(subject, machine);
  const found = slowStep(subject, machine, because);
  return without(because.length === 0 ? found : { ...found, confidence: 'strong', class: 'external' }, unread);
}

const doing: Readonly<Record<NodeSubject['symptom'], string>> = {
  failing: 'has been failing',
  draining: 'has been draining',
  working: 'has been writing its files and operating system',
  rebooting: 'was asked to reboot, and its config daemon has not reported back',
  uncordoning: 'is done but has not been uncordoned',
  waiting: 'was given a new configuration and has not begun',
};

/** @param because what is known of why */
function slowStep(
  subject: NodeSubject,
  machine: Reading<MachineConfigNode>,
  because: readonly Finding[] = [],
): Finding {
  const { node, symptom, since, readAt } = subject;
  const step = machine.kind === 'read' ? currentStep(machine.value, symptom) : undefined;
  const error = because.length === 0 ? ', and no error is reported' : '';
  const said =
    step === undefined || step.message === '' ? '' : ` Its step ${step.type} says: ${quoted(step.message, 240)}`;
  const found = notKnown({
    code: symptom === 'uncordoning' ? 'D5' : 'W1',
    subject: ref('Node', node.name),
    sentence: `${node.name} ${doing[symptom]} for ${ageText(between(since, readAt))}${error}.${said}`,
    looked: ['the node', 'its config daemon', ...(machine.kind === 'absent' ? [] : ['its MachineConfigNode'])],
    evidence: [
      evidence(ref('Node', node.name), 'metadata.annotations[state]', node.state, readAt),
      ...(step === undefined
        ? []
        : [
            evidence(
              ref('MachineConfigNode', node.name),
              `status.conditions[${step.type}].message`,
              quoted(step.message),
              machine.readAt,
            ),
          ]),
    ],
  });
  return { ...found, because };
}

/** The conditions that are `Unknown` are under way; the one that changed last is the step that the node is at. */
function currentStep({ status }: MachineConfigNode, symptom: NodeSubject['symptom']) {
  const isNamed = ({ type }: Condition) => symptom === 'uncordoning' && type === 'Uncordoned';
  return status.conditions
    .filter((each) => each.status === 'Unknown')
    .toSorted(
      (a, b) =>
        Number(isNamed(b)) - Number(isNamed(a)) || between(a.lastTransitionTime ?? '', b.lastTransitionTime ?? ''),
    )[0];
}
