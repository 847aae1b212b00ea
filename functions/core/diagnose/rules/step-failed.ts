import type { Inquiry } from '../../findings/inquiry.ts';
import { evidence, finding, lower, ref } from '../../findings/make-finding.ts';
import type { Finding } from '../../findings/trouble.ts';
import { between, clipped, quoted } from '../../text/phrases.ts';
import type { MachineConfigNode } from '../objects/machine-config-node.ts';
import { type Condition, conditionOf } from '../objects/metadata.ts';
import { remedy } from '../remedies.ts';
import type { NodeSubject } from '../subject.ts';
import { readNodeReason } from '../text/node-reason.ts';
import { onPlatform } from './cluster-operator.ts';
import { ruleFor } from './degraded-catalogue.ts';
import { explainedBy } from './explained-by.ts';

/** How the MCO begins the message of a step that failed and is tried again. The step stays `Unknown` meanwhile, and the
 *  node's annotation gives no reason yet. Source: machine-config-operator pkg/daemon/update.go,
 *  pkg/controller/drain/drain_controller.go. */
const failed = /^(?:Error: |Failed to pull |Update failed )/i;

/** Steps of the controller, whose errors the drain's own reader knows. */
const ofController: readonly string[] = ['Cordoned', 'Drained', 'Uncordoned'];

/** A pull that failed is False until the next try, and no step of the update before counts. Source: MCO
 *  pkg/daemon/update.go `ImagePulledFromRegistry`. */
function isFailing({ type, status, lastTransitionTime }: Condition, { node }: NodeSubject): boolean {
  if (type !== 'ImagePulledFromRegistry' || status !== 'False')
    return status === 'Unknown' && !ofController.includes(type);
  return node.targetedAt === undefined || between(node.targetedAt, lastTransitionTime ?? '') >= 0;
}

/** A step of the config daemon that failed and is tried again, by the catalogue of what makes nodes Degraded.
 *  Undefined where no step tells an error, or one that is not in the catalogue. */
export function* failedStep(
  subject: NodeSubject,
  machine: MachineConfigNode,
  readAt: string,
): Inquiry<Finding | undefined> {
  for (const step of machine.status.conditions) {
    if (!isFailing(step, subject) || !failed.test(step.message)) continue;
    const reason = readNodeReason(step.message);
    const rule = ruleFor(reason);
    if (rule === undefined) continue;
    const { sentence, remedies } = yield* explainedBy(rule, reason, subject);
    return finding({
      code: rule.code,
      subject: ref('Node', subject.node.name),
      sentence: `${sentence} The daemon is still trying.`,
      confidence: lower(rule.confidence),
      class: rule.class,
      evidence: [said(subject, step, readAt)],
      remedies,
    });
  }
  return undefined;
}

/** How the drain controller quotes what the API server answers. Source: machine-config-operator
 *  pkg/controller/drain/drain_controller.go. */
const refusal = /^Error: Failed to (?:un)?cordon node\. Error is:? (.*?),? The node is reporting/is;

const refusedSteps = {
  Cordoned: { verb: 'cordon', so: 'its drain does not begin' },
  Uncordoned: { verb: 'uncordon', so: 'its update does not end' },
} as const;

/** T5 or T6: the API server does not let the MCO cordon the node, or take the cordon away again. */
export function* cordonRefused(
  subject: NodeSubject,
  machine: MachineConfigNode,
  readAt: string,
  type: keyof typeof refusedSteps = 'Cordoned',
): Inquiry<Finding | undefined> {
  const step = conditionOf(machine.status.conditions, type);
  const [, error] = refusal.exec(step?.message ?? '') ?? [];
  if (step?.status !== 'Unknown' || error === undefined) return undefined;
  const { verb, so } = refusedSteps[type];
  const ofWebhook = /admission webhook|failed calling webhook/i.test(error);
  const found = finding({
    code: ofWebhook ? 'T5' : 'T6',
    subject: ref('Node', subject.node.name),
    sentence: `The MCO cannot ${verb} ${subject.node.name}, so ${so}: ${quoted(error, 240)}.`,
    confidence: 'strong',
    class: 'external',
    evidence: [said(subject, step, readAt)],
    remedies: [
      remedy(
        ofWebhook
          ? 'Bring the webhook back, or let it leave changes of nodes by the MCO alone'
          : 'Wait; if it lasts, look at the control plane and at what may change nodes',
      ),
    ],
  });
  return ofWebhook ? found : yield* onPlatform(found, 'kube-apiserver', 'etcd');
}

function said({ node }: NodeSubject, { type, message }: Condition, readAt: string) {
  return evidence(ref('MachineConfigNode', node.name), `status.conditions[${type}].message`, clipped(message), readAt);
}
