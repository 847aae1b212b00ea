import type { Configuration } from '../configuration/configuration.ts';
import { syncHoldId } from '../openshift/hold.ts';
import { oncePer } from '../text/once-per.ts';
import { planOf } from './plan.ts';

/** Ids of the holds of Applications that are steps, of any sequence: another one may wait for this one. Each pass, and
 *  each pool of a look, asks for them. */
export const applicationSteps = oncePer(
  ({ sequences = {}, argocd }: Pick<Configuration, 'sequences' | 'argocd'>): ReadonlySet<string> =>
    new Set(
      Object.entries(sequences)
        .flatMap(([name, sequence]) => planOf(name, sequence).steps)
        .flatMap(({ target }) =>
          target.kind === 'application'
            ? [syncHoldId({ ...target, argocd: target.argocd ?? argocd[0]?.name ?? '' })]
            : [],
        ),
    ),
  new WeakMap(),
);
