import { generatedByAnnotation } from '../../openshift/rendered-kinds.ts';
import { roleLabel } from '../../openshift/role-label.ts';
import type { Warning } from '../disruption.ts';
import type { MachineConfigContent } from '../machine-config.ts';

/** Its name determines the merge order, its label the pools. */
export function lintName({ name, labels, annotations }: MachineConfigContent): readonly Warning[] {
  const found: Warning[] = [];
  if (!/^\d\d-/.test(name))
    found.push({
      code: 'name-order',
      text: /^\d/.test(name)
        ? 'names are compared as text: without two digits 100- sorts before 99- and 9- after 10-'
        : 'its name does not start with two digits and a dash, so that it is merged after 99- and overrides everything else',
      remedy: 'Name it like 50-<role>-<subject>: of two that set the same file the later name wins',
    });
  if (
    /^(?:rendered-|00-(?:master|worker|arbiter)$|01-(?:master|worker|arbiter)-(?:kubelet|container-runtime)$|9[789]-.+-generated-)/.test(
      name,
    ) ||
    generatedByAnnotation in annotations
  )
    found.push({
      code: 'name-of-the-operator',
      text: 'the Machine Config Operator uses this name itself and will overwrite it',
      remedy: 'Choose another name, and do not keep generated MachineConfigs in Git',
    });
  if (labels[roleLabel] === undefined)
    found.push({
      code: 'role-missing',
      text: `it has no label ${roleLabel}`,
      remedy: `Set ${roleLabel} to the pool it is for; without it most pools do not select it`,
    });
  return found;
}
