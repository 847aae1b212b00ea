import type { IncomingMessage } from 'node:http';
import type { RequestFacts } from './faults.ts';
import { parseTarget, type Target } from './request-path.ts';

/** A summary of a request, also of one that will be refused. */
export function factsOf({ method = 'GET' }: IncomingMessage, { pathname, searchParams }: URL): RequestFacts {
  const target = targetOrNothing(pathname);
  return {
    method,
    verb: verbOf(method, searchParams, target),
    path: pathname,
    query: searchParams,
    plural: target?.type.plural ?? '',
    name: target?.name ?? '',
    subresource: target?.subresource ?? '',
  };
}

function targetOrNothing(pathname: string): Target | undefined {
  try {
    return parseTarget(pathname);
  } catch {
    return undefined;
  }
}

function verbOf(method: string, query: URLSearchParams, target: Target | undefined): string {
  if (method !== 'GET') return { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' }[method] ?? 'get';
  if (isWatch(query)) return 'watch';
  return target && target.name === '' ? 'list' : 'get';
}

function isWatch(query: URLSearchParams): boolean {
  return ['1', 'true'].includes(query.get('watch') ?? '');
}
