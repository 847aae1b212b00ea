import { duration } from '../text/durations.ts';
import type { ClusterRequest } from './asked-request.ts';

/** `hold worker for 2 h: database migration`. */
export function requestWords(request: ClusterRequest): string {
  switch (request.kind) {
    case 'hold':
    case 'freeze':
      return `${request.kind} ${poolWords(request.pool)} for ${duration(request.forSeconds)}: ${request.reason}`;
    case 'resume':
    case 'thaw':
      return `${request.kind} ${poolWords(request.pool)}: ${request.reason}`;
    case 'steer-run':
      return `${request.act} run ${request.run}: ${request.reason}`;
    case 'look':
      return request.name === '' ? request.about : `${request.about} ${request.name}`;
    default:
      return request satisfies never;
  }
}

function poolWords(pool: string): string {
  return pool === '*' ? 'all pools' : pool;
}
