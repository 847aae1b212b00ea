import type { Inquiry } from '../../findings/inquiry.ts';
import { evidence, finding, ref } from '../../findings/make-finding.ts';
import type { Finding, Remedy } from '../../findings/trouble.ts';
import { read } from '../../findings/unread.ts';
import { mcoNamespace } from '../../openshift/machine-config-operator.ts';
import { ageText, between, clipped, quoted } from '../../text/phrases.ts';
import { command } from '../../text/shell-words.ts';
import { conditionOf } from '../objects/metadata.ts';
import { clusterOperator } from '../questions.ts';
import { remedy } from '../remedies.ts';
import { type OperatorText, readOperatorText } from '../text/operator-text.ts';

/** K1: a part of the platform that says itself that it is not well. Undefined when it is, or when nobody can tell:
 *  what is seen elsewhere then stands on its own. So is what machine-config repeats of a pool: it is no cause of what
 *  happens to another. */
function* sickOperator(name: string): Inquiry<Finding | undefined> {
  const operator = yield* read(clusterOperator(name));
  if (operator.kind !== 'read') return undefined;
  const { conditions } = operator.value.status;
  const available = conditionOf(conditions, 'Available');
  const degraded = conditionOf(conditions, 'Degraded');
  const failing = available?.status === 'False' ? available : degraded?.status === 'True' ? degraded : undefined;
  if (failing === undefined) return undefined;
  const said = name === 'machine-config' ? readOperatorText(failing.message) : undefined;
  if (said?.kind === 'pool') return undefined;
  const of = ref('ClusterOperator', name);
  const since =
    failing.lastTransitionTime === undefined
      ? ''
      : ` for ${ageText(between(failing.lastTransitionTime, operator.readAt))}`;
  return finding({
    code: 'K1',
    subject: of,
    sentence: `Cluster operator ${name} has been ${failing.type === 'Available' ? 'unavailable' : 'degraded'}${since}: ${quoted(said?.error || failing.message || failing.reason, 240)}.`,
    confidence: 'certain',
    class: 'external',
    evidence: [
      evidence(of, `status.conditions[${failing.type}].status`, failing.status, operator.readAt),
      evidence(of, `status.conditions[${failing.type}].message`, clipped(failing.message), operator.readAt),
    ],
    remedies: [
      ...(said === undefined ? [] : looksFor(said)),
      remedy(`Mend cluster operator ${name} first`, { command: command('oc', 'describe', 'clusteroperator', name) }),
    ],
  });
}

const templates = remedy('See what keeps the templates of the MCO from being finished', {
  command: command('oc', 'get', 'controllerconfig', 'machine-config-controller', '-o', 'jsonpath={.status.conditions}'),
});

/** What tells the causes apart that such a text may have. */
function looksFor({ kind, part }: OperatorText): readonly Remedy[] {
  switch (kind) {
    case 'part':
      return [
        remedy(`See why ${part} is not rolled out`, { command: command('oc', '-n', mcoNamespace, 'describe', part) }),
      ];
    case 'templates':
      return [templates];
    case 'versions':
      return [
        remedy('An update of the cluster, if one is under way: wait for it', {
          command: command('oc', 'get', 'clusterversion'),
        }),
        remedy('The controller that renders, if it does not run', {
          command: command('oc', '-n', mcoNamespace, 'get', 'pods', '-l', 'k8s-app=machine-config-controller'),
        }),
        templates,
      ];
    case 'pool':
    case 'other':
      return [];
    default:
      return kind satisfies never;
  }
}

/** The first of several that is not well. */
function* firstSickOperator(...names: readonly string[]): Inquiry<Finding | undefined> {
  for (const name of names) {
    const sick = yield* sickOperator(name);
    if (sick !== undefined) return sick;
  }
  return undefined;
}

/** Explained by a part of the platform, where that is not well. */
export function* onPlatform(found: Finding, ...names: readonly string[]): Inquiry<Finding> {
  const sick = yield* firstSickOperator(...names);
  return sick === undefined ? found : { ...found, because: [...found.because, sick] };
}
