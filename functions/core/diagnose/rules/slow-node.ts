import type { Finding } from '../../trouble.ts';
import { evidence, finding, notKnown, ref, without } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import type { MachineConfigNode } from '../objects/machine-config-node.ts';
import { isReady, type Pod } from '../objects/pod.ts';
import { configDaemonOn, machineConfigNode, mcoNamespace, nodeNamed } from '../questions.ts';
import { type Reading, read, readTogether, unreadOf } from '../reading.ts';
import { remedy } from '../remedies.ts';
import { command } from '../shell-words.ts';
import type { NodeSubject } from '../subject.ts';
import { ageText, between, quoted } from '../words.ts';
import { unfitNode } from './node-health.ts';

/** A node whose step takes too long without any error: first the node itself, then its config daemon, then its step. */
export function* explainSlowNode(subject: NodeSubject): Inquiry<Finding> {
  const { node, symptom } = subject;
  const [live, machine] = yield* readTogether(nodeNamed(node.name), machineConfigNode(node.name));
  const unfit = live.kind === 'read' ? unfitNode(live.value, live.readAt, symptom === 'rebooting') : undefined;
  if (unfit !== undefined) return unfit;
  const daemon = yield* read(configDaemonOn(node.name));
  const broken = daemon.kind === 'read' ? brokenDaemon(subject, daemon.value.items, daemon.readAt) : undefined;
  if (broken !== undefined) return without(broken, unreadOf([live]));
  return without(slowStep(subject, machine), unreadOf([live, daemon]));
}

/** S4: nobody on the node does what the MCO asks for. */
function brokenDaemon(subject: NodeSubject, pods: readonly Pod[], readAt: string): Finding | undefined {
  const [pod] = pods;
  if (pod !== undefined && isReady(pod)) return undefined;
  const node = subject.node.name;
  const of = ref('Pod', pod?.metadata.name ?? 'machine-config-daemon', mcoNamespace);
  const waiting = pod?.status.containerStatuses.find(({ state }) => state.waiting !== undefined)?.state.waiting;
  const how =
    pod === undefined
      ? `no machine-config-daemon runs on ${node}`
      : `the machine-config-daemon on ${node} is not ready${waiting === undefined ? '' : ` (${waiting.reason}${waiting.message === '' ? '' : `: ${quoted(waiting.message, 160)}`})`}`;
  return finding({
    code: 'S4',
    subject: ref('Node', node),
    sentence: `${node} does not act on its new configuration: ${how}.`,
    confidence: 'certain',
    class: 'external',
    evidence: [
      evidence(of, 'status.conditions[Ready].status', pod === undefined ? '(no pod)' : 'False', readAt),
      ...(waiting === undefined
        ? []
        : [evidence(of, 'status.containerStatuses.state.waiting.reason', waiting.reason, readAt)]),
    ],
    remedies:
      pod === undefined
        ? [remedy(`Look at why the DaemonSet machine-config-daemon leaves ${node} out (taints, cordon)`)]
        : [
            remedy('Start the daemon anew', {
              command: command('oc', '-n', mcoNamespace, 'delete', 'pod', pod.metadata.name),
              risk: 'low',
            }),
          ],
  });
}

const doing: Readonly<Record<NodeSubject['symptom'], string>> = {
  failing: 'has been failing',
  draining: 'has been draining',
  working: 'has been writing its files and operating system',
  rebooting: 'is up again, but its config daemon has not reported back',
  uncordoning: 'is done but has not been uncordoned',
  waiting: 'was given a new configuration and has not begun',
};

function slowStep(subject: NodeSubject, machine: Reading<MachineConfigNode>): Finding {
  const { node, symptom, since, readAt } = subject;
  const step = machine.kind === 'read' ? currentStep(machine.value) : undefined;
  const said =
    step === undefined || step.message === '' ? '' : ` Its step ${step.type} says: ${quoted(step.message, 240)}`;
  return notKnown({
    code: symptom === 'uncordoning' ? 'D5' : 'W1',
    subject: ref('Node', node.name),
    sentence: `${node.name} ${doing[symptom]} for ${ageText(between(since, readAt))}, and no error is reported.${said}`,
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
}

/** The conditions that are `Unknown` are under way; the one that changed last is where the node stands. */
function currentStep({ status }: MachineConfigNode) {
  return status.conditions
    .filter((each) => each.status === 'Unknown')
    .toSorted((a, b) => between(a.lastTransitionTime ?? '', b.lastTransitionTime ?? ''))[0];
}
