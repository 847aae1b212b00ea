/** Annotation of an Application that names its pools: `worker,infra`, or `none`. Takes precedence over everything
 *  else. */
export const poolsAnnotation = 'poolkeeper.dev/pools';
