import * as z from 'zod';
import { Transient } from '../../core/text/errors.ts';
import { foreignLabels, foreignName } from '../../core/text/foreign-text.ts';
import { ManagedFields } from './managed-fields.ts';

const Name = z.string().transform(foreignName);

const Texts = z.record(z.string(), z.string());

/** ObjectMeta, limited to the fields in use. Go omits empty maps and lists, and some servers send them as null. */
export const Metadata = z.object({
  name: Name,
  namespace: Name.nullish(),
  uid: Name.catch(''),
  resourceVersion: Name.catch(''),
  creationTimestamp: Name.nullish().catch(undefined),
  generation: z.number().catch(0),
  labels: Texts.nullish().transform((labels) => foreignLabels(labels ?? {})),
  annotations: Texts.nullish().transform((annotations) => annotations ?? {}),
  managedFields: ManagedFields.nullish().transform((entries) => entries ?? []),
});

/** An object whose metadata alone is read: from the metadata-only form or the full one. */
export const MetadataOnly = z.object({ metadata: Metadata });

/** Parses one object of the API server. Throws Transient: an invalid answer is no answer. */
export function understand<T extends z.ZodType>(shape: T, body: unknown, what: string): z.infer<T> {
  const parsed = shape.safeParse(body);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.slice(0, 5).map((issue) => foreignName(issue.path.join('.')));
  throw new Transient(`${what}: cannot be parsed at ${fields.map((field) => field || 'the whole object').join(', ')}`, {
    kind: 'invalid',
  });
}
