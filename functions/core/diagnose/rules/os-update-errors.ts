import type { Remedy } from '../../findings/trouble.ts';
import type { NodeReason } from '../text/node-reason.ts';
import { type DegradedRule, daemonLog, errorOf, look, onNode } from './degraded-rule.ts';
import { imageErrors, podmanPull } from './image-errors.ts';
import { osQuestion, osUpdate } from './os-steps.ts';
import { diskErrors, repositoryErrors, serviceErrors } from './ostree-errors.ts';
import { kernelArgumentErrors, packageErrors, repositoryOfPackages } from './package-errors.ts';

/** Errors of the operating system's update, each by its innermost words. The order is from those that are the same in
 *  every step (a full disk) to those that take their meaning from the step. */
export const osUpdateErrors: readonly DegradedRule[] = [
  ...diskErrors,
  ...serviceErrors,
  repositoryOfPackages,
  ...packageErrors,
  ...repositoryErrors,
  ...kernelArgumentErrors,
  ...imageErrors,
];

/** Whatever else goes wrong in these steps: what it was is quoted, and what would tell the causes apart is listed. */
export const osUpdateFailed: DegradedRule = {
  code: 'N18',
  fits: ({ context, words }) => osUpdate.test(context) || osQuestion.test(words),
  confidence: 'possible',
  class: 'unknown',
  explain: (reason, subject) => ({
    sentence: reason.isHidden
      ? `The operating system of ${subject.node.name} cannot be updated; the text does not say why (${errorOf(reason)}). Possible: the registry, a full disk, layered packages, rpm-ostreed.`
      : `The operating system of ${subject.node.name} cannot be updated: ${errorOf(reason)}.`,
    remedies: tellApart(reason, subject.node.name),
  }),
};

/** One look for each cause that such a text may have. */
function tellApart(reason: NodeReason, node: string): readonly Remedy[] {
  return [
    daemonLog(node),
    look('Registry, if this fails: pull the image by hand', podmanPull(reason, node)),
    look('Full disk, if one is at 100 %', onNode(node, 'df', '-h', '/boot', '/sysroot', '/var')),
    look(
      'Layered packages, a staged deployment or a stuck transaction, if it lists any',
      onNode(node, 'rpm-ostree', 'status', '-v'),
    ),
  ];
}
