import type { NodeReason } from '../text/node-reason.ts';
import { daemonErrors } from './daemon-errors.ts';
import { type DegradedRule, fitsRule } from './degraded-rule.ts';
import { driftErrors, driftWithoutName } from './drift-errors.ts';
import { isOfOsProgram } from './os-steps.ts';
import { osUpdateErrors, osUpdateFailed } from './os-update-errors.ts';

/** The first that fits names the cause. What decides is the innermost error, so a rule for it stands before the rules
 *  for what the daemon was doing. Source of the wordings: machine-config-operator pkg/daemon;
 *  test/corpus/mco-texts/mco-texts.json quotes them. */
const degradedRules: readonly DegradedRule[] = [
  ...driftErrors,
  ...osUpdateErrors,
  ...daemonErrors.map(notOfOsProgram),
  driftWithoutName,
  osUpdateFailed,
];

/** `malformed`, `kubeconfig`, `could not read`: words that the daemon and such a program both use for their own. */
function notOfOsProgram(rule: DegradedRule): DegradedRule {
  return { ...rule, fits: (reason) => !isOfOsProgram(reason) && (rule.fits === undefined || rule.fits(reason)) };
}

export function ruleFor(reason: NodeReason): DegradedRule | undefined {
  return reason.whole === '' ? undefined : degradedRules.find((rule) => fitsRule(rule, reason));
}
