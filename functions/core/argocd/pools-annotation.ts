/** Annotation on an Application that names its pools itself: `worker,infra`, or `none`. The most trusted answer. */
export const poolsAnnotation = 'poolkeeper.dev/pools';
