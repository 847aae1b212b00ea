import { randomUUID } from 'node:crypto';
import type { Draft, Kube } from './kube.ts';
import { collectionOf } from './paths.ts';
import { refusalOf } from './refusal-of.ts';
import { until } from './until.ts';

/** How long the API server may take to act on what it has accepted, milliseconds: a second or two on a quiet
 *  machine. */
const inForceWithinMs = 60_000;

interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

interface Account {
  readonly namespace: string;
  readonly name: string;
}

/** Waits until the API server acts on the roles among these objects that are bound to the account, whose own access
 *  this is: its authorizer learns of them some time after they were accepted. */
export async function untilGranted(ours: Kube, account: Account, objects: readonly Draft[]): Promise<void> {
  for (const binding of objects.filter((object) => isBoundTo(object, account))) {
    const { kind, name } = binding['roleRef'] as { readonly kind: string; readonly name: string };
    const namespace = binding.metadata.namespace;
    const role = objects.find(
      (object) =>
        object.kind === kind &&
        object.metadata.name === name &&
        (kind === 'ClusterRole' || object.metadata.namespace === namespace),
    );
    const rules = (role?.['rules'] ?? []) as readonly Rule[];
    for (const rule of rules) await untilAllowed(ours, rule, namespace);
  }
}

function isBoundTo({ kind, subjects }: Draft, account: Account): boolean {
  const all = (subjects ?? []) as readonly Partial<Account>[];
  const isBinding = kind === 'RoleBinding' || kind === 'ClusterRoleBinding';
  return isBinding && all.some(({ namespace, name }) => namespace === account.namespace && name === account.name);
}

async function untilAllowed(ours: Kube, rule: Rule, namespace: string | undefined): Promise<void> {
  const [resource, subresource] = rule.resources?.[0]?.split('/') ?? [];
  if (resource === undefined) return;
  const resourceAttributes = {
    group: rule.apiGroups?.[0],
    resource,
    subresource,
    verb: rule.verbs[0],
    name: rule.resourceNames?.[0],
    namespace,
  };
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes },
  };
  await until(
    async () => (await ours.post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review)).status?.allowed,
    inForceWithinMs,
    `the right to ${rule.verbs[0]} ${rule.resources?.[0]}`,
  );
}

/** Waits until the API server enforces every admission policy that was written before: it takes them up together, in
 *  the order in which they were written, and so the last of them is one that was made for this. */
export async function untilPoliciesInForce(kube: Kube): Promise<void> {
  const name = `last-${randomUUID()}`;
  const api = { apiVersion: 'admissionregistration.k8s.io/v1', metadata: { name } };
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };
  const policy: Draft = {
    ...api,
    kind: 'ValidatingAdmissionPolicy',
    spec: {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: `object.metadata.name != '${name}'` }],
    },
  };
  const binding: Draft = {
    ...api,
    kind: 'ValidatingAdmissionPolicyBinding',
    spec: { policyName: name, validationActions: ['Deny'] },
  };
  const made = [policy, binding];
  for (const object of made) await kube.post(collectionOf(object), object);
  const probe = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } };
  try {
    await until(
      () => refusalOf(() => kube.post('/api/v1/namespaces/default/configmaps?dryRun=All', probe)),
      inForceWithinMs,
      'the policies to be in force',
    );
  } finally {
    for (const object of made) await kube.delete(`${collectionOf(object)}/${name}`);
  }
}
