import * as z from 'zod';

/** A name of the Kubernetes API (DNS-1123 subdomain). Checked where it comes in, because it ends up in request
 *  paths. */
export const KubernetesName = z
  .string()
  .max(253)
  .regex(/^[a-z0-9](?:[-.a-z0-9]*[a-z0-9])?$/, 'expected a Kubernetes name');
