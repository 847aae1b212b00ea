import type { ArgoCdSettings } from '../../functions/core/configuration/argocd.ts';
import type { SequenceGate, Sequences } from '../../functions/core/configuration/sequence.ts';
import { checkJobOf } from '../../functions/core/sequences/check-job.ts';
import { placeOf } from '../../functions/core/sequences/own-object.ts';
import { type PlannedStep, planOf } from '../../functions/core/sequences/plan.ts';
import { withPreset } from '../../functions/core/sequences/presets.ts';
import { Misconfigured } from '../../functions/core/text/errors.ts';
import { type KnownKind, knownKind } from './known-kinds.ts';
import { type Right, type Rights, right, rightsOf } from './rights.ts';

const olm = 'operators.coreos.com';

/** Exactly the kinds that the sequences use on the cluster, by name where a gate or step has one. Throws Misconfigured
 *  for kinds that nobody can name without asking a cluster. */
export function sequenceRights(sequences: Sequences, cluster: string, argocd: readonly ArgoCdSettings[]): Rights {
  const rights = Object.entries(sequences ?? {}).flatMap(([name, sequence]): readonly Right[] => {
    const { steps, gates } = planOf(name, sequence);
    const isHome = sequence.clusters[0] === cluster;
    return [
      ...(isHome ? recordRights(name, sequence.namespace) : []),
      ...steps.filter((step) => step.cluster === cluster).flatMap(stepRights),
      ...gates
        .filter((gate) => gate.cluster === cluster)
        .flatMap(({ id, anyOf }) =>
          anyOf.flatMap(
            (gate) => jobRights(gate, { sequence: name, namespace: sequence.namespace, id }) ?? gateRights(gate, id),
          ),
        ),
      ...windowRights(steps, cluster, argocd),
    ];
  });
  return rightsOf(rights);
}

function recordRights(name: string, namespace: string): readonly Right[] {
  const rule = { apiGroups: [''], resources: ['configmaps'] };
  return [
    { namespace, rule: { ...rule, resourceNames: [`poolkeeper-sequence-${name}`], verbs: ['get', 'patch', 'delete'] } },
    { namespace, rule: { ...rule, verbs: ['create'] } },
  ];
}

function stepRights({ target }: PlannedStep): readonly Right[] {
  switch (target.kind) {
    case 'subscription':
      return target.olm === 'v1'
        ? [right({ group: 'olm.operatorframework.io', plural: 'clusterextensions' }, { name: target.name }, ['get'])]
        : ['subscriptions', 'clusterserviceversions', 'installplans'].map((plural) =>
            right({ group: olm, plural }, { namespace: target.namespace }, ['get']),
          );
    case 'object': {
      const { namespace, name } = placeOf(target.manifest);
      const kind = kindOfManifest(target.manifest);
      return [
        right(kind, { namespace, name }, ['get', 'patch', 'delete']),
        // Who creates has no name yet that RBAC could compare.
        right(kind, { namespace }, ['create']),
      ];
    }
    default:
      return [];
  }
}

/** Deny windows of Applications that are held back, in whatever project they are, and a refresh once they are not. */
function windowRights(
  steps: readonly PlannedStep[],
  cluster: string,
  argocd: readonly ArgoCdSettings[],
): readonly Right[] {
  return steps.flatMap(({ target }) => {
    if (target.kind !== 'application') return [];
    const settings = argocd.find(({ name }) => target.argocd === undefined || name === target.argocd);
    if (settings?.cluster !== cluster) return [];
    const namespace = settings.controllerNamespace ?? settings.namespaces[0];
    const group = 'argoproj.io';
    return [
      right({ group, plural: 'appprojects' }, { namespace }, ['get', 'patch']),
      right({ group, plural: 'applications' }, { namespace: target.namespace, name: target.name }, ['get', 'patch']),
    ];
  });
}

/** A check that runs as a Job, and the end of its log; undefined: the gate has none. */
function jobRights(
  gate: SequenceGate,
  of: { readonly sequence: string; readonly namespace: string; readonly id: string },
): readonly Right[] | undefined {
  const job = checkJobOf(gate, of);
  if (job === undefined) return undefined;
  const { namespace, name } = job;
  const jobs = { group: 'batch', plural: 'jobs' };
  return [
    right(jobs, { namespace, name }, ['get', 'delete']),
    right(jobs, { namespace }, ['create']),
    right({ group: '', plural: 'pods' }, { namespace }, ['list']),
    right({ group: '', plural: 'pods/log' }, { namespace }, ['get']),
  ];
}

/** Of one gate, by name where it has one. Throws Misconfigured. */
export function gateRights(gate: SequenceGate, id: string): readonly Right[] {
  if (gate.http !== undefined) return [];
  const { resourceType = '', resourceName: name, resourceNamespace: namespace } = withPreset(gate);
  const kind = knownKind(resourceType);
  if (kind === undefined)
    throw new Misconfigured([
      `${id}: write resourceType ${resourceType} in the plural with its group, like storageclusters.ocs.openshift.io`,
    ]);
  return [right(kind, { namespace, name }, ['get', 'list'])];
}

/** `apps/v1` and `Deployment`. A kind that is not known gets the plural that nearly all have. */
function kindOfManifest(manifest: Readonly<Record<string, unknown>>): KnownKind {
  const [first = '', second] = String(manifest['apiVersion']).split('/');
  const group = second === undefined ? '' : first;
  const singular = String(manifest['kind']).toLowerCase();
  return knownKind(group === '' ? singular : `${singular}.${group}`) ?? { group, plural: pluralOf(singular) };
}

function pluralOf(singular: string): string {
  if (/[^aeiou]y$/.test(singular)) return `${singular.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(singular) ? `${singular}es` : `${singular}s`;
}
