import * as z from 'zod';
import { Transient } from '../../core/text/errors.ts';
import { ManagedFields } from './managed-fields.ts';

const Texts = z.record(z.string(), z.string());

/** ObjectMeta, limited to the fields in use. Go omits empty maps and lists, and some servers send them as null. */
export const Metadata = z.object({
  name: z.string(),
  namespace: z.string().nullish(),
  uid: z.string().catch(''),
  resourceVersion: z.string().catch(''),
  creationTimestamp: z.string().nullish().catch(undefined),
  generation: z.number().catch(0),
  labels: Texts.nullish().transform((labels) => labels ?? {}),
  annotations: Texts.nullish().transform((annotations) => annotations ?? {}),
  managedFields: ManagedFields.nullish().transform((entries) => entries ?? []),
});

/** An object whose metadata alone is read: from the metadata-only form or the full one. */
export const MetadataOnly = z.object({ metadata: Metadata });

/** Parses one object of the API server. Throws Transient: an invalid answer is no answer. */
export function understand<T extends z.ZodType>(shape: T, body: unknown, what: string): z.infer<T> {
  const parsed = shape.safeParse(body);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map((issue) => issue.path.join('.')).slice(0, 5);
  throw new Transient(`${what}: the API server's answer cannot be parsed at ${fields.join(', ')}`);
}
