import * as z from 'zod';
import { starter } from '../../core/holds/retry-sync.ts';
import { understand } from './metadata.ts';

/** As Argo CD sets it for an automated sync: five more attempts. A cache of the API server may be slightly behind the
 *  pause. */
const retry = { limit: 5, backoff: { duration: '5s', factor: 2, maxDuration: '3m' } } as const;

const Asked = z.looseObject({
  sync: z.looseObject({}),
  retry: z.looseObject({ limit: z.number().optional() }).nullish(),
});

const Ended = z.object({
  metadata: z.object({ resourceVersion: z.string() }),
  operation: z.unknown().optional(),
  status: z.object({
    operationState: z.object({ phase: z.string(), startedAt: z.string(), operation: Asked }),
  }),
});

/** The merge patch with which Argo CD repeats the operation that began at `startedAt`: the same commit, resources and
 *  options. Undefined if that is no longer the newest operation, or one is queued. Source: argo-cd util/argo
 *  SetAppOperation; a completed operationState may stay, the controller overwrites it. */
export function repeatOperation(body: unknown, startedAt: string): unknown {
  const { metadata, operation, status } = understand(Ended, body, 'Application');
  const { phase, startedAt: newest, operation: asked } = status.operationState;
  const isQueued = operation !== undefined && operation !== null;
  if (isQueued || newest !== startedAt || !['Failed', 'Error'].includes(phase)) return undefined;
  return {
    metadata: { resourceVersion: metadata.resourceVersion },
    operation: {
      sync: asked.sync,
      initiatedBy: { username: starter },
      info: [
        { name: 'Reason', value: `the admission level refused the sync of ${startedAt}; its pools are paused now` },
      ],
      retry: (asked.retry?.limit ?? 0) === 0 ? retry : asked.retry,
    },
  };
}
