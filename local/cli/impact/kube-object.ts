import * as z from 'zod';

/** What is known of any object of Kubernetes. */
export const KubeObject = z.looseObject({
  kind: z.string().optional(),
  metadata: z.looseObject({ name: z.string() }),
});
export type KubeObject = z.infer<typeof KubeObject>;
