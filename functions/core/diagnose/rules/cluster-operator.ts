import type { Inquiry } from '../../findings/inquiry.ts';
import { evidence, finding, ref } from '../../findings/make-finding.ts';
import type { Finding } from '../../findings/trouble.ts';
import { read } from '../../findings/unread.ts';
import { ageText, between, clipped, quoted } from '../../text/phrases.ts';
import { command } from '../../text/shell-words.ts';
import { conditionOf } from '../objects/metadata.ts';
import { clusterOperator } from '../questions.ts';
import { remedy } from '../remedies.ts';

/** K1: a part of the platform that says itself that it is not well. Undefined when it is, or when nobody can tell:
 *  what is seen elsewhere then stands on its own. */
function* sickOperator(name: string): Inquiry<Finding | undefined> {
  const operator = yield* read(clusterOperator(name));
  if (operator.kind !== 'read') return undefined;
  const { conditions } = operator.value.status;
  const available = conditionOf(conditions, 'Available');
  const degraded = conditionOf(conditions, 'Degraded');
  const failing = available?.status === 'False' ? available : degraded?.status === 'True' ? degraded : undefined;
  if (failing === undefined) return undefined;
  const of = ref('ClusterOperator', name);
  const since =
    failing.lastTransitionTime === undefined
      ? ''
      : ` for ${ageText(between(failing.lastTransitionTime, operator.readAt))}`;
  return finding({
    code: 'K1',
    subject: of,
    sentence: `Cluster operator ${name} has been ${failing.type === 'Available' ? 'unavailable' : 'degraded'}${since}: ${quoted(failing.message || failing.reason, 240)}.`,
    confidence: 'certain',
    class: 'external',
    evidence: [
      evidence(of, `status.conditions[${failing.type}].status`, failing.status, operator.readAt),
      evidence(of, `status.conditions[${failing.type}].message`, clipped(failing.message), operator.readAt),
    ],
    remedies: [
      remedy(`Mend cluster operator ${name} first`, { command: command('oc', 'describe', 'clusteroperator', name) }),
    ],
  });
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
