import * as z from 'zod';

/** Fields common to all Kubernetes objects. */
export const KubeObject = z.looseObject({
  kind: z.string().optional(),
  metadata: z.looseObject({ name: z.string() }),
});
export type KubeObject = z.infer<typeof KubeObject>;
