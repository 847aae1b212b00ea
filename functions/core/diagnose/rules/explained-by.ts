import type { Inquiry } from '../../findings/inquiry.ts';
import { listed } from '../../text/phrases.ts';
import type { NodeSubject } from '../subject.ts';
import type { NodeReason } from '../text/node-reason.ts';
import { changedSources } from './changed-sources.ts';
import type { DegradedRule, Explained } from './degraded-rule.ts';
import { refusedBy } from './drift-errors.ts';
import { revertsOf } from './reverts.ts';

/** MachineConfigs that are named beside each other. */
const namedAtMost = 4;

/** What a rule says of a reason. The daemon does not tell which MachineConfig may not be on a running node (N8): it is
 *  named only where a single one has changed. */
export function* explainedBy(rule: DegradedRule, reason: NodeReason, subject: NodeSubject): Inquiry<Explained> {
  const told = rule.explain(reason, subject);
  if (rule.code !== 'N8') return told;
  const [only, ...others] = (yield* changedSources(subject)) ?? [];
  if (only === undefined) return told;
  if (others.length === 0)
    return {
      sentence: refusedBy(subject.node.name, reason, `MachineConfig ${only}`),
      remedies: yield* revertsOf([only], subject),
    };
  return {
    ...told,
    sentence: `${told.sentence} Changed in it: ${listed([only, ...others], namedAtMost)}; the text does not say which of them it is.`,
  };
}
