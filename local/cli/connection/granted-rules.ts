import * as z from 'zod';

/** What a role grants, as far as it is asked for here. */
export const GrantedRules = z.array(
  z.object({
    apiGroups: z.array(z.string()).default([]),
    resources: z.array(z.string()).default([]),
    resourceNames: z.array(z.string()).default([]),
    verbs: z.array(z.string()),
  }),
);
export type GrantedRules = z.infer<typeof GrantedRules>;
