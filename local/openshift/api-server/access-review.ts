import { badRequest, methodNotAllowed } from './api-error.ts';
import { isJsonObject } from './json.ts';
import type { Reply } from './reply.ts';
import { parseJson } from './request-body.ts';

export const selfReviewPath = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

export const accessReviewPath = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

/** SelfSubjectAccessReview: whoever has the token may do everything. */
export function reviewAccess(method: string, body: string): Reply {
  if (method !== 'POST') throw methodNotAllowed();
  const review = parseJson(body);
  if (!isJsonObject(review))
    throw badRequest('the object provided is unrecognized (must be of type SelfSubjectAccessReview)');
  const { spec = {} } = review;
  const answered = {
    kind: 'SelfSubjectAccessReview',
    apiVersion: 'authorization.k8s.io/v1',
    metadata: {},
    spec,
    status: { allowed: true },
  };
  return { code: 201, body: answered };
}

/** SelfSubjectReview: tells the time, as a real API server does; nobody has a name here. */
export function reviewSelf(method: string, now: Date): Reply {
  if (method !== 'POST') throw methodNotAllowed();
  const answered = {
    kind: 'SelfSubjectReview',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { creationTimestamp: `${now.toISOString().slice(0, 19)}Z` },
    status: { userInfo: {} },
  };
  return { code: 201, body: answered };
}
