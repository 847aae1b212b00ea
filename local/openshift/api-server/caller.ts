import type { IncomingMessage } from 'node:http';
import { ApiError, anonymousForbidden, unauthorized } from './api-error.ts';
import type { Target } from './request-path.ts';

/** Whether the request has no credentials, which makes it `system:anonymous`. Throws for a wrong token. */
export function isAnonymous({ headers }: IncomingMessage, token: string): boolean {
  if (headers.authorization === undefined) return true;
  if (headers.authorization !== `Bearer ${token}`) throw unauthorized();
  return false;
}

/** `system:anonymous` may do nothing. */
export function refuseAnonymous(verb: string, path: string, target: Target | undefined): ApiError {
  if (target) return anonymousForbidden(verb, target.type, target.name);
  return new ApiError(403, `forbidden: User "system:anonymous" cannot ${verb} path "${path}"`, {
    reason: 'Forbidden',
    details: {},
  });
}

/** Without `fieldManager`, the field manager is the first part of the user agent. */
export function managerOf({ headers }: IncomingMessage): string {
  return (headers['user-agent'] ?? '').split('/')[0]?.slice(0, 128) || 'unknown';
}
