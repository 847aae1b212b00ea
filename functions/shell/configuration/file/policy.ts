import * as z from 'zod';
import { mapping } from '../../../core/configuration/fields.ts';
import { Policy, PolicyInternals } from '../../../core/configuration/policy.ts';
import { type Path, pathText } from '../problem.ts';
import { fileForm, fileShape, type OwnForms, sectionKeys } from './file-form.ts';
import { internalsKey, mappingIn } from './internals.ts';
import { merged } from './merged.ts';
import { writtenKey } from './written-key.ts';

/** The policy of all clusters, with every default named. */
export const CommonPolicyFile = policyForm(true)
  .optional()
  .meta({ description: 'How Poolkeeper decides, on every cluster.', default: {} });
/** The policy of one cluster: what is left out comes from the common one. */
export const ClusterPolicyFile = policyForm(false)
  .optional()
  .describe('What is different on this cluster from the common policy.');

/** The form of a policy in the file. Yields its keys and values, whichever of the two blocks they are written in. */
function policyForm(namesDefaults: boolean) {
  const internals = fileForm(PolicyInternals, { namesDefaults })
    .optional()
    .describe('Numbers that follow from how the MCO, GitHub and alerting behave. Nobody should need to change them.');
  const own = { ...formsAtOldPlaces(PolicyInternals, []), [internalsKey]: internals };
  return mapping(fileShape(Policy, { namesDefaults, own })).transform(({ [internalsKey]: block, ...rest }) =>
    merged(sectionKeys(Policy, rest), block),
  );
}

function formsAtOldPlaces(internals: z.ZodObject, above: Path): OwnForms {
  const forms = fileShape(internals, { namesDefaults: false });
  return Object.fromEntries(
    Object.entries(internals.shape).map(([key, field]) => {
      const path = [...above, writtenKey(key)];
      const below = mappingIn(field);
      if (below !== undefined) return [writtenKey(key), formsAtOldPlaces(below, path)];
      const description = `Old place of policy.${pathText([internalsKey, ...path])}.`;
      return [writtenKey(key), forms[writtenKey(key)]?.meta({ description, deprecated: true }) ?? z.never()];
    }),
  );
}
