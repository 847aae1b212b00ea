import type { Inquiry } from '../../findings/inquiry.ts';
import { evidence, ref } from '../../findings/make-finding.ts';
import type { Evidence } from '../../findings/trouble.ts';
import { itemsOf, read, type Unread } from '../../findings/unread.ts';
import { mcoNamespace } from '../../openshift/machine-config-operator.ts';
import type { Pod } from '../objects/pod.ts';
import { configDaemonOn, operatorPods } from '../questions.ts';
import type { NodeSubject } from '../subject.ts';
import { type BootedSystem, bootedSystem, changesText, isChanged } from './booted-system.ts';
import { tellingLines } from './log-lines.ts';
import { logOf, logStartOf } from './log-question.ts';

const daemon = 'machine-config-daemon';

/** Path of the evidence that is a line of a log. */
export const logPath = 'log';

/** API calls that it takes at most. */
export const logCalls = 3;

/** What the config daemon of a node says around its failure, and what was changed on the system that the node has
 *  booted, because updates fail on that; of a drain, what the controller says of the node. Empty
 *  where the log says nothing or cannot be read: it explains, and decides nothing. A refusal is said, so that nobody
 *  looks for lines that cannot come. */
export function* readLog(subject: NodeSubject): Inquiry<readonly Evidence[]> {
  const { node, symptom } = subject;
  const isDrain = symptom === 'draining' || symptom === 'uncordoning';
  const container = isDrain ? 'machine-config-controller' : daemon;
  const pods = yield* read(isDrain ? operatorPods() : configDaemonOn(node.name));
  const pod = itemsOf(pods).find((each) => runs(each, container));
  if (pod === undefined) return [];
  const of = ref('Pod', pod.metadata.name, mcoNamespace);
  const log = yield* read(logOf(pod.metadata.name, container));
  if (log.kind === 'unread')
    return [evidence(of, logPath, `not read: ${log.isForbidden === true ? notGranted : log.why}`, log.readAt)];
  if (log.kind === 'absent') return [];
  const lines = tellingLines(log.value, isDrain ? node.name : undefined);
  const system = isDrain ? undefined : yield* readSystem(pod);
  return [
    ...(system === undefined || !isChanged(system.value)
      ? []
      : [evidence(of, logPath, `rpm-ostree status: ${changesText(system.value)}`, system.readAt)]),
    ...lines.map((line) => evidence(of, logPath, line, log.readAt)),
  ];
}

function* readSystem(pod: Pod): Inquiry<{ readonly value: BootedSystem; readonly readAt: string } | undefined> {
  const start = yield* read(logStartOf(pod.metadata.name, daemon));
  const value = start.kind === 'read' ? bootedSystem(start.value) : undefined;
  return value === undefined ? undefined : { value, readAt: start.readAt };
}

/** What a node has booted, by the log of its config daemon; or why that is not known. */
export function* bootedSystemOf(node: string): Inquiry<BootedSystem | Unread> {
  const pods = yield* read(configDaemonOn(node));
  const pod = itemsOf(pods).find((each) => runs(each, daemon));
  const what = `what ${node} has booted`;
  if (pods.kind === 'unread') return { ...pods, what };
  if (pod === undefined) return { kind: 'unread', what, why: 'no config daemon runs there', readAt: pods.readAt };
  const start = yield* read(logStartOf(pod.metadata.name, daemon));
  if (start.kind === 'unread') return { ...start, what, why: start.isForbidden === true ? mayNotRead : start.why };
  const system = start.kind === 'read' ? bootedSystem(start.value) : undefined;
  return system ?? { kind: 'unread', what, why: 'the log of its config daemon does not say it', readAt: start.readAt };
}

const mayNotRead = 'the account may not read the logs of the Machine Config Operator';

const notGranted = 'Poolkeeper was not given the right (poolkeeper doctor prints the command that grants it)';

function runs({ metadata }: Pod, name: string): boolean {
  return metadata.labels['k8s-app'] === name;
}
