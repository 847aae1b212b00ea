import * as z from 'zod';
import type { KubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { pauseFirst } from '../../../functions/core/argocd/refused-sync.ts';
import { selectorIn } from '../../../functions/core/openshift/manifest-selector.ts';
import { limitNames } from '../../manifests/admission-limit.ts';
import { versionAnnotation } from '../../manifests/kube-object.ts';
import type { AdmissionSeen, BindingSeen, PolicyContent, PolicySeen } from './check-admission.ts';
import type { LimitSeen } from './check-limits.ts';
import { usualHome } from './remedy-commands.ts';

const Texts = z.record(z.string(), z.string()).nullish();
const Head = z.object({ name: z.string(), labels: Texts, annotations: Texts });

const Matching = z
  .object({
    matchPolicy: z.string().nullish(),
    resourceRules: z.unknown().optional(),
    excludeResourceRules: z.unknown().optional(),
    namespaceSelector: z.unknown().optional(),
    objectSelector: z.unknown().optional(),
  })
  .nullish();

const Policy = z.object({
  metadata: Head,
  spec: z.object({
    failurePolicy: z.string().nullish(),
    matchConstraints: Matching,
    matchConditions: z.array(z.object({ name: z.string(), expression: z.string() })).nullish(),
    variables: z.unknown().optional(),
    validations: z.unknown().optional(),
  }),
});

const Binding = z.object({
  metadata: Head,
  spec: z.object({
    policyName: z.string(),
    paramRef: z
      .object({
        name: z.string().nullish(),
        selector: z.unknown().optional(),
        parameterNotFoundAction: z.string().nullish(),
      })
      .nullish(),
    matchResources: Matching,
    validationActions: z.array(z.string()).nullish(),
  }),
});

const path = '/apis/admissionregistration.k8s.io/v1';

export interface AdmissionLook extends Pick<AdmissionSeen, 'policies' | 'bindings' | 'pools'> {
  /** The cluster has admission policies. */
  readonly isServed: boolean;
  readonly limits: readonly LimitSeen[];
}

/** Poolkeeper's policies and their bindings, read with the permissions of the person: the service account may read
 *  neither. None if the kind is not served. Throws Transient. */
export async function lookAtAdmission(client: Pick<KubeClient, 'get' | 'list'>): Promise<AdmissionLook> {
  const served = await client.get(path, { mayBeUnserved: true });
  const hasPolicies = JSON.stringify(served ?? {}).includes('"validatingadmissionpolicies"');
  const [{ policies, bindings }, pools] = await Promise.all([
    hasPolicies ? listPolicies(client) : { policies: [], bindings: [] },
    client.list('/apis/machineconfiguration.openshift.io/v1/machineconfigpools', { pageSize: 100, form: 'metadata' }),
  ]);
  return {
    isServed: hasPolicies,
    limits: policies.flatMap(limitOf),
    policies: policies.flatMap(policyOf),
    bindings,
    pools: pools.map((each) => {
      const { name, labels } = z.object({ metadata: Head }).parse(each).metadata;
      return { name, labels: labels ?? {} };
    }),
  };
}

/** Policies that limit accounts of Poolkeeper, and bindings of policies. Throws Transient. */
export async function listLimits(
  client: Pick<KubeClient, 'list'>,
): Promise<{ readonly limits: readonly LimitSeen[]; readonly bindings: readonly BindingSeen[] }> {
  const { policies, bindings } = await listPolicies(client);
  return { limits: policies.flatMap(limitOf), bindings };
}

async function listPolicies(client: Pick<KubeClient, 'list'>) {
  const [policies, bindings] = await Promise.all([
    client.list(`${path}/validatingadmissionpolicies`, { pageSize: 100 }),
    client.list(`${path}/validatingadmissionpolicybindings`, { pageSize: 100 }),
  ]);
  return {
    policies: policies.map((each) => Policy.parse(each)),
    bindings: bindings.map((each) => bindingOf(Binding.parse(each))),
  };
}

function limitOf({ metadata: { name, annotations }, spec }: z.infer<typeof Policy>): readonly LimitSeen[] {
  const limit = Object.values(limitNames).find((each) => name.endsWith(`-${each}`));
  if (limit === undefined) return [];
  const home = name.slice(0, -limit.length - 1);
  return [{ name, limit, home, version: annotations?.[versionAnnotation], ...contentOf(spec) }];
}

function policyOf({ metadata, spec }: z.infer<typeof Policy>): readonly PolicySeen[] {
  const { name, annotations } = metadata;
  if (name !== pauseFirst && !name.endsWith(`-${pauseFirst}`)) return [];
  const home = name === pauseFirst ? usualHome : name.slice(0, -pauseFirst.length - 1);
  return [{ name, home, version: annotations?.[versionAnnotation], ...contentOf(spec) }];
}

function contentOf(spec: z.infer<typeof Policy>['spec']): PolicyContent {
  const { failurePolicy, matchConstraints, matchConditions, variables, validations } = spec;
  const { resourceRules, ...narrowed } = matchConstraints ?? {};
  return {
    failurePolicy: failurePolicy ?? 'Fail',
    resourceRules,
    isNarrowed: isNarrowedBy(narrowed),
    matchConditions: matchConditions ?? [],
    variables,
    validations,
  };
}

function isNarrowedBy({ matchPolicy, ...others }: NonNullable<z.infer<typeof Matching>>): boolean {
  return (matchPolicy ?? 'Equivalent') !== 'Equivalent' || Object.values(others).some(selectsSome);
}

/** An empty selector or list selects everything, as does none. */
function selectsSome(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

function bindingOf({ metadata, spec }: z.infer<typeof Binding>): BindingSeen {
  const { name, selector, parameterNotFoundAction } = spec.paramRef ?? {};
  const read = selector === undefined ? undefined : selectorIn(selector);
  return {
    name: metadata.name,
    policyName: spec.policyName,
    pool: name ?? undefined,
    selector: read === 'unreadable' ? undefined : read,
    actions: spec.validationActions ?? [],
    parameterNotFoundAction: parameterNotFoundAction ?? 'Allow',
    isNarrowed: isNarrowedBy(spec.matchResources ?? {}),
  };
}
