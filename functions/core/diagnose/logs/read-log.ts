import type { Inquiry } from '../../findings/inquiry.ts';
import { evidence, ref } from '../../findings/make-finding.ts';
import type { Evidence } from '../../findings/trouble.ts';
import { itemsOf, read } from '../../findings/unread.ts';
import { mcoNamespace } from '../../openshift/machine-config-operator.ts';
import type { Pod } from '../objects/pod.ts';
import { configDaemonOn, operatorPods } from '../questions.ts';
import type { NodeSubject } from '../subject.ts';
import { tellingLines } from './log-lines.ts';
import { logOf } from './log-question.ts';

/** Path of the evidence that is a line of a log. */
export const logPath = 'log';

/** API calls that it takes at most. */
export const logCalls = 2;

/** What the config daemon of a node says around its failure; of a drain, what the controller says of the node. Empty
 *  where the log says nothing or cannot be read: it explains, and decides nothing. A refusal is said, so that nobody
 *  looks for lines that cannot come. */
export function* readLog(subject: NodeSubject): Inquiry<readonly Evidence[]> {
  const { node, symptom } = subject;
  const isDrain = symptom === 'draining' || symptom === 'uncordoning';
  const container = isDrain ? 'machine-config-controller' : 'machine-config-daemon';
  const pods = yield* read(isDrain ? operatorPods() : configDaemonOn(node.name));
  const pod = itemsOf(pods).find((each) => runs(each, container));
  if (pod === undefined) return [];
  const of = ref('Pod', pod.metadata.name, mcoNamespace);
  const log = yield* read(logOf(pod.metadata.name, container));
  if (log.kind === 'unread')
    return [evidence(of, logPath, `not read: ${log.isForbidden === true ? notGranted : log.why}`, log.readAt)];
  if (log.kind === 'absent') return [];
  const lines = tellingLines(log.value, isDrain ? node.name : undefined);
  return lines.map((line) => evidence(of, logPath, line, log.readAt));
}

const notGranted = 'Poolkeeper was not given the right (npx poolkeeper manifests --only access --read-logs)';

function runs({ metadata }: Pod, name: string): boolean {
  return metadata.labels['k8s-app'] === name;
}
