import * as z from 'zod';
import { Transient } from '../../core/text/errors.ts';
import { ManagedFields } from './managed-fields.ts';

const Texts = z.record(z.string(), z.string());

/** ObjectMeta as far as it is used. Go leaves empty maps and lists out, and some servers send them as null. */
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

/** An object of which only the metadata is read: the metadata-only form and the full one alike. */
export const MetadataOnly = z.object({ metadata: Metadata });

/** Parses one object of the API server. Throws Transient: an answer that is not understood is no answer. */
export function understand<T extends z.ZodType>(shape: T, body: unknown, what: string): z.infer<T> {
  const parsed = shape.safeParse(body);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map((issue) => issue.path.join('.')).slice(0, 5);
  throw new Transient(`${what}: the API server's answer is not understood at ${fields.join(', ')}`);
}
