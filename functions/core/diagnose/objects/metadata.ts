import * as z from 'zod';
import { readsAsName } from '../../text/object-name.ts';

/** Fields of Kubernetes objects as far as a rule uses them. Every one may be missing: an old release, a trimmed
 *  answer or a hostile object must make a finding weaker, never make a pass fail. */
export const text = z.string().catch('');
export const maybeText = z.string().optional().catch(undefined);
export const count = z.number().catch(0);
export const maybeCount = z.number().optional().catch(undefined);
export const flag = z.boolean().catch(false);
export const words = z.record(z.string(), z.string()).catch({});

/** A list whose broken members are left out one by one. */
export function listOf<T extends z.ZodType>(member: T) {
  return z
    .array(z.unknown())
    .catch([])
    .transform((members) =>
      members.flatMap((each) => {
        const parsed = member.safeParse(each);
        return parsed.success ? [parsed.data] : [];
      }),
    );
}

const OwnerReference = z.object({ apiVersion: text, kind: text, name: text, controller: flag });
export type OwnerReference = z.infer<typeof OwnerReference>;

/** In Kubernetes' own form: an owner reference may say anything, at any length. */
export function isNamed({ kind, name }: OwnerReference): boolean {
  return /^[A-Za-z][A-Za-z0-9]{0,62}$/.test(kind) && readsAsName(name);
}

/** A number or a percentage, as written. */
export const intOrPercent = z.union([z.number(), z.string()]).optional().catch(undefined);

const noMetadata = {
  name: '',
  namespace: '',
  uid: '',
  generation: undefined,
  labels: {},
  annotations: {},
  creationTimestamp: undefined,
  deletionTimestamp: undefined,
  deletionGracePeriodSeconds: undefined,
  finalizers: [],
  ownerReferences: [],
};

export const Metadata = z
  .object({
    name: text,
    namespace: text,
    uid: text,
    generation: maybeCount,
    labels: words,
    annotations: words,
    creationTimestamp: maybeText,
    /** When the object is due to be gone: the request plus the grace period. */
    deletionTimestamp: maybeText,
    deletionGracePeriodSeconds: maybeCount,
    finalizers: listOf(z.string()),
    ownerReferences: listOf(OwnerReference),
  })
  .catch(noMetadata);
export type Metadata = z.infer<typeof Metadata>;

/** A namespace that OpenShift keeps for itself. No tenant can ask for a project with such a name, and what is written
 *  there was written by the platform. Source: openshift-apiserver, reserved prefixes of project requests. */
export function isOfPlatform({ namespace }: Pick<Metadata, 'namespace'>): boolean {
  return /^(?:openshift|kube)-/.test(namespace);
}

export const Condition = z.object({
  type: text,
  status: text,
  reason: text,
  message: text,
  lastTransitionTime: maybeText,
});
export type Condition = z.infer<typeof Condition>;

export const LabelSelector = z
  .object({
    matchLabels: words,
    matchExpressions: listOf(
      z.object({
        key: z.string(),
        operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']),
        values: z.array(z.string()).catch([]),
      }),
    ),
  })
  .nullish()
  .catch(undefined);

/** A list of one kind, by name, and whether the server held more back. Servers list in no order that could be relied
 *  on, and the same cluster has to come to the same words. */
export function kindList<T extends z.ZodType<{ readonly metadata: Pick<Metadata, 'namespace' | 'name'> }>>(item: T) {
  return z.object({
    items: listOf(item).transform((items) => items.toSorted(byName)),
    metadata: z.object({ continue: text }).catch({ continue: '' }),
  });
}

function byName(a: { readonly metadata: Pick<Metadata, 'namespace' | 'name'> }, b: typeof a): number {
  const [one, other] = [a, b].map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  return one === other ? 0 : (one ?? '') < (other ?? '') ? -1 : 1;
}

export function conditionOf(conditions: readonly Condition[], type: string): Condition | undefined {
  return conditions.findLast((each) => each.type === type);
}
