import * as z from 'zod';

/** A Kubernetes name (DNS-1123 subdomain). Validated at input, because it ends up in request paths. */
export const KubernetesName = z
  .string()
  .max(253)
  .regex(/^[a-z0-9](?:[-.a-z0-9]*[a-z0-9])?$/, 'expected a Kubernetes name');
